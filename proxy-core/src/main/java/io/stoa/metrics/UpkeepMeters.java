// SPDX-License-Identifier: Apache-2.0
package io.stoa.metrics;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.binder.MeterBinder;
import io.stoa.cache.maintenance.UpkeepStatus;
import java.util.function.ToDoubleFunction;

/**
 * Binds the metrics of cache maintenance: refresh-ahead and audit.
 *
 * <p>Threading: immutable.
 */
public record UpkeepMeters(ProxyNumbers numbers) implements MeterBinder {
  private static final String ENDLESS = "more";

  @Override
  public void bindTo(MeterRegistry registry) {
    bind(registry, ProxyMeters.REFRESHES, UpkeepStatus::refills);
    bind(registry, ProxyMeters.REFRESHES_DROPPED, UpkeepStatus::refillsDropped);
    bind(registry, ProxyMeters.REFRESHES_ALONE, UpkeepStatus::refillsAlone);
    bind(registry, ProxyMeters.AUDIT_VERIFIED, UpkeepStatus::verified);
    bind(registry, ProxyMeters.AUDIT_UNVERIFIABLE, UpkeepStatus::unverifiable);
    bind(registry, ProxyMeters.AUDIT_UNDECIDED, UpkeepStatus::undecided);
    bind(registry, ProxyMeters.INCOHERENT, UpkeepStatus::incoherent);
    for (int i = 0; i <= UpkeepStatus.STALENESS.size(); i++) {
      int bucket = i;
      boolean last = i == UpkeepStatus.STALENESS.size();
      ProxyMeters.AUDIT_BEHIND.bind(
          registry,
          last ? ENDLESS : UpkeepStatus.STALENESS.get(i).toString(),
          numbers,
          now -> now.status().upkeep().staleness().get(bucket));
    }
  }

  private void bind(
      MeterRegistry registry, ProxyMeters meter, ToDoubleFunction<UpkeepStatus> value) {
    meter.bind(registry, numbers, now -> value.applyAsDouble(now.status().upkeep()));
  }
}
