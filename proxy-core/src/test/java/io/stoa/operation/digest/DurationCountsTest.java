// SPDX-License-Identifier: Apache-2.0
package io.stoa.operation.digest;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.Arrays;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/** Quantiles of durations in buckets. */
class DurationCountsTest {
  @Test
  void aDurationIsWithinItsBucket() {
    SplittableRandom random = new SplittableRandom(1);
    for (int i = 0; i < 100_000; i++) {
      long nanos = random.nextLong(4_096, 1L << random.nextInt(13, 34));
      int bucket = DurationCounts.bucket(nanos);
      assertThat(nanos)
          .isBetween(DurationCounts.bound(bucket), DurationCounts.bound(bucket + 1) - 1);
    }
  }

  @Test
  void extremeDurationsAreInTheOuterBuckets() {
    assertThat(DurationCounts.bucket(-1)).isZero();
    assertThat(DurationCounts.bucket(0)).isZero();
    assertThat(DurationCounts.bucket(1)).isZero();
    assertThat(DurationCounts.bucket(Long.MAX_VALUE)).isEqualTo(DurationCounts.BUCKETS - 1);
  }

  @Test
  void quantilesAreAtMostAQuarterOff() {
    SplittableRandom random = new SplittableRandom(2);
    long[] durations = random.longs(10_000, 10_000, 50_000_000).sorted().toArray();
    long[] counts = new long[DurationCounts.BUCKETS];
    Arrays.stream(durations).forEach(nanos -> counts[DurationCounts.bucket(nanos)]++);
    for (double share : new double[] {0.1, 0.5, 0.99}) {
      long exact = durations[(int) (share * durations.length)];
      assertThat(DurationCounts.quantile(counts, share)).isCloseTo(exact, within(exact / 4));
    }
  }

  @Test
  void nothingHasNoQuantile() {
    assertThat(DurationCounts.quantile(new long[DurationCounts.BUCKETS], 0.5)).isZero();
  }
}
