// SPDX-License-Identifier: Apache-2.0
package io.stoa.metrics;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.binder.MeterBinder;
import io.stoa.cache.result.CacheStats;
import io.stoa.operation.event.ClientEvent;
import java.util.function.ToDoubleFunction;

/**
 * Binds the metrics of the caches.
 *
 * <p>Threading: immutable.
 */
public record CacheMeters(ProxyNumbers numbers) implements MeterBinder {
  @Override
  public void bindTo(MeterRegistry registry) {
    bind(registry, ProxyMeters.CACHE_ENABLED, cache -> cache.enabled() ? 1 : 0);
    bindLookups(registry);
    bindContent(registry);
    bind(registry, ProxyMeters.CACHE_FILLS, CacheStats::fills);
    bind(registry, ProxyMeters.CACHE_FILLS_DISCARDED, CacheStats::fillsDiscarded);
    bind(registry, ProxyMeters.CACHE_JOINED, CacheStats::joined);
    bind(registry, ProxyMeters.CACHE_STALE, CacheStats::staleServed);
    bind(registry, ProxyMeters.CACHE_EVICTIONS, CacheStats::evictions);
    bind(registry, ProxyMeters.CACHE_INVALIDATIONS, CacheStats::invalidations);
    ProxyMeters.CACHE_FILLS_IN_FLIGHT.bind(registry, numbers, n -> n.status().fillsInFlight());
  }

  private void bindLookups(MeterRegistry registry) {
    bind(registry, ProxyMeters.FILTER_CACHE_HITS, CacheStats::filterHits);
    bind(registry, ProxyMeters.FILTER_CACHE_MISSES, CacheStats::filterMisses);
    bind(registry, ProxyMeters.ENTRY_CACHE_HITS, CacheStats::entryHits);
    bind(registry, ProxyMeters.ENTRY_CACHE_MISSES, CacheStats::entryMisses);
    bind(registry, ProxyMeters.COMPARE_CACHE_HITS, CacheStats::compareHits);
    bind(registry, ProxyMeters.COMPARE_CACHE_MISSES, CacheStats::compareMisses);
    ProxyMeters.SEARCHES_BYPASSED.bind(
        registry,
        numbers,
        n -> n.status().cache().bypassed() + n.counters().events().get(ClientEvent.OWN_SEARCH));
    ProxyMeters.SEARCHES_MALFORMED.bind(
        registry, numbers.counters(), c -> c.events().get(ClientEvent.MALFORMED_SEARCH));
  }

  private void bindContent(MeterRegistry registry) {
    bind(registry, ProxyMeters.FILTER_CACHE_RESULTS, CacheStats::filterCurrent);
    bind(registry, ProxyMeters.FILTER_CACHE_RESULTS_MAX, CacheStats::filterSize);
    bind(registry, ProxyMeters.ENTRY_CACHE_ENTRIES, CacheStats::entryCurrent);
    bind(registry, ProxyMeters.ENTRY_CACHE_ENTRIES_MAX, CacheStats::entrySize);
    bind(registry, ProxyMeters.CACHE_MEMORY, CacheStats::bytes);
    bind(registry, ProxyMeters.CACHE_MEMORY_MAX, CacheStats::maxBytes);
  }

  private void bind(MeterRegistry registry, ProxyMeters meter, ToDoubleFunction<CacheStats> value) {
    meter.bind(registry, numbers, n -> value.applyAsDouble(n.status().cache()));
  }
}
