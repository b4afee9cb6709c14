// SPDX-License-Identifier: Apache-2.0
package io.stoa.server.management;

import io.prometheus.metrics.model.registry.Collector;
import io.prometheus.metrics.model.snapshots.ClassicHistogramBuckets;
import io.prometheus.metrics.model.snapshots.HistogramSnapshot;
import io.prometheus.metrics.model.snapshots.HistogramSnapshot.HistogramDataPointSnapshot;
import io.prometheus.metrics.model.snapshots.Labels;
import io.prometheus.metrics.model.snapshots.MetricSnapshot;
import io.stoa.metrics.OperationKind;
import io.stoa.metrics.ProxyMeters;
import io.stoa.operation.LatencyHistogram;
import io.stoa.operation.LatencyHistograms;
import io.stoa.operation.event.CacheOutcome;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.stream.LongStream;

/**
 * Collects the latency histograms for Prometheus. A combination of operation and cache outcome has
 * series once it has occurred.
 *
 * <p>Threading: thread-safe.
 */
final class LatencyCollector implements Collector {
  private static final ProxyMeters METER = ProxyMeters.OPERATION_DURATION;
  private static final double NANOS = 1e9;

  /** Upper bounds of the buckets in seconds; the last is infinite. */
  private static final double[] BOUNDS = bounds();

  private final LatencyHistograms histograms;

  LatencyCollector(LatencyHistograms histograms) {
    this.histograms = histograms;
  }

  private static double[] bounds() {
    long[] nanos = LatencyHistogram.bounds();
    double[] seconds =
        Arrays.copyOf(LongStream.of(nanos).mapToDouble(n -> n / NANOS).toArray(), nanos.length + 1);
    seconds[nanos.length] = Double.POSITIVE_INFINITY;
    return seconds;
  }

  private static String name() {
    return METER.meterName().replace('.', '_') + "_" + METER.unit();
  }

  @Override
  public MetricSnapshot collect() {
    HistogramSnapshot.Builder all = HistogramSnapshot.builder().name(name()).help(METER.meaning());
    for (OperationKind kind : OperationKind.values()) {
      for (CacheOutcome outcome : CacheOutcome.values()) {
        LatencyHistogram histogram = histograms.histogram(kind.request(), outcome);
        long[] counts = histogram.counts();
        if (LongStream.of(counts).anyMatch(count -> count > 0)) {
          all.dataPoint(point(labels(kind, outcome), counts, histogram.sum() / NANOS));
        }
      }
    }
    return all.build();
  }

  private static Labels labels(OperationKind kind, CacheOutcome outcome) {
    List<String> values = List.of(kind.name().toLowerCase(Locale.ROOT), outcome.word());
    return Labels.of(METER.tags(), values);
  }

  private static HistogramDataPointSnapshot point(Labels labels, long[] counts, double sum) {
    return HistogramDataPointSnapshot.builder()
        .classicHistogramBuckets(ClassicHistogramBuckets.of(BOUNDS, counts))
        .sum(sum)
        .labels(labels)
        .build();
  }
}
