// SPDX-License-Identifier: Apache-2.0
package io.stoa.operation;

/** How an operation that waits or was forwarded is ended before its answer. */
public interface Cancellation {
  /** The client does not want it any more; no answer is due. */
  void abandon();

  /**
   * Sends a Cancel request (RFC 3909) after the operation, if a server holds it for this client
   * alone.
   *
   * @return false if it is Stoa's to cancel
   */
  boolean forward(Operation cancelRequest);
}
