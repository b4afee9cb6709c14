// SPDX-License-Identifier: Apache-2.0
package io.stoa.cache.result;

/** Counted events of the caches. Each search is counted as one of hit, miss and bypassed. */
enum CacheEvent {
  /** A search was answered from memory. */
  HIT,
  /** A cacheable search was not answered from memory. */
  MISS,
  /** A search could not use the caches. */
  BYPASSED,
  /** A stored entry was used in an answer. */
  ENTRY_HIT,
  /** An entry of a stored result was missing, too old or incomplete. */
  ENTRY_MISS,
  /** A compare was answered from memory. */
  COMPARE_HIT,
  /** A cacheable compare was not answered from memory. */
  COMPARE_MISS,
  /** A result was stored. */
  FILL,
  /** A result was read for a fill but not stored. */
  FILL_DISCARDED,
  /** A search joined an equal one in flight. */
  JOINED;

  /** Returns the event for the lookup of a search, or else of a compare. */
  static CacheEvent lookup(boolean search, boolean hit) {
    if (search) {
      return hit ? HIT : MISS;
    }
    return hit ? COMPARE_HIT : COMPARE_MISS;
  }
}
