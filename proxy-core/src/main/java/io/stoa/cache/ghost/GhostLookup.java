// SPDX-License-Identifier: Apache-2.0
package io.stoa.cache.ghost;

/**
 * A lookup whose key is in the sample.
 *
 * <p>Threading: immutable.
 *
 * @param hash hash of the key
 * @param epoch epoch of the caches
 * @param oldestNanos time of the request less the maximum age; an earlier result is too old
 * @param now time of the request in ns
 * @param counted true if the lookup counts for the hit ratio
 */
public record GhostLookup(int hash, long epoch, long oldestNanos, long now, boolean counted) {}
