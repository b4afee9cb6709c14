// SPDX-License-Identifier: Apache-2.0
package io.stoa.coherence.freshness;

import java.util.Arrays;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * Measures how long writes take. OpenLDAP may acknowledge a write while an earlier unfinished one
 * holds back its contextCSN. A position therefore proves nothing about writes acknowledged just
 * before.
 *
 * <p>Threading: thread-safe.
 */
public final class WriteLatency implements LongSupplier {
  /** Minimum margin in nanoseconds, however fast writes are: 20 ms. */
  public static final long MIN_NANOS = TimeUnit.MILLISECONDS.toNanos(20);

  private static final long SLOT_NANOS = TimeUnit.SECONDS.toNanos(5);

  /** Number of slots: one minute, and the slot that has begun. */
  private static final int SLOTS = 13;

  private final LongSupplier clock;
  private final long start;
  private final long[] slowest = new long[SLOTS];
  private final long[] slots = new long[SLOTS];

  /**
   * Makes it.
   *
   * @param clock a clock in nanoseconds
   */
  public WriteLatency(LongSupplier clock) {
    this.clock = clock;
    this.start = clock.getAsLong();
    Arrays.fill(slots, -SLOTS - 1L);
  }

  /**
   * Called when a write was answered or given up.
   *
   * @param nanos the time since it was sent
   */
  public synchronized void record(long nanos) {
    long slot = slot();
    int index = (int) (slot % SLOTS);
    slowest[index] = slots[index] == slot ? Math.max(slowest[index], nanos) : nanos;
    slots[index] = slot;
  }

  private long slot() {
    return Math.max(0, clock.getAsLong() - start) / SLOT_NANOS;
  }

  /** Returns twice the slowest write of the last minute in nanoseconds, and at least 20 ms. */
  @Override
  public synchronized long getAsLong() {
    long first = slot() - SLOTS;
    long slowestNanos = 0;
    for (int index = 0; index < SLOTS; index++) {
      slowestNanos = slots[index] > first ? Math.max(slowestNanos, slowest[index]) : slowestNanos;
    }
    return Math.max(MIN_NANOS, 2 * slowestNanos);
  }
}
