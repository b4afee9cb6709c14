// SPDX-License-Identifier: Apache-2.0
package io.stoa.server.management;

import io.prometheus.metrics.model.registry.MultiCollector;
import io.prometheus.metrics.model.snapshots.CounterSnapshot;
import io.prometheus.metrics.model.snapshots.CounterSnapshot.CounterDataPointSnapshot;
import io.prometheus.metrics.model.snapshots.Labels;
import io.prometheus.metrics.model.snapshots.MetricSnapshots;
import io.stoa.ldap.protocol.SearchPattern;
import io.stoa.metrics.ProxyMeters;
import io.stoa.operation.digest.DigestStatus;
import io.stoa.operation.event.CacheOutcome;
import java.util.List;
import java.util.function.Supplier;

/**
 * Collects the search digests with the largest total time at directories. A pattern has the labels
 * of its id only: its text may name parts of the directory.
 *
 * <p>Threading: thread-safe.
 */
final class DigestCollector implements MultiCollector {
  /** Maximum number of patterns with metrics: 10. Each has five time series. */
  static final int MAX_PATTERNS = 10;

  private static final double NANOS = 1e9;

  private final Supplier<List<DigestStatus>> digests;

  /**
   * Creates a collector.
   *
   * @param digests reads the digests, those with the largest total time at directories first
   */
  DigestCollector(Supplier<List<DigestStatus>> digests) {
    this.digests = digests;
  }

  @Override
  public MetricSnapshots collect() {
    CounterSnapshot.Builder searches = builder(ProxyMeters.DIGEST_SEARCHES);
    CounterSnapshot.Builder upstream = builder(ProxyMeters.DIGEST_UPSTREAM);
    for (DigestStatus digest : digests.get()) {
      SearchPattern pattern = digest.pattern();
      if (pattern != null) {
        String id = pattern.id();
        add(searches, id, CacheOutcome.HIT, digest.hits());
        add(searches, id, CacheOutcome.JOINED, digest.joined());
        add(searches, id, CacheOutcome.MISS, digest.misses());
        add(searches, id, CacheOutcome.BYPASS, digest.bypassed());
        Labels labels = Labels.of(ProxyMeters.DIGEST_UPSTREAM.tags(), List.of(id));
        upstream.dataPoint(point(labels, digest.upstream().toNanos() / NANOS));
      }
    }
    return MetricSnapshots.of(searches.build(), upstream.build());
  }

  private static CounterSnapshot.Builder builder(ProxyMeters meter) {
    String unit = meter.unit();
    String name = meter.meterName().replace('.', '_');
    return CounterSnapshot.builder()
        .name(unit == null ? name : name + "_" + unit)
        .help(meter.meaning());
  }

  private static void add(
      CounterSnapshot.Builder searches, String id, CacheOutcome outcome, long count) {
    Labels labels = Labels.of(ProxyMeters.DIGEST_SEARCHES.tags(), List.of(id, outcome.word()));
    searches.dataPoint(point(labels, (double) count));
  }

  private static CounterDataPointSnapshot point(Labels labels, double value) {
    return CounterDataPointSnapshot.builder().labels(labels).value(value).build();
  }
}
