// SPDX-License-Identifier: Apache-2.0
package io.stoa.cache;

import java.util.concurrent.atomic.LongAdder;

/** What the caches count, each search in exactly one of hit, miss and bypassed. Thread-safe. */
final class CacheCounters {
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
}
