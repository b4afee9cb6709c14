// SPDX-License-Identifier: Apache-2.0
package io.stoa.metrics;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.binder.MeterBinder;
import io.stoa.net.tls.TlsContext;
import java.time.Instant;
import java.util.function.ToLongFunction;
import java.util.stream.Stream;

/**
 * Binds the metrics of TLS certificates.
 *
 * <p>Threading: immutable.
 */
public record TlsMeters(ProxyNumbers numbers) implements MeterBinder {
  @Override
  public void bindTo(MeterRegistry registry) {
    bindExpiry(registry, "clients", true);
    bindExpiry(registry, "servers", false);
    bindReloads(registry, "success", TlsContext.Status::reloads);
    bindReloads(registry, "failure", TlsContext.Status::failures);
  }

  private void bindExpiry(MeterRegistry registry, String shownTo, boolean ofListeners) {
    ProxyMeters.TLS_CERTIFICATE_EXPIRY.bind(
        registry, shownTo, numbers, n -> expiry(n.status(), ofListeners));
  }

  private void bindReloads(
      MeterRegistry registry, String outcome, ToLongFunction<TlsContext.Status> count) {
    ProxyMeters.TLS_CERTIFICATE_RELOADS.bind(
        registry, outcome, numbers, n -> n.status().tls().stream().mapToLong(count).sum());
  }

  /** Returns the expiry in seconds since 1970; NaN if there is no certificate. */
  private static double expiry(ProxyStatus status, boolean ofListeners) {
    return status.tls().stream()
        .filter(tls -> tls.ofListeners() == ofListeners)
        .flatMap(tls -> Stream.ofNullable(tls.expires()))
        .mapToDouble(Instant::getEpochSecond)
        .min()
        .orElse(Double.NaN);
  }
}
