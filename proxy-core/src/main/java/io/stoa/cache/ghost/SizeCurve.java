// SPDX-License-Identifier: Apache-2.0
package io.stoa.cache.ghost;

import io.stoa.cache.ghost.CurveStatus.SizePoint;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.LongSupplier;
import java.util.stream.IntStream;

/**
 * The miss-ratio curve of one bound of the caches, at five sizes.
 *
 * <p>Keys are sampled by their hash, so that each key is in the sample with all its lookups or with
 * none (SHARDS: Waldspurger, Park, Garthwaite and Ahmad, FAST 2015). Each size has a ghost cache of
 * the same policy (miniature simulations: Waldspurger, Saemundsson, Ahmad and Park, ATC 2017).
 *
 * <p>The sample has more or fewer lookups than expected, above all if it holds a very frequent key
 * or lacks one. Such keys are hits at each size, so the difference counts as hits (the correction
 * SHARDS-adj).
 *
 * <p>Invariant: the counts are of a window of sampled lookups to twice as many, or of all since the
 * last reset. The window has {@link #WINDOW} lookups at a sampling rate of {@link #MAX_RATE}, and
 * proportionally more at a higher one, so that it covers equally many lookups of the caches.
 *
 * <p>Threading: thread-safe.
 */
final class SizeCurve {
  private static final double[] FACTORS = {0.25, 0.5, 1, 2, 4};
  private static final int PRESENT = 2;

  /** Sampled results in the ghost cache of the present size: 1,200. */
  private static final int SAMPLED = 1200;

  /** Maximum share of keys that are sampled in caches of 9,600 results and more: a 16th. */
  private static final double MAX_RATE = 1.0 / 16;

  /**
   * Minimum of sampled results in the ghost cache of the present size, or all of them: 600. Single
   * frequent keys would decide the estimate of a smaller sample.
   */
  private static final int MIN_SAMPLED = 600;

  private static final int WINDOW = 1 << 16;

  private final int size;
  private final double rate;

  /** Number of sampled lookups at which all counts are halved. */
  private final double maxSampled;

  private final LongSupplier lookups;
  private final List<GhostCache> ghosts;
  private final Map<Integer, SampledKey> keys = new HashMap<>();
  private double sampled;

  /** Expected number of sampled lookups, of those before {@link #countedTo}. */
  private double expected;

  private long countedTo;

  /**
   * Creates a curve without lookups.
   *
   * @param size present size; 0 samples nothing
   * @param lookups number of counted lookups since the start
   * @param entries true if the size is a number of entries
   */
  SizeCurve(int size, LongSupplier lookups, boolean entries) {
    this.size = size;
    this.rate = size == 0 ? 0 : rate(size);
    this.maxSampled = 2 * WINDOW * Math.max(1, rate / MAX_RATE);
    this.lookups = lookups;
    this.countedTo = lookups.getAsLong();
    this.ghosts =
        IntStream.range(0, FACTORS.length)
            .mapToObj(place -> new GhostCache(place, results(place), entries, this::forget))
            .toList();
  }

  private static double rate(double size) {
    double rate = Math.min(MAX_RATE, SAMPLED / size);
    return Math.max(rate, Math.min(1, MIN_SAMPLED / size));
  }

  private int results(int place) {
    return (int) Math.max(1, Math.round(size * FACTORS[place] * rate));
  }

  private void forget(SampledKey unused) {
    keys.remove(unused.hash(), unused);
  }

  /** Returns the share of keys in the sample, in units of {@link Integer#MAX_VALUE}. */
  int threshold() {
    return (int) (rate * Integer.MAX_VALUE);
  }

  /**
   * Called when the caches have answered a lookup. A smaller cache that would not have answered
   * reads the result.
   */
  synchronized void onHit(GhostLookup lookup, GhostResult served) {
    count(lookup);
    SampledKey key = keys.get(lookup.hash());
    for (GhostCache ghost : ghosts) {
      if (!ghost.find(lookup, key)) {
        ghost.store(lookup, key(lookup), served.readFor(lookup));
      }
    }
  }

  /** Called when the caches have not answered a lookup. */
  synchronized void onMiss(GhostLookup lookup) {
    count(lookup);
    SampledKey key = keys.get(lookup.hash());
    for (GhostCache ghost : ghosts) {
      ghost.find(lookup, key);
    }
  }

  /** Called when the result of a lookup has been read. */
  synchronized void onRead(GhostLookup lookup, GhostResult read) {
    for (GhostCache ghost : ghosts) {
      ghost.store(lookup, key(lookup), read);
    }
  }

  /** Returns the key of a lookup. Storing a result may have removed it. */
  private SampledKey key(GhostLookup lookup) {
    return keys.computeIfAbsent(lookup.hash(), hash -> new SampledKey(hash, FACTORS.length));
  }

  /** Called when the result of a key has become invalid. */
  synchronized void onInvalidated(int hash) {
    ghosts.forEach(ghost -> ghost.remove(hash));
  }

  /** Removes all results. */
  synchronized void clear() {
    ghosts.forEach(GhostCache::clear);
  }

  /** Sets all counts to 0. */
  synchronized void reset() {
    ghosts.forEach(GhostCache::reset);
    sampled = 0;
    expected = 0;
    countedTo = lookups.getAsLong();
  }

  private void count(GhostLookup lookup) {
    if (lookup.counted()) {
      sampled++;
    }
    if (sampled >= maxSampled) {
      updateExpected();
      sampled /= 2;
      expected /= 2;
      ghosts.forEach(GhostCache::halve);
    }
  }

  private void updateExpected() {
    long now = lookups.getAsLong();
    expected += (now - countedTo) * rate;
    countedTo = now;
  }

  /** Returns its present estimates. */
  synchronized CurveStatus status() {
    updateExpected();
    GhostCache present = ghosts.get(PRESENT);
    return new CurveStatus(
        Math.round(sampled),
        ratio(present.expired()),
        Duration.ofNanos(Math.round(present.ageNanos() / Math.max(1, present.hits()))),
        IntStream.range(0, FACTORS.length).mapToObj(this::point).toList());
  }

  private SizePoint point(int index) {
    GhostCache ghost = ghosts.get(index);
    GhostCache.GhostContents contents = ghost.contents();
    return new SizePoint(
        Math.round(size * FACTORS[index]),
        ratio(ghost.hits() + expected - sampled),
        scaled(contents.results()),
        scaled(contents.entries()),
        scaled(contents.octets()));
  }

  private double ratio(double count) {
    return expected == 0 ? 0 : Math.max(0, Math.min(1, count / expected));
  }

  private long scaled(long number) {
    return rate == 0 ? 0 : Math.round(number / rate);
  }
}
