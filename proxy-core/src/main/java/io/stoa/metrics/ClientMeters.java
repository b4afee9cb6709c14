// SPDX-License-Identifier: Apache-2.0
package io.stoa.metrics;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.binder.MeterBinder;
import io.stoa.ldap.protocol.ProtocolError;
import io.stoa.net.peer.ClientTlsFailure;
import io.stoa.net.peer.TlsStart;
import io.stoa.operation.OperationCounters;
import io.stoa.operation.Rejection;
import io.stoa.operation.event.ClientEvent;
import io.stoa.operation.event.ClientTimeout;
import io.stoa.operation.event.LogKind;
import io.stoa.operation.event.QuotaLimit;
import java.util.Locale;
import java.util.function.ToDoubleFunction;

/**
 * Binds the metrics of clients and their operations.
 *
 * <p>Threading: immutable.
 */
public record ClientMeters(ProxyNumbers numbers) implements MeterBinder {
  @Override
  public void bindTo(MeterRegistry registry) {
    bindConnections(registry);
    bindOperations(registry);
    count(registry, ProxyMeters.ENTRIES_SENT, ClientEvent.ENTRY_SENT);
    count(registry, ProxyMeters.REFERENCES_SENT, ClientEvent.REFERENCE_SENT);
    count(registry, ProxyMeters.OCTETS_SENT, ClientEvent.OCTET_SENT);
    for (LogKind log : LogKind.values()) {
      ProxyMeters.LOG_EVENTS.bind(
          registry, log.word(), numbers, n -> n.counters().logged().get(log));
      ProxyMeters.LOG_DROPPED.bind(
          registry, log.word(), numbers, n -> n.counters().logDrops().get(log));
    }
  }

  private void bindConnections(MeterRegistry registry) {
    gauge(registry, ProxyMeters.READY, status -> status.ready() ? 1 : 0);
    gauge(registry, ProxyMeters.EVENT_LOOPS, ProxyStatus::eventLoops);
    gauge(registry, ProxyMeters.CONNECTIONS, ProxyStatus::connections);
    gauge(registry, ProxyMeters.CONNECTIONS_MAX, ProxyStatus::maxConnections);
    gauge(registry, ProxyMeters.READ_WAITERS, ProxyStatus::readWaiters);
    gauge(registry, ProxyMeters.WRITE_WAITERS, ProxyStatus::writeWaiters);
    gauge(registry, ProxyMeters.REQUEST_MEMORY, ProxyStatus::requestMemory);
    count(registry, ProxyMeters.CONNECTIONS_SHED, ClientEvent.REQUEST_GIVEN_UP);
    count(registry, ProxyMeters.CONNECTIONS_OPENED, ClientEvent.CONNECTION_OPENED);
    count(registry, ProxyMeters.CONNECTIONS_REFUSED, ClientEvent.CONNECTION_REFUSED);
    count(registry, ProxyMeters.CONNECTIONS_EVICTED, ClientEvent.IDLE_CLIENT_DISCONNECTED);
    count(registry, ProxyMeters.CONNECTIONS_THROTTLED, ClientEvent.THROTTLED);
    count(registry, ProxyMeters.SASL_BINDS, ClientEvent.SASL_BOUND);
    count(registry, ProxyMeters.TUNNELS, ClientEvent.TUNNELLED);
    count(registry, ProxyMeters.CONNECTIONS_PASSED_THROUGH, ClientEvent.PASSED_THROUGH);
    bindTls(registry);
    for (QuotaLimit limit : QuotaLimit.values()) {
      count(registry, ProxyMeters.LIMITS_REFUSED, limit, c -> c.limits().get(limit));
    }
    for (ClientTimeout reason : ClientTimeout.values()) {
      count(registry, ProxyMeters.CONNECTIONS_TIMED_OUT, reason, c -> c.timeouts().get(reason));
    }
    for (ProtocolError reason : ProtocolError.values()) {
      count(registry, ProxyMeters.PROTOCOL_ERRORS, reason, c -> c.protocolErrors().get(reason));
    }
  }

  private void bindTls(MeterRegistry registry) {
    for (TlsStart start : TlsStart.values()) {
      count(registry, ProxyMeters.TLS_HANDSHAKES, start, c -> c.handshakes().get(start));
    }
    for (ClientTlsFailure reason : ClientTlsFailure.values()) {
      count(registry, ProxyMeters.TLS_FAILURES, reason, c -> c.tlsFailures().get(reason));
    }
  }

  private void bindOperations(MeterRegistry registry) {
    for (OperationKind kind : OperationKind.values()) {
      count(registry, ProxyMeters.OPERATIONS_RECEIVED, kind, c -> c.received().get(kind.request()));
      count(
          registry, ProxyMeters.OPERATIONS_COMPLETED, kind, c -> c.completed().get(kind.request()));
    }
    for (Rejection reason : Rejection.values()) {
      count(registry, ProxyMeters.OPERATIONS_REJECTED, reason, c -> c.rejections().get(reason));
    }
    gauge(registry, ProxyMeters.OPERATIONS_IN_FLIGHT, ProxyStatus::operationsInFlight);
    gauge(registry, ProxyMeters.OPERATIONS_QUEUED, ProxyStatus::queued);
    gauge(registry, ProxyMeters.OPERATIONS_QUEUED_MAX, ProxyStatus::queueLimit);
  }

  private void gauge(
      MeterRegistry registry, ProxyMeters meter, ToDoubleFunction<ProxyStatus> value) {
    meter.bind(registry, numbers, n -> value.applyAsDouble(n.status()));
  }

  private void count(MeterRegistry registry, ProxyMeters meter, ClientEvent event) {
    meter.bind(registry, numbers.counters(), c -> c.events().get(event));
  }

  private void count(
      MeterRegistry registry,
      ProxyMeters meter,
      Enum<?> constant,
      ToDoubleFunction<OperationCounters> value) {
    meter.bind(registry, constant.name().toLowerCase(Locale.ROOT), numbers.counters(), value);
  }
}
