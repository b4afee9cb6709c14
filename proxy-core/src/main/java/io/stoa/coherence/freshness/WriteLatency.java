// SPDX-License-Identifier: Apache-2.0
package io.stoa.coherence.freshness;

import java.util.Arrays;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * How long writes take: OpenLDAP acknowledges a write while an earlier one that it still works on
 * holds its contextCSN back, so that a position says nothing of what was acknowledged just before.
 * Thread-safe.
 */
public final class WriteLatency implements LongSupplier {
  /** No less is taken off, however quick writes are. */
  public static final long LEAST_NANOS = TimeUnit.MILLISECONDS.toNanos(20);

  private static final long SLOT_NANOS = TimeUnit.SECONDS.toNanos(5);

  /** A minute, and the slot that has begun. */
  private static final int SLOTS = 13;

  private final LongSupplier clock;
  private final long start;
  private final long[] slowest = new long[SLOTS];
  private final long[] slots = new long[SLOTS];

  /** Makes it; the clock counts nanoseconds. */
  public WriteLatency(LongSupplier clock) {
    this.clock = clock;
    this.start = clock.getAsLong();
    Arrays.fill(slots, -SLOTS - 1L);
  }

  /** A write has been answered, or given up, so long after it was sent. */
  public synchronized void took(long nanos) {
    long slot = slot();
    int place = (int) (slot % SLOTS);
    slowest[place] = slots[place] == slot ? Math.max(slowest[place], nanos) : nanos;
    slots[place] = slot;
  }

  private long slot() {
    return Math.max(0, clock.getAsLong() - start) / SLOT_NANOS;
  }

  /** Twice the slowest of the last minute, and at least 20 ms; in nanoseconds. */
  @Override
  public synchronized long getAsLong() {
    long first = slot() - SLOTS;
    long most = 0;
    for (int place = 0; place < SLOTS; place++) {
      most = slots[place] > first ? Math.max(most, slowest[place]) : most;
    }
    return Math.max(LEAST_NANOS, 2 * most);
  }
}
