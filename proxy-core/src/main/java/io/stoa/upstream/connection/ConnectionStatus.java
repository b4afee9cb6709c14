// SPDX-License-Identifier: Apache-2.0
package io.stoa.upstream.connection;

import io.stoa.upstream.server.ServerAddress;
import java.net.SocketAddress;
import org.jspecify.annotations.Nullable;

/**
 * One connection to a directory server at one moment; it names an identity, and is only for those
 * who may know. Immutable.
 *
 * @param number counts the connections since the start
 * @param server to which it is
 * @param type what it is used for, in lloadd's words: {@code preparing}, {@code bind} or {@code
 *     regular}
 * @param state what it does, in lloadd's words: {@code ready}, {@code active} or {@code closing}
 * @param local the address of Stoa's end; null if it has none
 * @param peer the address of the server's end; null if it has none
 * @param identity the DN as which it acts; empty if it has none, or nobody knows
 * @param pending operations sent and not answered
 * @param sent operations sent since it was made
 * @param completed operations answered
 */
public record ConnectionStatus(
    long number,
    ServerAddress server,
    String type,
    String state,
    @Nullable SocketAddress local,
    @Nullable SocketAddress peer,
    String identity,
    int pending,
    long sent,
    long completed) {

  /** Operations that were given up before they were answered. */
  public long failed() {
    return sent - completed - pending;
  }
}
