// SPDX-License-Identifier: Apache-2.0
package io.stoa.operation;

import io.stoa.net.peer.Peer;
import java.net.SocketAddress;
import org.jspecify.annotations.Nullable;

/**
 * Receives the events of an access log: connections of clients and their operations. A call must
 * neither block nor fail, since it runs on an event loop.
 *
 * <p>Threading: thread-safe.
 */
public interface AccessListener {
  /** Receives nothing. */
  AccessListener NONE = new AccessListener() {};

  /**
   * True if an operation is to be reported.
   *
   * @param audited true for a write, and for an operation of an administrator
   */
  default boolean wants(boolean audited) {
    return false;
  }

  /** True if the requests of writes are to be reported with their values. */
  default boolean wantsValues() {
    return false;
  }

  /**
   * True if operations are to record their steps. Read at the receipt of each request, so it costs
   * one volatile read.
   */
  default boolean wantsSteps() {
    return false;
  }

  /**
   * Called when a client has connected, before its first operation.
   *
   * @param client number of the client since the start
   * @param local address of Stoa's end; null if it has none
   */
  default void onConnected(long client, Peer peer, @Nullable SocketAddress local) {}

  /** Called when a client has established TLS. */
  default void onTls(long client, Peer peer) {}

  /** Called when an operation has ended. The receiver takes ownership of a retained request. */
  default void onCompleted(CompletedOperation operation) {
    operation.release();
  }

  /**
   * Called when the connection of a client has ended.
   *
   * @param reason the reason, if Stoa has ended it; empty if the client has
   */
  default void onDisconnected(long client, Peer peer, long operations, String reason) {}
}
