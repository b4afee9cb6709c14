// SPDX-License-Identifier: Apache-2.0
package io.stoa.metrics;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.binder.MeterBinder;
import io.stoa.net.tls.TlsContext;
import java.time.Instant;
import java.util.List;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.function.ToLongFunction;
import java.util.stream.Stream;

/**
 * Binds the metrics of TLS certificates.
 *
 * <p>Threading: immutable.
 *
 * @param management reads the state of the certificate files of the management listener
 */
public record TlsMeters(ProxyNumbers numbers, Supplier<List<TlsContext.Status>> management)
    implements MeterBinder {
  @Override
  public void bindTo(MeterRegistry registry) {
    bindExpiry(registry, "clients", n -> of(n.status(), true));
    bindExpiry(registry, "servers", n -> of(n.status(), false));
    bindExpiry(registry, "monitoring", n -> management.get().stream());
    bindReloads(registry, "success", TlsContext.Status::reloads);
    bindReloads(registry, "failure", TlsContext.Status::failures);
  }

  private void bindExpiry(
      MeterRegistry registry,
      String shownTo,
      Function<ProxyNumbers, Stream<TlsContext.Status>> files) {
    ProxyMeters.TLS_CERTIFICATE_EXPIRY.bind(
        registry, shownTo, numbers, n -> expiry(files.apply(n)));
  }

  private static Stream<TlsContext.Status> of(ProxyStatus status, boolean ofListeners) {
    return status.tls().stream().filter(tls -> tls.ofListeners() == ofListeners);
  }

  private void bindReloads(
      MeterRegistry registry, String outcome, ToLongFunction<TlsContext.Status> count) {
    ProxyMeters.TLS_CERTIFICATE_RELOADS.bind(
        registry,
        outcome,
        numbers,
        n ->
            Stream.concat(n.status().tls().stream(), management.get().stream())
                .mapToLong(count)
                .sum());
  }

  /** Returns the expiry in seconds since 1970; NaN if there is no certificate. */
  private static double expiry(Stream<TlsContext.Status> files) {
    return files
        .flatMap(tls -> Stream.ofNullable(tls.expires()))
        .mapToDouble(Instant::getEpochSecond)
        .min()
        .orElse(Double.NaN);
  }
}
