// SPDX-License-Identifier: Apache-2.0
package io.stoa.upkeep;

import java.util.concurrent.TimeUnit;
import java.util.function.IntSupplier;
import java.util.function.LongSupplier;

/**
 * How much may be asked of a directory that no client has asked for: so much at once, and so much
 * in a second. Thread-safe.
 */
final class Budget {
  private final int atOnce;
  private final IntSupplier perSecond;
  private final LongSupplier clock;
  private double left;
  private long counted;
  private int inFlight;

  /**
   * Makes one of which nothing is spent.
   *
   * @param perSecond most in a second, as it is at any time
   */
  Budget(int atOnce, IntSupplier perSecond, LongSupplier clock) {
    this.atOnce = atOnce;
    this.perSecond = perSecond;
    this.clock = clock;
    this.left = perSecond.getAsInt();
    this.counted = clock.getAsLong();
  }

  /** Takes one; false if there is none. */
  synchronized boolean take() {
    long now = clock.getAsLong();
    int most = perSecond.getAsInt();
    left = Math.min(most, left + (double) (now - counted) * most / TimeUnit.SECONDS.toNanos(1));
    counted = now;
    if (inFlight >= atOnce || left < 1) {
      return false;
    }
    left--;
    inFlight++;
    return true;
  }

  /** What was taken is done. */
  synchronized void done() {
    inFlight--;
  }

  /** What was taken was not needed. */
  synchronized void giveBack() {
    inFlight--;
    left++;
  }
}
