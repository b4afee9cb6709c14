// SPDX-License-Identifier: Apache-2.0
package io.stoa.cache.ghost;

import io.stoa.cache.memory.BoundedCache;
import io.stoa.cache.memory.BoundedCache.Bounds;

/**
 * The filter cache of another size, reduced to the sample: its bounds are those of that cache,
 * multiplied by the sampling rate. The order of eviction is the same.
 *
 * <p>Octets for each result: 160.
 *
 * <p>Threading: not thread-safe.
 */
final class GhostCache {
  /** Weight of a result or an entry, if their number is bounded: 1 Mi. */
  private static final long WEIGHT = 1 << 20;

  private final BoundedCache<Integer, Stored> results;
  private double hits;
  private double expired;
  private double ageNanos;

  private GhostCache(Bounds bounds) {
    this.results =
        new BoundedCache<>(
            bounds, (key, stored) -> 0, stored -> stored.result.entries(), any -> {});
  }

  /** A result, and {@link BoundedCache#insertions} at its last use that counted. */
  private static final class Stored {
    private final GhostResult result;
    private int usedAt;

    Stored(GhostResult result, int usedAt) {
      this.result = result;
      this.usedAt = usedAt;
    }
  }

  /** Creates an empty cache of a number of results. */
  static GhostCache ofResults(int results) {
    return new GhostCache(new Bounds(results, Integer.MAX_VALUE, results * WEIGHT));
  }

  /**
   * Creates an empty cache of results that have a number of entries in all. A result without
   * entries counts as one entry.
   */
  static GhostCache ofEntries(int entries) {
    return new GhostCache(new Bounds(entries, entries, entries * WEIGHT));
  }

  /** Returns true if the cache would answer the lookup. */
  boolean find(GhostLookup lookup) {
    Stored stored = results.peek(lookup.hash());
    if (stored == null) {
      return false;
    }
    countUse(lookup.hash(), stored);
    GhostResult result = stored.result;
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

  /** Counts a use for the order of eviction as seldom as the caches do. */
  private void countUse(int hash, Stored stored) {
    int now = results.insertions();
    if (now - stored.usedAt >= results.useInterval()) {
      stored.usedAt = now;
      results.get(hash);
    }
  }

  /** Stores a result, unless the cache has one that it would still serve. */
  void store(GhostLookup lookup, GhostResult read) {
    Stored present = results.peek(lookup.hash());
    if (present == null || !present.result.isServable(lookup)) {
      results.put(lookup.hash(), new Stored(read, results.insertions()));
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
      GhostResult result = all.next().getValue().result;
      entries += result.entries();
      octets += result.octets();
    }
    return new GhostContents(count, entries, octets);
  }
}
