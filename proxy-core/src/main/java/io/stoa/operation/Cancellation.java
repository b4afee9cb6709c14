// SPDX-License-Identifier: Apache-2.0
package io.stoa.operation;

/** How an operation that waits or was forwarded is ended before its answer. */
public interface Cancellation {
  /** The client does not want it any more; no answer is due. */
  void abandon();

  /** Whether it can go on without its client, for others that want the answer, too. */
  default boolean outlives() {
    return false;
  }

  /** It goes on as another operation, if it can go on at all. */
  default void passOn(Operation heir) {
    throw new IllegalStateException("it cannot go on without its client");
  }

  /**
   * Sends a Cancel request (RFC 3909) after the operation, if a server holds it for this client
   * alone.
   *
   * @return false if it is Stoa's to cancel
   */
  boolean forward(Operation cancelRequest);
}
