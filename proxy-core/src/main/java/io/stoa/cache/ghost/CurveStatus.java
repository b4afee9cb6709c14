// SPDX-License-Identifier: Apache-2.0
package io.stoa.cache.ghost;

import java.time.Duration;
import java.util.List;

/**
 * Estimated hit ratios of the caches by the size of one bound, the other bounds being large enough.
 *
 * <p>Threading: immutable.
 *
 * @param sampled number of sampled lookups
 * @param expired share of lookups that miss at the present size because their result is too old or
 *     of an earlier epoch
 * @param meanAge mean age of the results that are served at the present size
 * @param points a quarter, a half, once, twice and four times the present size
 */
public record CurveStatus(long sampled, double expired, Duration meanAge, List<SizePoint> points) {
  /** Minimum number of sampled lookups for an estimate: 2,000. */
  private static final int ENOUGH = 2000;

  /** Gain of twice the size below which a larger cache is of little use: a hundredth. */
  private static final double GAIN = 0.01;

  private static final int PRESENT = 2;

  public CurveStatus {
    points = List.copyOf(points);
  }

  /**
   * One size.
   *
   * <p>Threading: immutable.
   *
   * @param size the bound
   * @param hitRatio share of hits, from 0 to 1
   * @param results number of results that the cache would hold now
   * @param entries number of their entries
   * @param octets their size in octets
   */
  public record SizePoint(long size, double hitRatio, long results, long entries, long octets) {}

  /** True if the sample is large enough for an estimate. */
  public boolean isReliable() {
    return sampled >= ENOUGH;
  }

  /** Returns the point of the present size. */
  public SizePoint present() {
    return points.get(PRESENT);
  }

  /** True if the largest size still gains a hundredth, so that the curve has no knee yet. */
  public boolean isRising() {
    return knee().equals(points.get(points.size() - 1));
  }

  /**
   * Returns the knee: the smallest size from which on twice the size gains less than a hundredth;
   * the largest if the curve {@link #isRising}.
   */
  public SizePoint knee() {
    int knee = points.size() - 1;
    while (knee > 0 && points.get(knee).hitRatio() - points.get(knee - 1).hitRatio() < GAIN) {
      knee--;
    }
    return points.get(knee);
  }
}
