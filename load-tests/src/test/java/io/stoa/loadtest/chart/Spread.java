// SPDX-License-Identifier: Apache-2.0
package io.stoa.loadtest.chart;

import java.util.Arrays;

/**
 * A median with the ends of its spread. The ends are the smallest and largest result of the rounds,
 * or the ends of an interval.
 *
 * <p>Threading: immutable.
 */
public record Spread(double median, double low, double high) {
  public Spread {
    if (!(low <= median && median <= high)) {
      throw new IllegalArgumentException(
          "the median " + median + " must be between " + low + " and " + high);
    }
  }

  /** Returns a single result, which has no spread. */
  public static Spread of(double result) {
    return new Spread(result, result, result);
  }

  /** Returns the median, the smallest and the largest of some results. */
  public static Spread of(double... results) {
    double[] sorted = results.clone();
    Arrays.sort(sorted);
    return new Spread(median(sorted), sorted[0], sorted[sorted.length - 1]);
  }

  private static double median(double[] sorted) {
    int middle = sorted.length / 2;
    return sorted.length % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
  }
}
