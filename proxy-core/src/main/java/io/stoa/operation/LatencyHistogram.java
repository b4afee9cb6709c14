// SPDX-License-Identifier: Apache-2.0
package io.stoa.operation;

import java.util.concurrent.atomic.LongAdder;

/**
 * A histogram of durations with fixed buckets. Recording changes two striped counters, and
 * allocates nothing.
 *
 * <p>Threading: thread-safe.
 */
public final class LatencyHistogram {
  /** Upper bounds of the buckets in ns, inclusive: 25 µs to 10 s. One bucket more has no bound. */
  private static final long[] BOUNDS = {
    25_000,
    50_000,
    100_000,
    250_000,
    500_000,
    1_000_000,
    2_500_000,
    5_000_000,
    10_000_000,
    25_000_000,
    50_000_000,
    100_000_000,
    250_000_000,
    500_000_000,
    1_000_000_000,
    2_500_000_000L,
    10_000_000_000L
  };

  private final LongAdder[] buckets = new LongAdder[BOUNDS.length + 1];
  private final LongAdder nanos = new LongAdder();

  /** Creates a histogram without values. */
  public LatencyHistogram() {
    for (int i = 0; i < buckets.length; i++) {
      buckets[i] = new LongAdder();
    }
  }

  /** Records a duration. A hit ends the search for its bucket at the first bounds. */
  void record(long duration) {
    int bucket = 0;
    while (bucket < BOUNDS.length && duration > BOUNDS[bucket]) {
      bucket++;
    }
    buckets[bucket].increment();
    nanos.add(duration);
  }

  /** Returns the upper bounds of the buckets in ns, without that of the last one. */
  public static long[] bounds() {
    return BOUNDS.clone();
  }

  /** Returns the number of durations in each bucket. */
  public long[] counts() {
    long[] counts = new long[buckets.length];
    for (int i = 0; i < counts.length; i++) {
      counts[i] = buckets[i].sum();
    }
    return counts;
  }

  /** Returns the sum of all durations in ns. */
  public long sum() {
    return nanos.sum();
  }
}
