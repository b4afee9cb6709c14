// SPDX-License-Identifier: Apache-2.0
package io.stoa.upstream.connection;

import io.stoa.upstream.server.ServerAddress;
import java.net.SocketAddress;
import org.jspecify.annotations.Nullable;

/**
 * Snapshot of one connection to a directory server. Only administrators may see it, since it names
 * an identity.
 *
 * <p>Threading: immutable.
 *
 * @param number sequence number of the connection since the start
 * @param server the server at the other end
 * @param type purpose, in lloadd's words: {@code preparing}, {@code bind} or {@code regular}
 * @param state in lloadd's words: {@code ready}, {@code active} or {@code closing}
 * @param local address of Stoa's end; null if it has none
 * @param peer address of the server's end; null if it has none
 * @param identity DN as which the connection acts; empty if anonymous or unknown
 * @param pending operations sent and not answered
 * @param sent operations sent since the connection was made
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

  /** Returns the number of operations that were given up before they were answered. */
  public long failed() {
    return sent - completed - pending;
  }
}
