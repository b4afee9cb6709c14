// SPDX-License-Identifier: Apache-2.0
package io.stoa.client.connection;

/** What a client connection is about. Moved only by {@link ClientConnection}. */
enum ClientState {
  /** Takes requests. */
  READY,
  /** A bind is under way; requests wait for its outcome (RFC 4511, section 4.2.1). */
  BINDING,
  /** A StartTLS was accepted; nothing but its handshake is taken (RFC 4511, section 4.14.1). */
  STARTING_TLS,
  /** Takes no new requests; ends when the last answer has gone out. */
  DRAINING,
  /** Octets pass unread: client and server have agreed on a security layer. */
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
