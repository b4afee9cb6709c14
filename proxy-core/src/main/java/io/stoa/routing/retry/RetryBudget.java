// SPDX-License-Identifier: Apache-2.0
package io.stoa.routing.retry;

/**
 * How many operations may be sent to a second server because the first has refused them as busy or
 * unavailable. One that another server then answers costs nothing: the first alone was in trouble.
 * Where all refuse, a fifth of what is asked may be asked again, and a few more: a directory that
 * is overloaded as a whole is not hit several times as hard. Event-loop confined.
 */
final class RetryBudget {
  private static final double PART = 0.2;
  private static final int AT_FIRST = 100;
  private static final int MOST = 1_000;

  private double left = AT_FIRST;

  /** An operation is sent for the first time. */
  void asked() {
    left = Math.min(MOST, left + PART);
  }

  /** Takes the right to ask once more; false if there is none. */
  boolean take() {
    boolean may = left >= 1;
    left -= may ? 1 : 0;
    return may;
  }

  /** What was asked so many times more was answered, or not asked after all. */
  void giveBack(int times) {
    left = Math.min(MOST, left + times);
  }
}
