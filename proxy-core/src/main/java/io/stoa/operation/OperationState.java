// SPDX-License-Identifier: Apache-2.0
package io.stoa.operation;

/** Where an operation is. Moved only by {@link Operation#moveTo}. */
public enum OperationState {
  /** Read from the client, not decided yet. */
  RECEIVED,
  /** Waits for another operation's answer or for an upstream connection. */
  WAITING,
  /** Sent to a server; the client has got nothing yet. */
  FORWARDED,
  /** The client has got a part of the answer. */
  STREAMING,
  /** The client has got the final response, or there is none to come. */
  COMPLETED,
  /** The client does not want it any more: abandoned, cancelled, or gone. */
  ABANDONED;

  boolean mayBecome(OperationState next) {
    return switch (this) {
      case RECEIVED, WAITING, FORWARDED -> next != RECEIVED;
      case STREAMING -> next == COMPLETED || next == ABANDONED;
      case COMPLETED, ABANDONED -> false;
    };
  }

  /** Whether the operation has ended, one way or the other. */
  public boolean isFinal() {
    return this == COMPLETED || this == ABANDONED;
  }
}
