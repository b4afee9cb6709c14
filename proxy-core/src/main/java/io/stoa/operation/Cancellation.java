// SPDX-License-Identifier: Apache-2.0
package io.stoa.operation;

/** Ends an operation that waits or was forwarded, before its answer. */
public interface Cancellation {
  /** Ends the operation for its client, which receives no answer. */
  void abandon();

  /** True if the operation can continue without its client, for others that wait for the answer. */
  default boolean canOutliveClient() {
    return false;
  }

  /**
   * Lets another operation continue in its place. Called only if {@link #canOutliveClient} is true.
   */
  default void passOn(Operation successor) {
    throw new IllegalStateException("the operation cannot continue without its client");
  }

  /**
   * Sends a Cancel request (RFC 3909) after the operation, if a server holds it for this client
   * alone.
   *
   * @return false if Stoa must cancel the operation itself
   */
  boolean forward(Operation cancelRequest);
}
