// SPDX-License-Identifier: Apache-2.0
package io.stoa.cache.ghost;

import io.stoa.cache.memory.BoundedCache;
import java.util.ArrayList;
import java.util.List;

/**
 * Answers that were not stored because of their size, and how many of them a larger limit would
 * have served from memory.
 *
 * <p>Octets: 160 KiB at most.
 *
 * <p>Threading: thread-safe.
 */
public final class LargeAnswers {
  /** Maximum number of searches whose last answer is known: 1,000. */
  private static final int KNOWN = 1000;

  private static final int MAX_PLACE = Integer.SIZE - 1;

  private final BoundedCache<Integer, GhostResult> known = BoundedCache.ofEntries(KNOWN);
  private final long[] answers = new long[Integer.SIZE];
  private final long[] repeats = new long[Integer.SIZE];
  private final long[] octets = new long[Integer.SIZE];

  /** Creates an instance without answers. */
  public LargeAnswers() {}

  /**
   * Large answers of similar size.
   *
   * <p>Threading: immutable.
   *
   * @param entries maximum number of their entries: a power of two
   * @param answers number of answers
   * @param repeats answers that repeated an equal search while its answer would still have been
   *     served
   * @param octets largest size of those that repeated another, in octets
   */
  public record Sizes(long entries, long answers, long repeats, long octets) {}

  /**
   * Adds an answer.
   *
   * @param held true if a feed would have held it
   */
  public synchronized void add(GhostLookup lookup, boolean held, int entries, long size) {
    GhostResult last = known.get(lookup.hash());
    int place =
        Math.min(MAX_PLACE, Integer.SIZE - Integer.numberOfLeadingZeros(Math.max(1, entries) - 1));
    answers[place]++;
    if (last != null && last.isServable(lookup)) {
      repeats[place]++;
      octets[place] = Math.max(octets[place], size);
    }
    known.put(lookup.hash(), new GhostResult(lookup.now(), lookup.epoch(), held, entries, 0));
  }

  /** Returns the answers by size, the smallest first. */
  public synchronized List<Sizes> sizes() {
    List<Sizes> all = new ArrayList<>();
    for (int place = 0; place < Integer.SIZE; place++) {
      if (answers[place] > 0) {
        all.add(new Sizes(1L << place, answers[place], repeats[place], octets[place]));
      }
    }
    return all;
  }

  /** Forgets all answers. */
  public synchronized void reset() {
    known.removeIf(any -> true);
    for (int place = 0; place < Integer.SIZE; place++) {
      answers[place] = 0;
      repeats[place] = 0;
      octets[place] = 0;
    }
  }
}
