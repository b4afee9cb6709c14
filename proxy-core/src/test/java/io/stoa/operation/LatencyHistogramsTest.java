// SPDX-License-Identifier: Apache-2.0
package io.stoa.operation;

import static org.assertj.core.api.Assertions.assertThat;

import io.stoa.ldap.protocol.OpType;
import io.stoa.operation.event.CacheOutcome;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

class LatencyHistogramsTest {
  private final OperationCounters counters = new OperationCounters();

  @Test
  void aDurationIsInTheFirstBucketWhoseBoundItDoesNotExceed() {
    long[] bounds = LatencyHistogram.bounds();
    for (int i = 0; i < bounds.length; i++) {
      assertThat(bucketOf(bounds[i])).isEqualTo(i);
      assertThat(bucketOf(bounds[i] + 1)).isEqualTo(i + 1);
    }
    assertThat(bucketOf(0)).isZero();
    assertThat(bucketOf(Long.MAX_VALUE)).isEqualTo(bounds.length);
  }

  private static int bucketOf(long nanos) {
    LatencyHistogram histogram = new LatencyHistogram();
    histogram.record(nanos, 1);
    long[] counts = histogram.counts();
    assertThat(LongStream.of(counts).sum()).isOne();
    int bucket = 0;
    while (counts[bucket] == 0) {
      bucket++;
    }
    return bucket;
  }

  @Test
  void boundsIncreaseFrom25MicrosecondsTo10Seconds() {
    assertThat(LatencyHistogram.bounds())
        .startsWith(25_000)
        .endsWith(10_000_000_000L)
        .isSorted()
        .doesNotHaveDuplicates();
  }

  @Test
  void eachOperationAndOutcomeHasAHistogram() {
    counters.latencies().record(OpType.SEARCH_REQUEST, CacheOutcome.HIT, 1_000, 1);
    counters.latencies().record(OpType.SEARCH_REQUEST, CacheOutcome.MISS, 2_000, 1);
    counters.latencies().record(OpType.BIND_REQUEST, CacheOutcome.NONE, 4_000, 1);
    assertThat(sum(OpType.SEARCH_REQUEST, CacheOutcome.HIT)).isEqualTo(1_000);
    assertThat(sum(OpType.SEARCH_REQUEST, CacheOutcome.MISS)).isEqualTo(2_000);
    assertThat(sum(OpType.BIND_REQUEST, CacheOutcome.NONE)).isEqualTo(4_000);
    assertThat(sum(OpType.COMPARE_REQUEST, CacheOutcome.HIT)).isZero();
  }

  private long sum(OpType type, CacheOutcome outcome) {
    return counters.latencies().histogram(type, outcome).sum();
  }

  @Test
  void theTotalIncludesOperationsThatWereNotAnswered() {
    counters.latencies().record(OpType.SEARCH_REQUEST, CacheOutcome.HIT, 1_000, 1);
    counters.latencies().record(OpType.SEARCH_REQUEST, CacheOutcome.STALE, 2_000, 1);
    counters.unansweredNanos().add(OpType.SEARCH_REQUEST, 4_000);
    assertThat(counters.nanos(OpType.SEARCH_REQUEST)).isEqualTo(7_000);
    assertThat(counters.nanos(OpType.ADD_REQUEST)).isZero();
  }
}
