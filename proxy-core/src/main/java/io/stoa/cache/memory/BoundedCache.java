// SPDX-License-Identifier: Apache-2.0
package io.stoa.cache.memory;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import com.github.benmanes.caffeine.cache.RemovalCause;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.BiFunction;
import java.util.function.BiPredicate;
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.function.ToIntBiFunction;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * A cache that is bounded by entries and by octets at once. Caffeine knows one bound, the weight:
 * where each entry weighs at least its share of the octets, no more entries fit than there may be.
 * Thread-safe.
 */
public final class BoundedCache<K, V> {
  private final ToIntBiFunction<K, V> sizes;
  private final Consumer<V> gone;
  private final LongAdder evictions = new LongAdder();
  private volatile Held<K, V> held;

  /**
   * What is stored, and its bounds. Thread-safe.
   *
   * @param bytes what the entries take, in octets
   */
  private record Held<K, V>(Cache<K, V> cache, int maxEntries, long maxBytes, LongAdder bytes) {}

  /** Makes an empty cache; nobody is told what is kept no more. */
  public BoundedCache(int maxEntries, long maxBytes, ToIntBiFunction<K, V> sizes) {
    this(maxEntries, maxBytes, sizes, any -> {});
  }

  /**
   * Makes an empty cache.
   *
   * @param maxEntries most entries; 0 keeps none
   * @param maxBytes most octets
   * @param sizes what an entry takes, in octets
   * @param gone is told what is kept no more, on any thread
   */
  public BoundedCache(
      int maxEntries, long maxBytes, ToIntBiFunction<K, V> sizes, Consumer<V> gone) {
    this.sizes = sizes;
    this.gone = gone;
    this.held = empty(maxEntries, maxBytes);
  }

  private Held<K, V> empty(int maxEntries, long maxBytes) {
    // A weight is an int: more octets for each entry than that would be of no use.
    long most = Math.min(maxBytes, (long) maxEntries * Integer.MAX_VALUE);
    int least = maxEntries == 0 ? 1 : (int) ((most + maxEntries - 1) / maxEntries);
    LongAdder bytes = new LongAdder();
    Cache<K, V> cache =
        Caffeine.newBuilder()
            .maximumWeight(most)
            .<K, V>weigher((key, value) -> Math.max(sizes.applyAsInt(key, value), least))
            .executor(Runnable::run)
            .<K, V>removalListener((key, value, cause) -> removed(bytes, key, value, cause))
            .build();
    return new Held<>(cache, maxEntries, maxBytes, bytes);
  }

  private void removed(LongAdder bytes, @Nullable K key, @Nullable V value, RemovalCause cause) {
    if (key != null && value != null) {
      bytes.add(-sizes.applyAsInt(key, value));
    }
    if (value != null) {
      gone.accept(value);
    }
    if (cause.wasEvicted()) {
      evictions.increment();
    }
  }

  /**
   * Keeps what was used last, as much of it as the bounds allow. What others store at this very
   * moment may be lost, as from any cache.
   */
  public synchronized void bounds(int maxEntries, long maxBytes) {
    Held<K, V> old = held;
    if (old.maxEntries() == maxEntries && old.maxBytes() == maxBytes) {
      return;
    }
    Held<K, V> next = empty(maxEntries, maxBytes);
    List<Map.Entry<K, V>> hottest =
        old.cache()
            .policy()
            .eviction()
            .map(eviction -> new ArrayList<>(eviction.hottest(maxEntries).entrySet()))
            .orElseGet(ArrayList::new);
    Collections.reverse(hottest);
    hottest.forEach(entry -> put(next, entry.getKey(), entry.getValue()));
    next.cache().cleanUp();
    evictions.add(Math.max(0, old.cache().estimatedSize() - hottest.size()));
    held = next;
    Map<K, V> kept = next.cache().asMap();
    old.cache().asMap().forEach((key, value) -> left(kept, key, value));
  }

  private void left(Map<K, V> kept, K key, V value) {
    if (kept.get(key) != value) {
      gone.accept(value);
    }
  }

  /** What is stored under a key; null if nothing is. */
  public @Nullable V get(K key) {
    return held.cache().getIfPresent(key);
  }

  /** Stores, in the place of what was there. */
  public void put(K key, V value) {
    put(held, key, value);
  }

  private void put(Held<K, V> now, K key, V value) {
    if (now.maxEntries() > 0) {
      now.cache().put(key, value);
      now.bytes().add(sizes.applyAsInt(key, value));
    }
  }

  /** Replaces what is stored by what the function makes of it; atomic. */
  public @Nullable V compute(K key, BiFunction<K, @Nullable V, V> change) {
    Held<K, V> now = held;
    return now.maxEntries() == 0
        ? null
        : now.cache()
            .asMap()
            .compute(key, (known, value) -> weighed(now.bytes(), known, value, change));
  }

  private V weighed(LongAdder bytes, K key, @Nullable V old, BiFunction<K, @Nullable V, V> change) {
    V value = change.apply(key, old);
    if (value != old) {
      bytes.add(sizes.applyAsInt(key, value));
    }
    return value;
  }

  /**
   * Replaces what is stored, if something is, by what the function makes of it; atomic. Who is told
   * what is kept no more is told of what is replaced, too.
   *
   * @return what is stored now; null if nothing is
   */
  public @Nullable V replace(K key, UnaryOperator<V> change) {
    Held<K, V> now = held;
    return now.cache()
        .asMap()
        .computeIfPresent(
            key,
            (known, value) ->
                weighed(now.bytes(), known, value, (same, old) -> change.apply(value)));
  }

  /** The same without being used: it is dropped as early as before. */
  public @Nullable V peek(K key) {
    return held.cache().policy().getIfPresentQuietly(key);
  }

  /**
   * Drops what is stored now and matches, whatever is stored in its place meanwhile.
   *
   * @return how many there were
   */
  public synchronized long drop(BiPredicate<K, V> matching) {
    Map<K, V> now = held.cache().asMap();
    List<K> keys = new ArrayList<>();
    now.forEach(
        (key, value) -> {
          if (matching.test(key, value)) {
            keys.add(key);
          }
        });
    return keys.stream().filter(key -> now.remove(key) != null).count();
  }

  /** Drops what is stored under a key, if it matches. */
  public void removeIf(K key, Predicate<V> matching) {
    held.cache()
        .asMap()
        .computeIfPresent(key, (same, value) -> matching.test(value) ? null : value);
  }

  /** What is stored now, one after the other; what changes meanwhile may be among it, or not. */
  public Iterator<Map.Entry<K, V>> each() {
    return held.cache().asMap().entrySet().iterator();
  }

  /** Drops what is of no use any more. */
  public void removeIf(Predicate<V> useless) {
    held.cache().asMap().values().removeIf(useless);
  }

  /** Entries, about. */
  public long count() {
    return held.cache().estimatedSize();
  }

  /** Most entries. */
  public int maxEntries() {
    return held.maxEntries();
  }

  /** What the entries take, in octets. */
  public long bytes() {
    return held.bytes().sum();
  }

  /** What was dropped for lack of room, since the start. */
  public long evictions() {
    return evictions.sum();
  }
}
