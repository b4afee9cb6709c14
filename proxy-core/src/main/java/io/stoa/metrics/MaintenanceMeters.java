// SPDX-License-Identifier: Apache-2.0
package io.stoa.metrics;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.binder.MeterBinder;
import io.stoa.cache.maintenance.MaintenanceStatus;
import java.util.function.ToDoubleFunction;

/**
 * Binds the metrics of cache maintenance: refresh-ahead and audit.
 *
 * <p>Threading: immutable.
 */
public record MaintenanceMeters(ProxyNumbers numbers) implements MeterBinder {
  private static final String ENDLESS = "more";

  @Override
  public void bindTo(MeterRegistry registry) {
    bind(registry, ProxyMeters.REFRESHES, MaintenanceStatus::refills);
    bind(registry, ProxyMeters.REFRESHES_DROPPED, MaintenanceStatus::refillsDropped);
    bind(registry, ProxyMeters.REFRESHES_WITHOUT_CLIENT, MaintenanceStatus::refillsWithoutClient);
    bind(registry, ProxyMeters.AUDIT_VERIFIED, MaintenanceStatus::verified);
    bind(registry, ProxyMeters.AUDIT_UNVERIFIABLE, MaintenanceStatus::unverifiable);
    bind(registry, ProxyMeters.AUDIT_UNDECIDED, MaintenanceStatus::undecided);
    bind(registry, ProxyMeters.INCOHERENT, MaintenanceStatus::incoherent);
    for (int i = 0; i <= MaintenanceStatus.STALENESS.size(); i++) {
      int bucket = i;
      boolean last = i == MaintenanceStatus.STALENESS.size();
      ProxyMeters.AUDIT_BEHIND.bind(
          registry,
          last ? ENDLESS : MaintenanceStatus.STALENESS.get(i).toString(),
          numbers,
          now -> now.status().maintenance().staleness().get(bucket));
    }
  }

  private void bind(
      MeterRegistry registry, ProxyMeters meter, ToDoubleFunction<MaintenanceStatus> value) {
    meter.bind(registry, numbers, now -> value.applyAsDouble(now.status().maintenance()));
  }
}
