// SPDX-License-Identifier: Apache-2.0
package io.stoa.cache.ghost;

import org.jspecify.annotations.Nullable;

/**
 * A key of the sample, and its result in the ghost cache of each size. A lookup finds all of them
 * at once: hits of the caches are too fast for a table of each size.
 *
 * <p>Threading: not thread-safe.
 */
final class SampledKey {
  private final int hash;
  private final @Nullable StoredGhost[] results;
  private int count;

  /** Creates a key without results. */
  SampledKey(int hash, int sizes) {
    this.hash = hash;
    this.results = new StoredGhost[sizes];
  }

  /**
   * A result in one ghost cache.
   *
   * <p>Threading: not thread-safe.
   */
  static final class StoredGhost {
    private final SampledKey key;
    private final int size;
    private final GhostResult result;

    /** {@link io.stoa.cache.memory.BoundedCache#insertions} at its last use that counted. */
    private int usedAt;

    StoredGhost(SampledKey key, int size, GhostResult result, int usedAt) {
      this.key = key;
      this.size = size;
      this.result = result;
      this.usedAt = usedAt;
    }

    GhostResult result() {
      return result;
    }

    /** True if a use counts for the order of eviction, as seldom as in the caches. */
    boolean countUse(int insertions, int interval) {
      boolean counts = insertions - usedAt >= interval;
      if (counts) {
        usedAt = insertions;
      }
      return counts;
    }

    /** Returns its key, after the ghost cache has dropped it. */
    SampledKey dropped() {
      if (key.results[size] == this) {
        key.results[size] = null;
        key.count--;
      }
      return key;
    }
  }

  int hash() {
    return hash;
  }

  /** Returns the result in the ghost cache of a size; null if it has none. */
  @Nullable StoredGhost result(int size) {
    return results[size];
  }

  /** Adds a result that a ghost cache is about to store. */
  StoredGhost add(int size, GhostResult result, int insertions) {
    StoredGhost stored = new StoredGhost(this, size, result, insertions);
    count += results[size] == null ? 1 : 0;
    results[size] = stored;
    return stored;
  }

  /** True if no ghost cache has a result. */
  boolean isUnused() {
    return count == 0;
  }
}
