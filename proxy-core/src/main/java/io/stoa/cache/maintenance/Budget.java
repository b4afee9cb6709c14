// SPDX-License-Identifier: Apache-2.0
package io.stoa.cache.maintenance;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.IntSupplier;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

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

  /** The same; null if there is none. */
  @Nullable Taken takeOne() {
    return take() ? new Taken(this, new AtomicBoolean(true)) : null;
  }

  /** One that was taken, and counts once, whoever says first what has become of it. Thread-safe. */
  record Taken(Budget budget, AtomicBoolean open) {
    /** It is done, however it has ended. */
    void done() {
      if (open.compareAndSet(true, false)) {
        budget.done();
      }
    }

    /** It was not needed. */
    void giveBack() {
      if (open.compareAndSet(true, false)) {
        budget.giveBack();
      }
    }
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
