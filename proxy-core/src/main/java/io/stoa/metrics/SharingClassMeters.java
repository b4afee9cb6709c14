// SPDX-License-Identifier: Apache-2.0
package io.stoa.metrics;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.binder.MeterBinder;
import io.stoa.cache.sharing.ClassStatus;
import java.util.function.ToDoubleFunction;

/**
 * Binds the metrics of the declared sharing classes. The set of classes is fixed at the start.
 *
 * <p>Threading: immutable.
 */
public record SharingClassMeters(ProxyNumbers numbers) implements MeterBinder {
  @Override
  public void bindTo(MeterRegistry registry) {
    numbers.status().cache().classes().forEach(one -> bindClass(registry, one.name()));
  }

  private void bindClass(MeterRegistry registry, String name) {
    bind(registry, ProxyMeters.CLASS_DEMOTED, name, one -> one.demoted() ? 1 : 0);
    bind(registry, ProxyMeters.CLASS_MEMBERS, name, ClassStatus::members);
    bind(registry, ProxyMeters.CLASS_SUSPENDED, name, ClassStatus::suspended);
    bind(registry, ProxyMeters.CLASS_HITS, name, ClassStatus::hits);
    bind(registry, ProxyMeters.CLASS_SAMPLES, name, ClassStatus::samples);
    bind(registry, ProxyMeters.CLASS_DIFFERENCES, name, ClassStatus::differences);
    bind(registry, ProxyMeters.CLASS_DEMOTIONS, name, ClassStatus::demotions);
  }

  private void bind(
      MeterRegistry registry, ProxyMeters meter, String name, ToDoubleFunction<ClassStatus> value) {
    meter.bind(
        registry,
        name,
        numbers,
        now ->
            now.status().cache().classes().stream()
                .filter(one -> one.name().equals(name))
                .mapToDouble(value)
                .sum());
  }
}
