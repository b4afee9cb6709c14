// SPDX-License-Identifier: Apache-2.0
package io.stoa.server.management;

import io.micrometer.core.instrument.binder.jvm.JvmGcMetrics;
import io.micrometer.core.instrument.binder.jvm.JvmMemoryMetrics;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import io.stoa.metrics.CacheMeters;
import io.stoa.metrics.ClientMeters;
import io.stoa.metrics.FeedMeters;
import io.stoa.metrics.MaintenanceMeters;
import io.stoa.metrics.ProxyNumbers;
import io.stoa.metrics.ResultMeters;
import io.stoa.metrics.SharingClassMeters;
import io.stoa.metrics.TlsMeters;
import io.stoa.metrics.UpstreamMeters;
import io.stoa.metrics.WindowMeters;
import io.stoa.net.tls.TlsContext;
import java.util.List;
import java.util.function.Supplier;

/** The metrics of Stoa and of its JVM in the format of Prometheus. Threading: thread-safe. */
final class Metrics implements AutoCloseable {
  /** The content type of {@link #scrape}. */
  static final String CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8";

  private final PrometheusMeterRegistry registry =
      new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
  private final JvmGcMetrics collector = new JvmGcMetrics();
  private final ProxyNumbers numbers;
  private final FeedMeters feeds;
  private final ResultMeters results;

  /**
   * Registers all metrics.
   *
   * @param certificates reads the state of the certificate files of the management listener
   */
  Metrics(ManagementSource source, Supplier<List<TlsContext.Status>> certificates) {
    numbers = new ProxyNumbers(source.counters(), source.status());
    new ProcessMeters().bindTo(registry); // its filter must precede all meters
    new ClientMeters(numbers).bindTo(registry);
    results = new ResultMeters(numbers);
    results.bindTo(registry);
    registry.getPrometheusRegistry().register(new LatencyCollector(source.counters().latencies()));
    registry
        .getPrometheusRegistry()
        .register(new DigestCollector(() -> source.digests().apply(DigestCollector.MAX_PATTERNS)));
    new CacheMeters(numbers).bindTo(registry);
    new TlsMeters(numbers, certificates).bindTo(registry);
    new UpstreamMeters(numbers, source.servers()).bindTo(registry);
    new WindowMeters(numbers).bindTo(registry);
    feeds = new FeedMeters(numbers);
    feeds.bindTo(registry);
    new MaintenanceMeters(numbers).bindTo(registry);
    new SharingClassMeters(numbers).bindTo(registry);
    new JvmMemoryMetrics().bindTo(registry);
    collector.bindTo(registry);
  }

  /** Returns all metrics in Prometheus' text format. */
  String scrape() {
    numbers.refresh();
    feeds.bindTo(registry);
    results.bindTo(registry);
    return registry.scrape();
  }

  @Override
  public void close() {
    collector.close();
    registry.close();
  }
}
