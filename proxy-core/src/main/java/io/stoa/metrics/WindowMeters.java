// SPDX-License-Identifier: Apache-2.0
package io.stoa.metrics;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.binder.MeterBinder;
import io.stoa.write.WindowStatus;
import java.util.function.ToDoubleFunction;

/**
 * Binds the metrics of the write windows. The set of windows is fixed at the start.
 *
 * <p>Threading: immutable.
 */
public record WindowMeters(ProxyNumbers numbers) implements MeterBinder {
  @Override
  public void bindTo(MeterRegistry registry) {
    numbers.status().windows().forEach(window -> bindWindow(registry, window.config().name()));
  }

  private void bindWindow(MeterRegistry registry, String name) {
    bind(registry, ProxyMeters.WINDOW_WAITING, name, WindowStatus::waiting);
    bind(registry, ProxyMeters.WINDOW_PAUSED, name, window -> window.paused() ? 1 : 0);
    bind(registry, ProxyMeters.WINDOW_CLOSED, name, WindowStatus::closed);
    bind(registry, ProxyMeters.WINDOW_OPERATIONS, name, WindowStatus::operations);
    bind(registry, ProxyMeters.WINDOW_TRANSACTIONAL, name, WindowStatus::transactional);
    bind(registry, ProxyMeters.WINDOW_ABORTED, name, WindowStatus::aborted);
    bind(registry, ProxyMeters.WINDOW_DROPPED, name, WindowStatus::dropped);
  }

  private void bind(
      MeterRegistry registry,
      ProxyMeters meter,
      String name,
      ToDoubleFunction<WindowStatus> value) {
    meter.bind(
        registry,
        name,
        numbers,
        now ->
            now.status().windows().stream()
                .filter(window -> window.config().name().equals(name))
                .mapToDouble(value)
                .sum());
  }
}
