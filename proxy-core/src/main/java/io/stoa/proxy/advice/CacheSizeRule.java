// SPDX-License-Identifier: Apache-2.0
package io.stoa.proxy.advice;

import io.stoa.cache.ghost.CurveStatus;
import io.stoa.cache.ghost.CurveStatus.SizePoint;
import io.stoa.proxy.advice.Advice.Topic;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/**
 * Advises the size at the knee of the curve of results, if the caches evict and the hit ratio would
 * grow by two hundredths.
 *
 * <p>Threading: stateless.
 */
final class CacheSizeRule {
  private static final double MIN_GAIN = 0.02;

  /** Room above the estimated contents: a tenth. */
  private static final int ROOM = 10;

  /** Divisor of the heap: cache.maxBytes is at most a half of it. */
  private static final int HEAP_SHARE = 2;

  private CacheSizeRule() {}

  static Stream<Advice> advise(TrafficStatus traffic) {
    CurveStatus curve = traffic.byResults();
    SizePoint knee = curve.knee();
    double now = ratio(traffic);
    boolean grows = knee.hitRatio() - now >= MIN_GAIN && traffic.cache().evictions() > 0;
    if (!curve.isReliable() || !grows) {
      return Stream.empty();
    }
    List<String> change = change(traffic, knee);
    String evidence =
        "the hit ratio is "
            + NumberFormats.percent(now)
            + ", and would be "
            + NumberFormats.percent(knee.hitRatio())
            + " with "
            + knee.results()
            + " results of "
            + knee.entries()
            + " entries in "
            + NumberFormats.mebibytes(knee.octets());
    return change.isEmpty()
        ? Stream.empty()
        : Stream.of(new Advice(Topic.CACHE_SIZE, "cache", evidence, change));
  }

  /** Returns the lines of the configuration for the caches of a size; none if they fit already. */
  private static List<String> change(TrafficStatus traffic, SizePoint size) {
    long octets = withRoom(size.octets());
    boolean fits = octets <= traffic.maxHeap() / HEAP_SHARE;
    List<String> settings = new ArrayList<>();
    if (size.size() > traffic.config().filterCacheSize()) {
      settings.add("  filterCacheSize: " + size.size());
    }
    if (size.entries() > traffic.config().entryCacheSize()) {
      settings.add("  entryCacheSize: " + withRoom(size.entries()));
    }
    if (fits && octets > traffic.cache().maxBytes()) {
      settings.add("  maxBytes: " + NumberFormats.mebibytes(octets).replace(" ", ""));
    }
    List<String> change = new ArrayList<>();
    if (!fits) {
      change.add(
          "# first raise STOA_MEMORY (docs/guides/sizing.md) until a quarter of the heap is at least "
              + NumberFormats.mebibytes(octets));
    }
    if (!settings.isEmpty()) {
      change.add("cache:");
      change.addAll(settings);
    }
    return change;
  }

  /** Returns the estimated hit ratio now: that of the bound which is reached first. */
  private static double ratio(TrafficStatus traffic) {
    double byEntries = traffic.byEntries().present().hitRatio();
    double byResults = traffic.byResults().present().hitRatio();
    return Math.min(ratioOfOctets(traffic), Math.min(byEntries, byResults));
  }

  /** Returns the hit ratio of the largest size whose octets are within the maximum. */
  private static double ratioOfOctets(TrafficStatus traffic) {
    List<SizePoint> points = traffic.byResults().points();
    double ratio = points.get(0).hitRatio();
    for (SizePoint point : points) {
      if (point.octets() <= traffic.cache().maxBytes()) {
        ratio = point.hitRatio();
      }
    }
    return ratio;
  }

  private static long withRoom(long number) {
    return number + number / ROOM;
  }
}
