// SPDX-License-Identifier: Apache-2.0
package io.stoa.cache.ghost;

import io.stoa.cache.ghost.SampledKey.StoredGhost;
import io.stoa.cache.memory.BoundedCache;
import io.stoa.cache.memory.BoundedCache.Bounds;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The filter cache of another size, reduced to the sample: its bounds are those of that cache,
 * multiplied by the sampling rate. The order of eviction is the same.
 *
 * <p>Octets for each result: 110, and 80 for its key in all sizes together.
 *
 * <p>Threading: not thread-safe.
 */
final class GhostCache {
  private final BoundedCache<Integer, StoredGhost> results;
  private final int size;
  private double hits;
  private double expired;
  private double ageNanos;

  /**
   * Creates an empty cache of a number of results.
   *
   * @param size its place among the sizes
   * @param entries true if each entry counts, and a result without entries as one
   * @param unused called with each key that has no results any more
   */
  GhostCache(int size, int results, boolean entries, Consumer<SampledKey> unused) {
    this.size = size;
    this.results =
        new BoundedCache<>(
            Bounds.ofNumbers(results, entries ? results : Integer.MAX_VALUE),
            (key, stored) -> 0,
            stored -> stored.result().entries(),
            stored -> onDropped(stored, unused));
  }

  private static void onDropped(StoredGhost stored, Consumer<SampledKey> unused) {
    SampledKey key = stored.dropped();
    if (key.isUnused()) {
      unused.accept(key);
    }
  }

  /** Returns true if the cache would answer the lookup. */
  boolean find(GhostLookup lookup, @Nullable SampledKey key) {
    StoredGhost stored = key == null ? null : key.result(size);
    if (stored == null) {
      return false;
    }
    if (stored.countUse(results.insertions(), results.useInterval())) {
      results.get(lookup.hash());
    }
    GhostResult result = stored.result();
    boolean hit = result.isServable(lookup);
    int counted = lookup.counted() ? 1 : 0;
    if (hit) {
      hits += counted;
      ageNanos += result.held() ? 0 : counted * (double) (lookup.now() - result.readNanos());
    } else {
      expired += counted;
    }
    return hit;
  }

  /** Stores a result, unless the cache has one that it would still serve. */
  void store(GhostLookup lookup, SampledKey key, GhostResult read) {
    StoredGhost present = key.result(size);
    if (present == null || !present.result().isServable(lookup)) {
      results.put(key.hash(), key.add(size, read, results.insertions()));
    }
  }

  void remove(int hash) {
    results.removeIf(hash, any -> true);
  }

  void clear() {
    results.removeIf(any -> true);
  }

  /** Divides all counts by two. */
  void halve() {
    hits /= 2;
    expired /= 2;
    ageNanos /= 2;
  }

  /** Sets all counts to 0. */
  void reset() {
    hits = 0;
    expired = 0;
    ageNanos = 0;
  }

  /** Returns the number of hits. */
  double hits() {
    return hits;
  }

  /** Returns the number of misses with a result that was too old or of an earlier epoch. */
  double expired() {
    return expired;
  }

  /** Returns the sum of the ages of all hits in ns. */
  double ageNanos() {
    return ageNanos;
  }

  /**
   * Contents of a cache.
   *
   * <p>Threading: immutable.
   */
  record GhostContents(long results, long entries, long octets) {}

  /** Returns its present contents. */
  GhostContents contents() {
    long count = 0;
    long entries = 0;
    long octets = 0;
    for (var all = results.iterator(); all.hasNext(); count++) {
      GhostResult result = all.next().getValue().result();
      entries += result.entries();
      octets += result.octets();
    }
    return new GhostContents(count, entries, octets);
  }
}
