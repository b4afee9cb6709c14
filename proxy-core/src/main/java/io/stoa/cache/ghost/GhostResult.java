// SPDX-License-Identifier: Apache-2.0
package io.stoa.cache.ghost;

/**
 * A result as a ghost cache keeps it: without its entries.
 *
 * <p>Octets: 40.
 *
 * <p>Threading: immutable.
 *
 * @param readNanos time at which it was read
 * @param epoch epoch of the caches in which it was read
 * @param held true if a feed holds it, so that its age does not matter
 * @param entries number of its entries
 * @param octets its size in the cache in octets
 */
public record GhostResult(long readNanos, long epoch, boolean held, int entries, int octets) {
  /** True if a cache with this result would serve it. */
  boolean isServable(GhostLookup lookup) {
    return held || (epoch == lookup.epoch() && readNanos - lookup.oldestNanos() >= 0);
  }

  /** Returns the result of the same search, read for a lookup. */
  GhostResult readFor(GhostLookup lookup) {
    return new GhostResult(lookup.now(), lookup.epoch(), held, entries, octets);
  }
}
