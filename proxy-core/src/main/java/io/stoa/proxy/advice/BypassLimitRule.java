// SPDX-License-Identifier: Apache-2.0
package io.stoa.proxy.advice;

import io.stoa.cache.ghost.LargeAnswers.Sizes;
import io.stoa.proxy.advice.Advice.Topic;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/**
 * Advises limits with which nine of ten repeated large answers would be stored, as far as one
 * answer takes at most a fiftieth of the caches.
 *
 * <p>Threading: stateless.
 */
final class BypassLimitRule {
  /** Minimum number of repeated answers. */
  private static final long MIN_REPEATS = 20;

  /** Minimum share of repeated answers: a fifth. */
  private static final int MIN_SHARE = 5;

  private static final double STORED = 0.9;

  /** Maximum share of the caches that one answer may take: a fiftieth. */
  private static final int MAX_SHARE = 50;

  private BypassLimitRule() {}

  static Stream<Advice> advise(TrafficStatus traffic) {
    List<Sizes> sizes = traffic.largeAnswers();
    long answers = sizes.stream().mapToLong(Sizes::answers).sum();
    long repeats = sizes.stream().mapToLong(Sizes::repeats).sum();
    if (repeats < MIN_REPEATS || repeats * MIN_SHARE < answers) {
      return Stream.empty();
    }
    long stored = 0;
    long entries = 0;
    long octets = 0;
    for (Sizes size : sizes) {
      if (stored < STORED * repeats && isModerate(size, traffic)) {
        stored += size.repeats();
        entries = size.entries();
        octets = Math.max(octets, size.octets());
      }
    }
    if (stored * MIN_SHARE < answers) {
      return Stream.empty();
    }
    List<String> change = change(traffic, entries, octets);
    String evidence =
        repeats
            + " of "
            + answers
            + " answers that were too large to be stored repeated an answer that would still have "
            + "been served; "
            + NumberFormats.percent(stored, repeats)
            + " of these have at most "
            + entries
            + " entries";
    return change.isEmpty()
        ? Stream.empty()
        : Stream.of(new Advice(Topic.BYPASS_LIMIT, "cache.bypassLimit", evidence, change));
  }

  /** True if such an answer takes at most a small part of the caches. */
  private static boolean isModerate(Sizes size, TrafficStatus traffic) {
    return size.entries() <= traffic.config().entryCacheSize() / MAX_SHARE
        && size.octets() <= traffic.cache().maxBytes() / MAX_SHARE;
  }

  private static List<String> change(TrafficStatus traffic, long entries, long octets) {
    List<String> change = new ArrayList<>(List.of("cache:"));
    if (entries > traffic.config().bypassLimit()) {
      change.add("  bypassLimit: " + entries);
    }
    if (octets > traffic.config().maxResultBytes()) {
      change.add("  maxResultBytes: " + octets);
    }
    return change.size() == 1 ? List.of() : change;
  }
}
