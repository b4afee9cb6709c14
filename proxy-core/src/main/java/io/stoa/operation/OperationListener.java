// SPDX-License-Identifier: Apache-2.0
package io.stoa.operation;

import io.stoa.ldap.protocol.OpType;
import io.stoa.ldap.protocol.ProtocolError;
import io.stoa.net.peer.ClientTlsFailure;
import io.stoa.net.peer.TlsStart;
import io.stoa.operation.event.BindKind;
import io.stoa.operation.event.ClientTimeout;

/**
 * Receives events of clients and their operations. Called on event loops, for each operation.
 *
 * <p>Threading: implementations are thread-safe and never block.
 */
public interface OperationListener {
  /** Ignores all events. */
  OperationListener NONE = new OperationListener() {};

  /** Called when a client has connected. */
  default void connectionOpened() {}

  /** Called when a client connection has ended. */
  default void connectionClosed() {}

  /** Called when a client is refused at the limit of connections. */
  default void connectionRefused() {}

  /** Called when an idle client without a bind is disconnected to make room for another client. */
  default void idleClientDisconnected() {}

  /** Called when an unfinished request is discarded at the memory limit of all clients. */
  default void requestGivenUp() {}

  /** Called when a connection is passed through to a directory server unread. */
  default void passedThrough() {}

  /** Called when the TLS handshake of a client has succeeded. */
  default void tlsEstablished(TlsStart start) {}

  /** Called when a client fails to establish TLS, or does not use it where it must. */
  default void tlsFailed(ClientTlsFailure reason) {}

  /**
   * Called when a client reaches its limit of operations in flight: Stoa pauses reading from it.
   */
  default void throttled() {}

  /** Called when a request was received. */
  default void received(OpType type) {}

  /**
   * Called when an operation has ended: answered, abandoned, or without an answer by its nature.
   */
  default void completed(OpType type) {}

  /** Called when an operation has ended, with the time since its receipt. */
  default void measured(OpType type, long nanos) {}

  /** Called when an operation has ended without the answer that it should have. */
  default void unanswered() {}

  /** Called when an operation has ended with a result code other than success. */
  default void failed(OpType type, int resultCode) {}

  /** Called when a client asks to be bound. */
  default void bindRequested(BindKind kind) {}

  /** Called when a search was received. */
  default void searchReceived(int scope) {}

  /** Called when entries were sent to a client. */
  default void entriesSent(int count) {}

  /** Called when references were sent to a client. */
  default void referencesSent(int count) {}

  /**
   * Called when a message was sent to a client that is no entry or reference, and ends no
   * operation.
   */
  default void otherSent() {}

  /** Called when octets of requests were received. */
  default void octetsReceived(long count) {}

  /** Called when octets were written for clients. */
  default void octetsSent(long count) {}

  /** Called when a client has bound by SASL. */
  default void saslBound() {}

  /**
   * Called when a client and a server have agreed on a security layer: their octets pass unread.
   */
  default void tunnelled() {}

  /** Called when Stoa itself has refused an operation. */
  default void rejected(OpType type, Rejection reason) {}

  /** Called when a client has broken the protocol and is disconnected. */
  default void protocolError(ProtocolError error) {}

  /** Called when a client is disconnected for lack of progress. */
  default void timedOut(ClientTimeout timeout) {}
}
