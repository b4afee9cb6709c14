// SPDX-License-Identifier: Apache-2.0
package io.stoa.upstream.server;

import java.util.concurrent.TimeUnit;

/**
 * Recent response time of one server: a moving average that takes a longer time at full value at
 * once.
 *
 * <ol>
 *   <li>A slowdown is seen at the first slow response; a recovery is believed only slowly.
 *   <li>Without responses the average falls to 0, so that an idle server is tried again.
 * </ol>
 *
 * <p>Threading: thread-safe. One of two responses at the same moment may be lost, which costs less
 * than a lock for each response.
 */
public final class Latency {
  private static final double FORGETS_NANOS = TimeUnit.SECONDS.toNanos(10);

  private volatile Average last = new Average(0, 0);

  /**
   * The average at one time.
   *
   * <p>Threading: immutable.
   */
  private record Average(double nanos, long at) {
    /** Returns the remaining part of the average. Clock values of two threads may run backwards. */
    double kept(long now) {
      return Math.exp(-Math.max(0, now - at) / FORGETS_NANOS);
    }
  }

  /** Adds a response time. */
  public void add(long nanos, long now) {
    Average previous = last;
    double factor = previous.kept(now);
    double faded = previous.nanos * factor;
    last = new Average(nanos > faded ? nanos : faded + nanos * (1 - factor), now);
  }

  /** Returns the average in ns; 0 if nothing is known. */
  public double nanos(long now) {
    Average average = last;
    return average.nanos * average.kept(now);
  }
}
