// SPDX-License-Identifier: Apache-2.0
package io.stoa.cache.result;

import io.stoa.cache.sharing.ClassStatus;
import java.util.List;
import java.util.concurrent.atomic.LongAdder;

/**
 * The caches at one moment; counters run since the start. Immutable.
 *
 * @param enabled whether caching is switched on now
 * @param filterHits searches answered from memory
 * @param filterMisses cacheable searches that were not
 * @param bypassed searches that could not use the caches at all
 * @param filterCurrent results stored now
 * @param filterSize most results
 * @param entryHits stored entries that went into answers
 * @param entryMisses entries of a stored result that were missing, too old or not complete enough
 * @param entryCurrent entries stored now
 * @param entrySize most entries
 * @param bypassLimit results with more entries are not stored
 * @param bytes memory that the caches take, estimated in octets
 * @param maxBytes most memory
 * @param compareHits compares answered from memory
 * @param compareMisses compares that were not
 * @param fills results stored since the start
 * @param fillsDiscarded results read for a fill but not stored
 * @param joined searches that waited for an equal one in flight
 * @param evictions results and entries dropped to hold the sizes
 * @param invalidations times at which a change emptied the caches
 * @param staleServed answers given from memory that were too old, for want of a directory server
 * @param aclCache whether anything is kept for clients that have bound
 * @param aclSize most identities for which something is kept
 * @param aclCurrent identities for which something is kept now
 * @param classes declared classes, whose members share what is kept
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

  /**
   * What they are counted with, each search in exactly one of hit, miss and bypassed. Thread-safe.
   */
  static final class Counters {
    final LongAdder hits = new LongAdder();
    final LongAdder misses = new LongAdder();
    final LongAdder bypassed = new LongAdder();
    final LongAdder entryHits = new LongAdder();
    final LongAdder entryMisses = new LongAdder();
    final LongAdder compareHits = new LongAdder();
    final LongAdder compareMisses = new LongAdder();
    final LongAdder fills = new LongAdder();
    final LongAdder fillsDiscarded = new LongAdder();
    final LongAdder joined = new LongAdder();

    /** It was looked in memory for the answer of a search, or else of a compare. */
    void looked(boolean search, boolean hit) {
      if (search) {
        (hit ? hits : misses).increment();
      } else {
        (hit ? compareHits : compareMisses).increment();
      }
    }
  }
}
