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
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.BiFunction;
import java.util.function.BiPredicate;
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.function.ToIntBiFunction;
import java.util.function.ToIntFunction;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * A cache that is bounded by entries, by their parts and by octets at once. Caffeine has one bound,
 * the weight. Here each entry, and each part of one, weighs at least its share of the octets. So
 * their numbers are bounded too.
 *
 * <p>Octets for each entry: 72, and 5 to 11 for its place in the table. They are a node of Caffeine
 * (40), which also links the order of eviction, and a node of its hash table (32). The key and the
 * value come on top.
 *
 * <p>Invariants:
 *
 * <ol>
 *   <li>Each stored value reaches the removal listener at least once, when it is evicted, removed
 *       or replaced.
 *   <li>{@link #bytes} is the sum of the sizes of the stored entries, except during a change of
 *       them. {@link #onResized} reports a stored value whose size has changed.
 *   <li>The weights of all entries are at most the bound, after the maintenance that an insertion
 *       or {@link #onResized} begins.
 *   <li>Entries that are stored during a change of the bounds do not stay in the former contents.
 * </ol>
 *
 * <p>Threading: thread-safe.
 */
public final class BoundedCache<K, V> {
  /** Share of the octets by which the reserve changes: a 64th. */
  private static final int RESERVE_STEPS = 64;

  /** Uses of an entry that count while the whole cache is replaced once: 256. */
  private static final int COUNTED_USES = 256;

  private final ToIntBiFunction<K, V> sizes;
  private final ToIntFunction<V> parts;
  private final Consumer<V> removalListener;
  private final LongAdder evictions = new LongAdder();
  private final AtomicInteger insertions = new AtomicInteger();

  /** Threads may lose an update, which the next insertion repeats. */
  private int useInterval;

  private volatile CacheContents<K, V> contents;

  /**
   * The stored entries and their bounds. Threading: thread-safe.
   *
   * @param bytes size of the entries in octets
   * @param reserved octets that the entries may not take
   */
  private record CacheContents<K, V>(
      Cache<K, V> cache, Bounds bounds, LongAdder bytes, AtomicLong reserved) {
    void reserve(long octets) {
      long step = Math.max(1, bounds.maxWeight() / RESERVE_STEPS);
      long steps = octets / step * step;
      if (reserved.getAndSet(steps) != steps) {
        long rest = Math.max(0, bounds.maxWeight() - steps);
        cache.policy().eviction().ifPresent(eviction -> eviction.setMaximum(rest));
      }
    }
  }

  /**
   * Bounds of a cache.
   *
   * <p>Threading: immutable.
   *
   * @param maxEntries maximum number of entries; 0 keeps none
   * @param maxParts maximum number of parts of all entries; 0 keeps entries without parts only
   * @param maxBytes maximum size in octets
   */
  public record Bounds(int maxEntries, int maxParts, long maxBytes) {
    /** Weight of an entry or a part, if only their numbers are bounded: 1 Mi. */
    private static final long NUMBER_WEIGHT = 1 << 20;

    /**
     * Returns bounds of the numbers of entries and parts, for entries of no size. An entry of more
     * than 2,047 parts weighs as one of 2,047.
     */
    public static Bounds ofNumbers(int maxEntries, int maxParts) {
      return new Bounds(maxEntries, maxParts, Math.min(maxEntries, maxParts) * NUMBER_WEIGHT);
    }

    /** A weight is an int, so more octets for each entry or part would have no effect. */
    private long maxWeight() {
      long fewest = Math.min(maxEntries, maxParts == 0 ? maxEntries : maxParts);
      return Math.min(maxBytes, fewest * Integer.MAX_VALUE);
    }

    private long share(int of) {
      return of == 0 ? maxWeight() + 1 : (maxWeight() + of - 1) / of;
    }

    private int weight(int bytes, int parts) {
      long least = Math.max(maxEntries == 0 ? 1 : share(maxEntries), parts * share(maxParts));
      return (int) Math.min(Integer.MAX_VALUE, Math.max(bytes, least));
    }
  }

  /** Creates an empty cache of a number of entries, whatever their size. */
  public static <K, V> BoundedCache<K, V> ofEntries(int maxEntries) {
    return new BoundedCache<>(
        Bounds.ofNumbers(maxEntries, Integer.MAX_VALUE), (key, value) -> 0, any -> 0, any -> {});
  }

  /** Creates an empty cache of entries without parts, and without a removal listener. */
  public BoundedCache(int maxEntries, long maxBytes, ToIntBiFunction<K, V> sizes) {
    this(maxEntries, maxBytes, sizes, any -> {});
  }

  /** Creates an empty cache of entries without parts. */
  public BoundedCache(
      int maxEntries, long maxBytes, ToIntBiFunction<K, V> sizes, Consumer<V> removalListener) {
    this(new Bounds(maxEntries, 0, maxBytes), sizes, any -> 0, removalListener);
  }

  /**
   * Creates an empty cache.
   *
   * @param sizes size of an entry in octets
   * @param parts number of parts of an entry
   * @param removalListener called with each value that is removed or replaced, on any thread.
   *     During a change of the bounds it may be called twice, or for a value that stays.
   */
  public BoundedCache(
      Bounds bounds,
      ToIntBiFunction<K, V> sizes,
      ToIntFunction<V> parts,
      Consumer<V> removalListener) {
    this.sizes = sizes;
    this.parts = parts;
    this.removalListener = removalListener;
    this.contents = empty(bounds);
  }

  private CacheContents<K, V> empty(Bounds bounds) {
    LongAdder bytes = new LongAdder();
    Cache<K, V> cache =
        Caffeine.newBuilder()
            .maximumWeight(bounds.maxWeight())
            .<K, V>weigher(
                (key, value) ->
                    bounds.weight(sizes.applyAsInt(key, value), parts.applyAsInt(value)))
            .executor(Runnable::run)
            .<K, V>removalListener((key, value, cause) -> onRemoved(bytes, key, value, cause))
            .build();
    return new CacheContents<>(cache, bounds, bytes, new AtomicLong());
  }

  private void onRemoved(LongAdder bytes, @Nullable K key, @Nullable V value, RemovalCause cause) {
    if (value != null) {
      removalListener.accept(value); // its size does not change any more
    }
    if (key != null && value != null) {
      bytes.add(-sizes.applyAsInt(key, value));
    }
    if (cause.wasEvicted()) {
      evictions.increment();
    }
  }

  /**
   * Sets new bounds and keeps the most recently used entries that fit. Entries stored concurrently
   * may be lost, as from any cache.
   */
  public void setBounds(int maxEntries, long maxBytes) {
    setBounds(new Bounds(maxEntries, 0, maxBytes));
  }

  /**
   * Sets new bounds and keeps the most recently used entries that fit. Entries stored concurrently
   * may be lost, as from any cache; the removal listener receives them.
   */
  public synchronized void setBounds(Bounds bounds) {
    CacheContents<K, V> old = contents;
    if (old.bounds().equals(bounds)) {
      return;
    }
    CacheContents<K, V> next = empty(bounds);
    List<Map.Entry<K, V>> hottest =
        old.cache()
            .policy()
            .eviction()
            .map(eviction -> new ArrayList<>(eviction.hottest(bounds.maxEntries()).entrySet()))
            .orElseGet(ArrayList::new);
    Collections.reverse(hottest);
    hottest.forEach(entry -> put(next, entry.getKey(), entry.getValue()));
    next.cache().cleanUp();
    evictions.add(Math.max(0, old.cache().estimatedSize() - hottest.size()));
    contents = next;
    Map<K, V> current = next.cache().asMap();
    old.cache().asMap().forEach((key, value) -> notifyIfGone(current, key, value));
  }

  private void notifyIfGone(Map<K, V> current, K key, V value) {
    if (current.get(key) != value) {
      removalListener.accept(value);
    }
  }

  /**
   * Reserves octets for data that the entries share. The entries then have as much less, in steps
   * of a 64th of the maximum.
   */
  public void reserve(long octets) {
    contents.reserve(octets);
  }

  /** Returns the value of a key, or null. Counts as a use, which delays its eviction. */
  public @Nullable V get(K key) {
    return contents.cache().getIfPresent(key);
  }

  /** Stores a value, and replaces an existing one. */
  public void put(K key, V value) {
    CacheContents<K, V> now = contents;
    put(now, key, value);
    dropIfLate(now, key);
  }

  private void put(CacheContents<K, V> now, K key, V value) {
    if (now.bounds().maxEntries() > 0) {
      now.bytes().add(sizes.applyAsInt(key, value));
      now.cache().put(key, value);
      onInserted(now);
    }
  }

  /**
   * Stores a value unless the key has one or nothing is kept. Takes less memory than {@link
   * #compute}.
   *
   * @return true if the value was stored
   */
  public boolean putIfAbsent(K key, V value) {
    CacheContents<K, V> now = contents;
    if (now.bounds().maxEntries() == 0) {
      return false;
    }
    int size = sizes.applyAsInt(key, value);
    now.bytes().add(size);
    boolean stored = now.cache().asMap().putIfAbsent(key, value) == null;
    if (stored) {
      onInserted(now);
    } else {
      now.bytes().add(-size);
    }
    dropIfLate(now, key);
    return stored;
  }

  /** Removes a value that was stored in contents which are no longer current. */
  @SuppressWarnings("ReferenceEquality") // each object is one version of the contents
  private void dropIfLate(CacheContents<K, V> now, K key) {
    if (now != contents) {
      now.cache().invalidate(key);
    }
  }

  /** Replaces the value of a key by the result of the function, atomically. */
  public @Nullable V compute(K key, BiFunction<K, @Nullable V, V> change) {
    CacheContents<K, V> now = contents;
    if (now.bounds().maxEntries() == 0) {
      return null;
    }
    V stored =
        now.cache()
            .asMap()
            .compute(key, (known, value) -> weighed(now.bytes(), known, value, change));
    dropIfLate(now, key);
    return stored;
  }

  private V weighed(LongAdder bytes, K key, @Nullable V old, BiFunction<K, @Nullable V, V> change) {
    V value = change.apply(key, old);
    if (value != old) {
      bytes.add(sizes.applyAsInt(key, value));
    }
    return value;
  }

  /**
   * Replaces an existing value by the result of the function, atomically. The removal listener
   * receives the replaced value.
   *
   * @return the value that is stored now; null if none
   */
  public @Nullable V replace(K key, UnaryOperator<V> change) {
    CacheContents<K, V> now = contents;
    V stored =
        now.cache()
            .asMap()
            .computeIfPresent(
                key,
                (known, value) ->
                    weighed(now.bytes(), known, value, (same, old) -> change.apply(value)));
    dropIfLate(now, key);
    return stored;
  }

  /**
   * Returns the number of insertions so far, which wraps around. The order of eviction needs no
   * other clock: without insertions nothing is evicted.
   */
  public int insertions() {
    return insertions.getPlain();
  }

  /**
   * Returns the insertions between two uses of an entry that count. A use changes the order of
   * eviction, in memory that belongs to other entries. Counting each of them would slow down hits
   * in a large cache, and lengthen the pauses of the garbage collector.
   */
  public int useInterval() {
    return useInterval;
  }

  /** Counts an insertion. Whichever bound is reached first, the present entries fill the cache. */
  private void onInserted(CacheContents<K, V> now) {
    insertions.getAndIncrement();
    useInterval = (int) Math.min(Integer.MAX_VALUE, now.cache().estimatedSize() / COUNTED_USES);
  }

  /**
   * Returns the value of a key, or null, without counting as a use: its eviction is not delayed.
   */
  public @Nullable V peek(K key) {
    return contents.cache().policy().getIfPresentQuietly(key);
  }

  /**
   * Removes all entries that match now, even if a match is replaced before its removal.
   *
   * @return the number of removed entries
   */
  public synchronized long drop(BiPredicate<K, V> condition) {
    Map<K, V> now = contents.cache().asMap();
    List<K> keys = new ArrayList<>();
    now.forEach(
        (key, value) -> {
          if (condition.test(key, value)) {
            keys.add(key);
          }
        });
    return keys.stream().filter(key -> now.remove(key) != null).count();
  }

  /** Removes the entry of a key if its value matches. */
  public void removeIf(K key, Predicate<V> condition) {
    contents
        .cache()
        .asMap()
        .computeIfPresent(key, (same, value) -> condition.test(value) ? null : value);
  }

  /** Returns an iterator over the stored entries. Concurrent changes may or may not be included. */
  public Iterator<Map.Entry<K, V>> iterator() {
    return contents.cache().asMap().entrySet().iterator();
  }

  /** Removes all entries whose value matches. */
  public void removeIf(Predicate<V> condition) {
    contents.cache().asMap().values().removeIf(condition);
  }

  /** Returns the approximate number of entries. */
  public long count() {
    return contents.cache().estimatedSize();
  }

  /** Returns the maximum number of entries. */
  public int maxEntries() {
    return contents.bounds().maxEntries();
  }

  /** Returns the size of the entries in octets. */
  public long bytes() {
    return contents.bytes().sum();
  }

  /**
   * Called when the size of a stored value has changed by a number of octets. Weighs it again, and
   * evicts until the bounds hold.
   */
  public void onResized(K key, int octets) {
    if (octets != 0) {
      CacheContents<K, V> now = contents;
      now.bytes().add(octets);
      now.cache().asMap().computeIfPresent(key, (same, value) -> value);
    }
  }

  /** Returns the number of evictions since the start. */
  public long evictions() {
    return evictions.sum();
  }
}
