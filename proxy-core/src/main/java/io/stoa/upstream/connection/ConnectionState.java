// SPDX-License-Identifier: Apache-2.0
package io.stoa.upstream.connection;

/** State of an upstream connection. Changed only by {@link UpstreamConnection}. */
enum ConnectionState {
  /** Connected, and not ready for its owner. */
  CONNECTING,
  /** A bind is in flight: nothing else may be sent (RFC 4511, section 4.2.1). */
  BINDING,
  /** Takes operations. */
  READY,
  /** Takes no more operations, and closes when those in flight are answered. */
  DRAINING,
  /** Closed. */
  CLOSED;

  /**
   * Returns {@code next}, if this state may be followed by it.
   *
   * @throws IllegalStateException if the transition is not allowed
   */
  ConnectionState then(ConnectionState next) {
    if (!mayBecome(next)) {
      throw new IllegalStateException(this + " cannot change to " + next);
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
