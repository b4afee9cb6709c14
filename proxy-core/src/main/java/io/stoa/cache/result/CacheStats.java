// SPDX-License-Identifier: Apache-2.0
package io.stoa.cache.result;

import io.stoa.cache.sharing.ClassStatus;
import java.util.List;

/**
 * State and counters of the caches at one moment. Counters run since the start.
 *
 * <p>Threading: immutable.
 *
 * @param enabled true if caching is on now
 * @param filterHits searches answered from memory
 * @param filterMisses cacheable searches that were not answered from memory
 * @param bypassed searches that could not use the caches
 * @param filterCurrent current number of results
 * @param filterSize maximum number of results
 * @param entryHits stored entries that were used in answers
 * @param entryMisses entries of a stored result that were missing, too old or incomplete
 * @param entryCurrent current number of entries
 * @param entrySize maximum number of entries
 * @param bypassLimit maximum number of entries of a stored result
 * @param bytes estimated memory of the caches in octets
 * @param maxBytes maximum memory of the caches in octets
 * @param compareHits compares answered from memory
 * @param compareMisses compares that were not answered from memory
 * @param fills results stored
 * @param fillsDiscarded results read for a fill but not stored
 * @param joined searches that joined an equal one in flight
 * @param evictions results evicted for lack of room
 * @param invalidations epochs ended; each end invalidates all results that no feed holds
 * @param staleServed stale answers served because no directory server was usable
 * @param aclCache true if results are stored for clients that have bound
 * @param aclSize maximum number of identities with stored results
 * @param aclCurrent current number of identities with stored results
 * @param classes status of the declared sharing classes
 */
public record CacheStats(
    boolean enabled,
    long filterHits,
    long filterMisses,
    long bypassed,
    long filterCurrent,
    long filterSize,
    long entryHits,
    long entryMisses,
    long entryCurrent,
    long entrySize,
    long bypassLimit,
    long bytes,
    long maxBytes,
    long compareHits,
    long compareMisses,
    long fills,
    long fillsDiscarded,
    long joined,
    long evictions,
    long invalidations,
    long staleServed,
    boolean aclCache,
    long aclSize,
    long aclCurrent,
    List<ClassStatus> classes) {
  public CacheStats {
    classes = List.copyOf(classes);
  }
}
