// SPDX-License-Identifier: Apache-2.0
package io.stoa.operation;

import io.stoa.net.transport.StripedCounters;

/**
 * A histogram of durations with fixed buckets. Recording changes two counters, and allocates
 * nothing.
 *
 * <p>Octets: 240, and 316 for each event loop: see {@link StripedCounters}.
 *
 * <p>Invariants:
 *
 * <ol>
 *   <li>Each duration is in exactly one bucket: the first whose bound it does not exceed.
 *   <li>The sum includes each duration of a bucket. A concurrent read may see one without the
 *       other.
 * </ol>
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

  private static final int BUCKETS = BOUNDS.length + 1;

  /** Index of the sum of all durations, behind the buckets. */
  private static final int NANOS = BUCKETS;

  private final StripedCounters counters = new StripedCounters(BUCKETS + 1);

  /** Creates a histogram without values. */
  public LatencyHistogram() {}

  /**
   * Records a duration. A hit ends the search for its bucket at the first bounds.
   *
   * @param count number of operations with this duration
   */
  void record(long duration, int count) {
    int bucket = 0;
    while (bucket < BOUNDS.length && duration > BOUNDS[bucket]) {
      bucket++;
    }
    counters.add(bucket, count);
    counters.add(NANOS, duration * count);
  }

  /** Returns the upper bounds of the buckets in ns, without that of the last one. */
  public static long[] bounds() {
    return BOUNDS.clone();
  }

  /** Returns the number of durations in each bucket. */
  public long[] counts() {
    long[] counts = new long[BUCKETS];
    for (int i = 0; i < counts.length; i++) {
      counts[i] = counters.get(i);
    }
    return counts;
  }

  /** Returns the sum of all durations in ns. */
  public long sum() {
    return counters.get(NANOS);
  }
}
