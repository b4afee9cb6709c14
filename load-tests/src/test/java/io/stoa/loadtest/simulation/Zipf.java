// SPDX-License-Identifier: Apache-2.0
package io.stoa.loadtest.simulation;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ThreadLocalRandom;
import java.util.stream.IntStream;

/**
 * Picks numbers by Zipf's law with exponent 1: the second one half as often as the first, the third
 * a third as often. The order of the numbers is shuffled with a fixed seed.
 *
 * <p>Threading: immutable.
 */
final class Zipf {
  private static final long SEED = 7;

  private final double[] sums;
  private final List<Integer> ranked;

  /** Creates the distribution over the numbers below {@code count}. */
  Zipf(int count) {
    sums = new double[count];
    double sum = 0;
    for (int i = 0; i < count; i++) {
      sum += 1.0 / (i + 1);
      sums[i] = sum;
    }
    List<Integer> numbers = new ArrayList<>(IntStream.range(0, count).boxed().toList());
    Collections.shuffle(numbers, new Random(SEED));
    ranked = List.copyOf(numbers);
  }

  /** Returns the probability of each number. */
  double[] shares() {
    double[] shares = new double[sums.length];
    for (int rank = 0; rank < sums.length; rank++) {
      shares[ranked.get(rank)] = 1 / (rank + 1.0) / sums[sums.length - 1];
    }
    return shares;
  }

  int next() {
    double at = ThreadLocalRandom.current().nextDouble() * sums[sums.length - 1];
    int found = Arrays.binarySearch(sums, at);
    return ranked.get(Math.min(sums.length - 1, found < 0 ? -found - 1 : found));
  }
}
