// SPDX-License-Identifier: Apache-2.0
package io.stoa.cache.result;

import java.util.concurrent.TimeUnit;

/**
 * Recent hits of a result in one int, since each stored result has one. The upper 30 bits are the
 * start of a window in milliseconds, modulo 2^30 (12 days). The lower 2 bits are the hits in it.
 *
 * <p>A refresh begins a window in the future, so that the next refresh waits for it.
 *
 * <p>Threading: stateless.
 */
final class HitCount {
  private static final int COUNT_BITS = 2;
  private static final int COUNT_MASK = 3;

  /** Hits within one window that make a result hot, so that it is refreshed ahead: 3. */
  private static final int HOT = 3;

  private static final int WINDOW_MILLIS = 10_000;

  /** Minimum time between two refreshes of one result, successful or not: 250 ms. */
  private static final int PAUSE_MILLIS = 250;

  private HitCount() {}

  private static int of(int millis, int hits) {
    return millis << COUNT_BITS | hits;
  }

  private static int millis(long nanos) {
    return (int) TimeUnit.NANOSECONDS.toMillis(nanos);
  }

  /**
   * Returns the time in ms since the window began; negative before it, which is a pause at most.
   */
  private static int age(int count, long now) {
    int age = (of(millis(now), 0) - (count & ~COUNT_MASK)) >> COUNT_BITS;
    return age < -PAUSE_MILLIS ? Integer.MAX_VALUE : age; // a count of days ago has wrapped around
  }

  private static int hits(int count) {
    return count & COUNT_MASK;
  }

  /** Returns the count of a new result. */
  static int none(long now) {
    return of(millis(now), 0);
  }

  /** Returns the count after a hit. */
  static int counted(int count, long now) {
    int age = age(count, now);
    if (age > WINDOW_MILLIS) {
      return of(millis(now), 1);
    }
    return age < 0 || hits(count) == HOT ? count : count + 1;
  }

  /** True if another request for the result is likely. */
  static boolean isHot(int count, long now) {
    return hits(count) == HOT && age(count, now) <= 2 * WINDOW_MILLIS;
  }

  /** True if the result is hot, and its last refresh is long enough ago. */
  static boolean mayRefresh(int count, long now) {
    return isHot(count, now) && age(count, now) >= 0;
  }

  /** Returns the count of a hot result after a refresh has begun. */
  static int refreshed(long now) {
    return of(millis(now) + PAUSE_MILLIS, HOT);
  }
}
