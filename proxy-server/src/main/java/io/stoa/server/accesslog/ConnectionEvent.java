// SPDX-License-Identifier: Apache-2.0
package io.stoa.server.accesslog;

import io.stoa.net.peer.Peer;
import java.net.SocketAddress;
import org.jspecify.annotations.Nullable;

/**
 * An event of a client connection.
 *
 * <p>Threading: immutable.
 *
 * @param step the event
 * @param client number of the client since the start
 * @param peer properties of the client that its connection proves
 * @param local address of Stoa's end; null if it is not known
 * @param operations requests of the client so far
 * @param reason why Stoa has ended the connection; empty if the client has
 * @param nanos time of the event, as of {@link System#nanoTime}
 */
record ConnectionEvent(
    Step step,
    long client,
    Peer peer,
    @Nullable SocketAddress local,
    long operations,
    String reason,
    long nanos) {
  /** The events. */
  enum Step {
    CONNECTED,
    TLS,
    DISCONNECTED
  }
}
