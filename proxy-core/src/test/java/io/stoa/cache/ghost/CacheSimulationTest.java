// SPDX-License-Identifier: Apache-2.0
package io.stoa.cache.ghost;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.stoa.cache.ghost.CurveStatus.SizePoint;
import io.stoa.cache.memory.BoundedCache;
import io.stoa.cache.memory.BoundedCache.Bounds;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.IntSupplier;
import java.util.stream.DoubleStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Estimates of ghost caches, compared with caches of the estimated sizes. */
class CacheSimulationTest {
  private static final int SIZE = 20_000;
  private static final int KEYS = 100_000;
  private static final int WARM = 250_000;
  private static final int LOOKUPS = 250_000;
  private static final double[] FACTORS = {0.25, 0.5, 1, 2, 4};
  private static final double THREE_POINTS = 0.03;
  private static final long MAX_AGE = Duration.ofSeconds(5).toNanos();

  private long lookups;
  private long now;
  private CacheSimulation simulation = new CacheSimulation(SIZE, SIZE, () -> lookups);

  static Stream<Workload> workloads() {
    return Stream.of(Workload.uniform(KEYS), Workload.zipf(KEYS), Workload.zipfWithScan(KEYS));
  }

  /** A cache of one size, and its hits. */
  private static final class Measured {
    private final BoundedCache<Integer, GhostResult> cache;
    private long hits;

    Measured(Bounds bounds) {
      cache = new BoundedCache<>(bounds, (key, value) -> 0, GhostResult::entries, any -> {});
    }

    boolean find(int key, GhostResult result) {
      boolean hit = cache.get(key) != null;
      hits += hit ? 1 : 0;
      if (!hit) {
        cache.put(key, result);
      }
      return hit;
    }
  }

  private static int hash(int key) {
    return 31 * ("uid=user" + key).hashCode();
  }

  private GhostResult result(int key) {
    return new GhostResult(now, 0, true, key % 3, 500);
  }

  /** Looks a key up in a cache that the simulation observes. */
  private void look(Measured present, int key) {
    GhostResult result = result(key);
    boolean hit = present.find(key, result);
    lookups++;
    if (simulation.isSampled(hash(key))) {
      GhostLookup lookup = new GhostLookup(hash(key), 0, now - MAX_AGE, now, true);
      if (hit) {
        simulation.onHit(lookup, result);
      } else {
        simulation.onMiss(lookup);
        simulation.onRead(lookup, result);
      }
    }
  }

  private void compare(Workload workload, int size, List<Measured> caches, boolean results) {
    Measured present = new Measured(Bounds.ofNumbers(size, size));
    IntSupplier keys = workload.keys();
    for (int count = 0; count < WARM + LOOKUPS; count++) {
      if (count == WARM) {
        simulation.reset();
        caches.forEach(cache -> cache.hits = 0);
      }
      int key = keys.getAsInt();
      look(present, key);
      caches.forEach(cache -> cache.find(key, result(key)));
    }
    CurveStatus curve = results ? simulation.byResults() : simulation.byEntries();
    assertThat(curve.isReliable()).isTrue();
    for (int index = 0; index < FACTORS.length; index++) {
      SizePoint point = curve.points().get(index);
      double measured = (double) caches.get(index).hits / LOOKUPS;
      assertThat(point.hitRatio())
          .as("%s, %s", workload, point)
          .isCloseTo(measured, within(THREE_POINTS));
      assertThat(point.size()).isEqualTo(Math.round(size * FACTORS[index]));
    }
  }

  @ParameterizedTest
  @MethodSource("workloads")
  void hitRatiosByResultsAreThoseOfCachesOfTheseSizes(Workload workload) {
    List<Measured> caches =
        DoubleStream.of(FACTORS)
            .mapToObj(by -> Bounds.ofNumbers((int) (SIZE * by), Integer.MAX_VALUE))
            .map(Measured::new)
            .toList();
    compare(workload, SIZE, caches, true);
  }

  /** Few results are in the sample of a small cache, so that it has more of them, or all. */
  @ParameterizedTest
  @ValueSource(ints = {100, 1_000, 5_000})
  void hitRatiosOfSmallCachesAreThoseOfCachesOfTheseSizes(int size) {
    simulation = new CacheSimulation(size, size, () -> lookups);
    List<Measured> caches =
        DoubleStream.of(FACTORS)
            .mapToObj(by -> Bounds.ofNumbers((int) (size * by), Integer.MAX_VALUE))
            .map(Measured::new)
            .toList();
    compare(Workload.zipf(5 * size), size, caches, true);
  }

  @ParameterizedTest
  @MethodSource("workloads")
  void hitRatiosByEntriesAreThoseOfCachesOfTheseSizes(Workload workload) {
    List<Measured> caches =
        DoubleStream.of(FACTORS)
            .mapToObj(by -> Bounds.ofNumbers((int) (SIZE * by), (int) (SIZE * by)))
            .map(Measured::new)
            .toList();
    compare(workload, SIZE, caches, false);
  }

  @Test
  void sizesOfContentsAreThoseOfTheWholeCache() {
    Measured present = new Measured(Bounds.ofNumbers(SIZE, SIZE));
    for (int key = 0; key < SIZE / 2; key++) {
      look(present, key);
    }
    SizePoint point = simulation.byResults().present();
    assertThat(point.results()).isCloseTo(SIZE / 2, within(1000L));
    assertThat(point.entries()).isCloseTo(SIZE / 2, within(1000L));
    assertThat(point.octets()).isCloseTo(SIZE / 2 * 500L, within(500_000L));
  }

  @Test
  void olderResultsAreMissesAtEachSize() {
    List<Integer> sample = new ArrayList<>();
    for (int key = 0; sample.size() < 100; key++) {
      if (simulation.isSampled(hash(key))) {
        sample.add(key);
      }
    }
    for (int round = 0; round < 3; round++) {
      for (int key : sample) {
        lookups += 16;
        GhostLookup lookup = new GhostLookup(hash(key), 0, now - MAX_AGE, now, true);
        simulation.onMiss(lookup);
        simulation.onRead(lookup, new GhostResult(now, 0, false, 1, 500));
      }
      now += MAX_AGE + 1;
    }
    CurveStatus curve = simulation.byResults();
    assertThat(curve.points()).allSatisfy(point -> assertThat(point.hitRatio()).isLessThan(0.06));
    assertThat(curve.expired()).isCloseTo(2.0 / 3, within(0.05));
  }

  @Test
  void aLaterEpochOrAnInvalidationIsAMiss() {
    int key = 0;
    while (!simulation.isSampled(hash(key))) {
      key++;
    }
    int hash = hash(key);
    GhostLookup first = new GhostLookup(hash, 1, now - MAX_AGE, now, true);
    simulation.onMiss(first);
    simulation.onRead(first, new GhostResult(now, 1, false, 1, 500));
    simulation.onMiss(new GhostLookup(hash, 2, now - MAX_AGE, now, true));
    simulation.onRead(first, new GhostResult(now, 2, true, 1, 500));
    simulation.onInvalidated(hash);
    simulation.onMiss(new GhostLookup(hash, 3, now - MAX_AGE, now, true));
    lookups = 48;
    assertThat(simulation.byResults().present().hitRatio()).isCloseTo(0, within(0.1));
  }
}
