// SPDX-License-Identifier: Apache-2.0
package io.stoa.upstream.connection;

/** What an upstream connection is about. Moved only by {@link UpstreamConnection}. */
enum ConnectionState {
  /** Connected, not yet given to its owner. */
  CONNECTING,
  /** A bind is under way: nothing else may be sent (RFC 4511, section 4.2.1). */
  BINDING,
  /** Takes operations. */
  READY,
  /** Takes no more operations; ends when those in flight are answered. */
  DRAINING,
  /** Has ended. */
  CLOSED;

  /**
   * The state after this one.
   *
   * @throws IllegalStateException if it may not follow
   */
  ConnectionState then(ConnectionState next) {
    if (!mayBecome(next)) {
      throw new IllegalStateException(this + " may not become " + next);
    }
    return next;
  }

  private boolean mayBecome(ConnectionState next) {
    return switch (this) {
      case CONNECTING -> next != CONNECTING && next != DRAINING;
      case BINDING -> next == READY || next == CLOSED;
      case READY -> next != CONNECTING && next != READY;
      case DRAINING -> next == CLOSED;
      case CLOSED -> false;
    };
  }
}
