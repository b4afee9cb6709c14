// SPDX-License-Identifier: Apache-2.0
package io.stoa.operation.digest;

/**
 * Buckets of durations, two for each power of 2, from 4 µs to 17 s. A quantile is at most half off,
 * and mostly less than a quarter.
 *
 * <p>Threading: stateless.
 */
final class DurationCounts {
  /** Number of buckets. */
  static final int BUCKETS = 44;

  private static final int LOWEST_EXPONENT = 12;

  private DurationCounts() {}

  /** Returns the bucket of a duration in ns. Durations beyond either end are in the last there. */
  static int bucket(long nanos) {
    int exponent = Long.SIZE - 1 - Long.numberOfLeadingZeros(Math.max(1, nanos));
    int upperHalf = exponent == 0 ? 0 : (int) ((nanos >>> (exponent - 1)) & 1);
    int bucket = 2 * (exponent - LOWEST_EXPONENT) + upperHalf;
    return Math.max(0, Math.min(BUCKETS - 1, bucket));
  }

  /** Returns the lower bound of a bucket in ns. */
  static long bound(int bucket) {
    long power = 1L << (LOWEST_EXPONENT + bucket / 2);
    return bucket % 2 == 0 ? power : power + power / 2;
  }

  /**
   * Returns a quantile in ns, linearly within its bucket; 0 without durations.
   *
   * @param counts number of durations in each bucket
   * @param share quantile from 0 to 1
   */
  static long quantile(long[] counts, double share) {
    long total = 0;
    for (long count : counts) {
      total += count;
    }
    double rank = share * total;
    double before = 0;
    for (int bucket = 0; bucket < counts.length; bucket++) {
      if (counts[bucket] > 0 && before + counts[bucket] >= rank) {
        double part = Math.max(0, rank - before) / counts[bucket];
        return Math.round(bound(bucket) + part * (bound(bucket + 1) - bound(bucket)));
      }
      before += counts[bucket];
    }
    return 0;
  }
}
