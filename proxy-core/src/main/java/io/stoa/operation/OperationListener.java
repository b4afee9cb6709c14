// SPDX-License-Identifier: Apache-2.0
package io.stoa.operation;

import io.stoa.ldap.protocol.OpType;
import io.stoa.ldap.protocol.ProtocolError;
import io.stoa.net.peer.ClientTlsFailure;
import io.stoa.net.peer.TlsStart;
import io.stoa.operation.event.BindKind;
import io.stoa.operation.event.ClientTimeout;

/**
 * Hears what happens to clients and their operations. Called on event loops, for every operation:
 * implementations are thread-safe and never wait.
 */
public interface OperationListener {
  /** Hears nothing. */
  OperationListener NONE = new OperationListener() {};

  /** A client connected. */
  default void connectionOpened() {}

  /** A client connection ended. */
  default void connectionClosed() {}

  /** A client was refused because as many are connected as may be. */
  default void connectionRefused() {}

  /** An idle client without a bind was disconnected to make room for another client. */
  default void gaveWay() {}

  /** An unfinished request was given up, since those of all clients take as much as they may. */
  default void requestGivenUp() {}

  /** A connection is passed on to a directory server as it is. */
  default void passedThrough() {}

  /** A client speaks TLS: the handshake has succeeded. */
  default void tlsEstablished(TlsStart start) {}

  /** A client wanted to speak TLS, or should have, and does not. */
  default void tlsFailed(ClientTlsFailure reason) {}

  /** A client has as many operations in flight as it may: Stoa stops reading from it for now. */
  default void throttled() {}

  /** A request was received. */
  default void received(OpType type) {}

  /** An operation has ended: answered, abandoned, or without an answer by its nature. */
  default void completed(OpType type) {}

  /** An operation has ended so long after it was received. */
  default void took(OpType type, long nanos) {}

  /** An operation that has an answer by its nature has ended without one. */
  default void unanswered() {}

  /** An operation has ended with a result that is no success. */
  default void failed(OpType type, int resultCode) {}

  /** A client asks to be bound. */
  default void bindRequested(BindKind kind) {}

  /** A search was received. */
  default void searchReceived(int scope) {}

  /** Entries went to a client. */
  default void entriesSent(int count) {}

  /** References went to a client. */
  default void referencesSent(int count) {}

  /** A message went to a client that is neither entry nor reference, and ends no operation. */
  default void otherSent() {}

  /** Octets of requests were received. */
  default void octetsReceived(long count) {}

  /** Octets were written for clients. */
  default void octetsSent(long count) {}

  /** A client has bound by SASL. */
  default void saslBound() {}

  /** A client and a server have agreed on a security layer: their octets pass unread. */
  default void tunnelled() {}

  /** Stoa itself refused an operation. */
  default void rejected(OpType type, Rejection reason) {}

  /** A client broke the protocol and is disconnected. */
  default void protocolError(ProtocolError error) {}

  /** A client was disconnected because it was idle, or took no answer, for too long. */
  default void timedOut(ClientTimeout timeout) {}
}
