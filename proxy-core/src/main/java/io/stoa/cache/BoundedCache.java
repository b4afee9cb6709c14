// SPDX-License-Identifier: Apache-2.0
package io.stoa.cache;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import com.github.benmanes.caffeine.cache.RemovalCause;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.BiFunction;
import java.util.function.Predicate;
import java.util.function.ToIntBiFunction;
import org.jspecify.annotations.Nullable;

/**
 * A cache that is bounded by entries and by octets at once. Caffeine knows one bound, the weight:
 * where each entry weighs at least its share of the octets, no more entries fit than there may be.
 * Thread-safe.
 */
final class BoundedCache<K, V> {
  private final Cache<K, V> cache;
  private final ToIntBiFunction<K, V> sizes;
  private final int maxEntries;
  private final LongAdder evictions = new LongAdder();
  private final LongAdder bytes = new LongAdder();

  /**
   * Makes an empty cache.
   *
   * @param maxEntries most entries; 0 keeps none
   * @param maxBytes most octets
   * @param sizes what an entry takes, in octets
   */
  BoundedCache(int maxEntries, long maxBytes, ToIntBiFunction<K, V> sizes) {
    this.maxEntries = maxEntries;
    this.sizes = sizes;
    // A weight is an int: more octets for each entry than that would be of no use.
    long most = Math.min(maxBytes, (long) maxEntries * Integer.MAX_VALUE);
    int least = maxEntries == 0 ? 1 : (int) ((most + maxEntries - 1) / maxEntries);
    this.cache =
        Caffeine.newBuilder()
            .maximumWeight(most)
            .<K, V>weigher((key, value) -> Math.max(sizes.applyAsInt(key, value), least))
            .executor(Runnable::run)
            .<K, V>removalListener(this::removed)
            .build();
  }

  private void removed(@Nullable K key, @Nullable V value, RemovalCause cause) {
    if (key != null && value != null) {
      bytes.add(-sizes.applyAsInt(key, value));
    }
    if (cause.wasEvicted()) {
      evictions.increment();
    }
  }

  @Nullable V get(K key) {
    return cache.getIfPresent(key);
  }

  void put(K key, V value) {
    if (maxEntries > 0) {
      cache.put(key, value);
      bytes.add(sizes.applyAsInt(key, value));
    }
  }

  /** Replaces what is stored by what the function makes of it; atomic. */
  @Nullable V compute(K key, BiFunction<K, @Nullable V, V> change) {
    return maxEntries == 0
        ? null
        : cache.asMap().compute(key, (known, value) -> weighed(known, value, change));
  }

  private V weighed(K key, @Nullable V old, BiFunction<K, @Nullable V, V> change) {
    V value = change.apply(key, old);
    if (value != old) {
      bytes.add(sizes.applyAsInt(key, value));
    }
    return value;
  }

  /** Drops what is of no use any more. */
  void removeIf(Predicate<V> useless) {
    cache.asMap().values().removeIf(useless);
  }

  long count() {
    return cache.estimatedSize();
  }

  int maxEntries() {
    return maxEntries;
  }

  /** What the entries take, in octets. */
  long bytes() {
    return bytes.sum();
  }

  long evictions() {
    return evictions.sum();
  }
}
