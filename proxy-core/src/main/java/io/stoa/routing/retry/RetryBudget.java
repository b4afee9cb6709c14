// SPDX-License-Identifier: Apache-2.0
package io.stoa.routing.retry;

/**
 * The retry budget for operations that a server has refused as busy or unavailable.
 *
 * <p>A retry that another server answers costs nothing, since only the first server was in trouble.
 * Where all servers refuse, a fifth of the operations may be retried, after an initial hundred.
 * This protects a directory that is overloaded as a whole.
 *
 * <p>Threading: event loop.
 */
final class RetryBudget {
  private static final double PART = 0.2;
  private static final int AT_FIRST = 100;
  private static final int MAX = 1_000;

  private double tokens = AT_FIRST;

  /** Called when an operation is sent for the first time. */
  void onFirstAttempt() {
    tokens = Math.min(MAX, tokens + PART);
  }

  /** Takes one retry from the budget; false if it is used up. */
  boolean take() {
    boolean allowed = tokens >= 1;
    tokens -= allowed ? 1 : 0;
    return allowed;
  }

  /** Returns retries that were answered or not sent. */
  void giveBack(int times) {
    tokens = Math.min(MAX, tokens + times);
  }
}
