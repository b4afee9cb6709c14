// SPDX-License-Identifier: Apache-2.0
package io.stoa.metrics;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.binder.MeterBinder;
import io.stoa.upstream.server.BackendState;
import io.stoa.upstream.server.BackendStatus;
import io.stoa.upstream.server.ServerAddress;
import java.util.List;
import java.util.function.ToDoubleFunction;

/**
 * Binds the metrics of the directory servers.
 *
 * <p>Threading: immutable.
 *
 * @param servers the configured servers. Only these become tag values: servers that DNS names for a
 *     domain have no metrics of their own.
 */
public record UpstreamMeters(ProxyNumbers numbers, List<ServerAddress> servers)
    implements MeterBinder {
  private static final double MILLIS = 1000;

  public UpstreamMeters {
    servers = servers.stream().filter(server -> !server.isDomain()).toList();
  }

  @Override
  public void bindTo(MeterRegistry registry) {
    servers.forEach(server -> bindServer(registry, server));
    ProxyMeters.UNREPLICATED_WRITES.bind(registry, numbers, n -> n.status().unreplicatedWrites());
  }

  private void bindServer(MeterRegistry registry, ServerAddress server) {
    bind(registry, ProxyMeters.UPSTREAM_UP, server, b -> b.state() == BackendState.UP ? 1 : 0);
    bind(registry, ProxyMeters.UPSTREAM_STATE, server, b -> b.state().code());
    bind(registry, ProxyMeters.UPSTREAM_WEIGHT, server, BackendStatus::weight);
    bind(registry, ProxyMeters.UPSTREAM_LATENCY, server, b -> b.latencyMillis() / MILLIS);
    bind(registry, ProxyMeters.UPSTREAM_EJECTIONS, server, BackendStatus::ejections);
    bind(registry, ProxyMeters.UPSTREAM_CONNECTIONS, server, BackendStatus::connections);
    bind(registry, ProxyMeters.UPSTREAM_CONNECTIONS_LOST, server, BackendStatus::connectionsLost);
    bind(registry, ProxyMeters.UPSTREAM_OUTSTANDING, server, BackendStatus::outstanding);
    bind(registry, ProxyMeters.UPSTREAM_OPERATIONS, server, BackendStatus::operations);
    bind(registry, ProxyMeters.UPSTREAM_BINDS, server, BackendStatus::binds);
    bindReplica(registry, server);
    bindLoad(registry, server);
  }

  private void bindLoad(MeterRegistry registry, ServerAddress server) {
    bind(registry, ProxyMeters.UPSTREAM_CAP, server, b -> b.places().cap());
    bind(registry, ProxyMeters.UPSTREAM_CAP_DECREASES, server, b -> b.places().decreases());
    bind(registry, ProxyMeters.UPSTREAM_CONNECTION_CAP, server, b -> b.places().ofConnection());
    bind(registry, ProxyMeters.UPSTREAM_WAITING, server, b -> b.places().waiting());
    bind(registry, ProxyMeters.UPSTREAM_HEDGES, server, b -> b.hedges().sent());
    bind(registry, ProxyMeters.UPSTREAM_HEDGES_WON, server, b -> b.hedges().won());
  }

  private void bindReplica(MeterRegistry registry, ServerAddress server) {
    bind(registry, ProxyMeters.UPSTREAM_LAG, server, b -> b.replica().lagMillis() / MILLIS);
    bind(registry, ProxyMeters.UPSTREAM_BEHIND, server, b -> b.replica().behind() ? 1 : 0);
    bind(registry, ProxyMeters.UPSTREAM_UNCOVERED, server, b -> b.replica().uncovered());
  }

  private void bind(
      MeterRegistry registry,
      ProxyMeters meter,
      ServerAddress server,
      ToDoubleFunction<BackendStatus> value) {
    meter.bind(registry, server.toString(), numbers, n -> read(n, server, value));
  }

  /** Returns 0 until the proxy has started. */
  private static double read(
      ProxyNumbers numbers, ServerAddress server, ToDoubleFunction<BackendStatus> value) {
    return numbers.status().backends().stream()
        .filter(backend -> backend.address().equals(server))
        .mapToDouble(value)
        .findFirst()
        .orElse(0);
  }
}
