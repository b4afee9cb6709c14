// SPDX-License-Identifier: Apache-2.0
package io.stoa.client.connection;

/** States of a client connection. Changed only by {@link ClientConnection}. */
enum ClientState {
  /** Accepts requests. */
  READY,
  /** A bind is under way; requests wait for its result (RFC 4511, section 4.2.1). */
  BINDING,
  /** A StartTLS was accepted; only its handshake is accepted (RFC 4511, section 4.14.1). */
  STARTING_TLS,
  /** Accepts no new requests; ends after the last response. */
  DRAINING,
  /** Passes octets unread: client and server have negotiated a security layer. */
  TUNNEL,
  /** Has ended. */
  CLOSED;

  boolean mayBecome(ClientState next) {
    return switch (this) {
      case READY -> next != READY;
      case BINDING -> next != BINDING && next != STARTING_TLS && next != TUNNEL;
      case STARTING_TLS -> next == READY || next == DRAINING || next == CLOSED;
      case DRAINING, TUNNEL -> next == CLOSED;
      case CLOSED -> false;
    };
  }
}
