// SPDX-License-Identifier: Apache-2.0
package io.stoa.cache.maintenance;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.IntSupplier;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Rate limiter for requests that no client has sent: a maximum in flight, and a maximum per second.
 *
 * <p>Threading: thread-safe.
 */
final class Budget {
  private final int atOnce;
  private final IntSupplier perSecond;
  private final LongSupplier clock;
  private double unitsLeft;
  private long refilledNanos;
  private int inFlight;

  /**
   * Creates a full budget.
   *
   * @param perSecond current maximum per second
   */
  Budget(int atOnce, IntSupplier perSecond, LongSupplier clock) {
    this.atOnce = atOnce;
    this.perSecond = perSecond;
    this.clock = clock;
    this.unitsLeft = perSecond.getAsInt();
    this.refilledNanos = clock.getAsLong();
  }

  /** Takes one unit; returns false if none is left. */
  synchronized boolean take() {
    long now = clock.getAsLong();
    int rate = perSecond.getAsInt();
    unitsLeft =
        Math.min(
            rate, unitsLeft + (double) (now - refilledNanos) * rate / TimeUnit.SECONDS.toNanos(1));
    refilledNanos = now;
    if (inFlight >= atOnce || unitsLeft < 1) {
      return false;
    }
    unitsLeft--;
    inFlight++;
    return true;
  }

  /** Takes one unit; returns null if none is left. */
  @Nullable BudgetUnit takeUnit() {
    return take() ? new BudgetUnit(this, new AtomicBoolean(true)) : null;
  }

  /**
   * A unit that was taken. Only the first call of its methods has an effect. Threading:
   * thread-safe.
   */
  record BudgetUnit(Budget budget, AtomicBoolean open) {
    /** Ends the use of the unit. */
    void release() {
      if (open.compareAndSet(true, false)) {
        budget.release();
      }
    }

    /** Returns the unused unit. */
    void giveBack() {
      if (open.compareAndSet(true, false)) {
        budget.giveBack();
      }
    }
  }

  /** Ends the use of a unit. */
  synchronized void release() {
    inFlight--;
  }

  /** Returns an unused unit. */
  synchronized void giveBack() {
    inFlight--;
    unitsLeft++;
  }
}
