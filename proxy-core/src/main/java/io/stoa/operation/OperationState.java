// SPDX-License-Identifier: Apache-2.0
package io.stoa.operation;

/** State of an operation. Changed only by {@link Operation#moveTo}. */
public enum OperationState {
  /** Received from the client, without a decision. */
  RECEIVED,
  /** Waiting for another operation's answer or for an upstream connection. */
  WAITING,
  /** Sent to a server; no part of the answer has reached the client. */
  FORWARDED,
  /** A part of the answer has reached the client. */
  STREAMING,
  /** The final response has reached the client, or none will follow. */
  COMPLETED,
  /** Abandoned, cancelled, or without its client. */
  ABANDONED;

  boolean mayBecome(OperationState next) {
    return switch (this) {
      case RECEIVED, WAITING, FORWARDED -> next != RECEIVED;
      case STREAMING -> next == COMPLETED || next == ABANDONED;
      case COMPLETED, ABANDONED -> false;
    };
  }

  /** True if the operation has ended. */
  public boolean isFinal() {
    return this == COMPLETED || this == ABANDONED;
  }
}
