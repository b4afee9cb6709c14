// SPDX-License-Identifier: Apache-2.0
package io.stoa.upstream.server;

import java.util.Arrays;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.concurrent.atomic.LongAdder;

/**
 * Recent results of one server: failures (busy, unavailable or no response) and response times of
 * reads. Results fade within seconds: a server without traffic is neither good nor bad.
 *
 * <p>Threading: thread-safe. Successes take no lock, so one of two at the same moment may be lost.
 */
final class OutlierStats {
  /** Result code busy (RFC 4511, section 4.1.9). */
  private static final int BUSY = 51;

  private static final int UNAVAILABLE = 52;

  /** Consecutive failures that call for a check: 5, as Envoy's {@code consecutive_5xx}. */
  private static final int MOST_IN_A_ROW = 5;

  /** Fewest results for a rate or a median: 20. */
  private static final int LEAST = 20;

  private static final double MOST_BAD = 0.5;
  private static final int SAMPLES = 64;
  private static final long FRESH_NANOS = TimeUnit.SECONDS.toNanos(10);

  private final AtomicLongArray took = new AtomicLongArray(SAMPLES);
  private final AtomicLongArray at = new AtomicLongArray(SAMPLES);
  private final AtomicInteger samples = new AtomicInteger();

  /** Successes not yet added to {@link #good}. */
  private final LongAdder newlyGood = new LongAdder();

  private final AtomicInteger inARow = new AtomicInteger();
  private double good;
  private double bad;
  private long countedAt;
  private long badAt;

  /** True if the result code means that the server cannot work at present. */
  static boolean isBad(int code) {
    return code == BUSY || code == UNAVAILABLE;
  }

  /** Called when the server has completed an operation. */
  void good() {
    newlyGood.increment();
    if (inARow.get() != 0) {
      inARow.set(0);
    }
  }

  /** Called after a failure. Returns true if the consecutive failures call for a check. */
  synchronized boolean bad(long now) {
    forget(now);
    bad++;
    badAt = now;
    return inARow.incrementAndGet() >= MOST_IN_A_ROW;
  }

  /** Called when a read was answered. */
  void read(long nanos, long now) {
    int index = Math.floorMod(samples.getAndIncrement(), SAMPLES);
    took.setRelease(index, Math.max(1, nanos));
    at.setRelease(index, now);
  }

  /** Halves the counts once per {@link #FRESH_NANOS}. */
  private void forget(long now) {
    double kept = Math.pow(2, -(double) Math.max(0, now - countedAt) / FRESH_NANOS);
    good = good * kept + newlyGood.sumThenReset();
    bad *= kept;
    countedAt = now;
    if (now - badAt > FRESH_NANOS) {
      inARow.set(0);
    }
  }

  /** Returns why the server counts as failing; empty if it does not. */
  synchronized String failing(long now) {
    forget(now);
    int row = inARow.get();
    if (row >= MOST_IN_A_ROW) {
      return row + " operations in a row were answered busy or unavailable, or not at all";
    }
    boolean mostly = good + bad >= LEAST && bad / (good + bad) > MOST_BAD;
    return mostly ? "most operations are answered busy or unavailable, or not at all" : "";
  }

  /** Returns the median response time of recent reads in ns; 0 if there were too few. */
  synchronized long median(long now) {
    long[] fresh = new long[SAMPLES];
    int count = 0;
    for (int i = 0; i < SAMPLES; i++) {
      long nanos = took.get(i);
      if (nanos != 0 && now - at.get(i) <= FRESH_NANOS) {
        fresh[count++] = nanos;
      }
    }
    Arrays.sort(fresh, 0, count);
    return count < LEAST ? 0 : fresh[count / 2];
  }

  /** Resets the count of consecutive failures when the server recovers. */
  void beginAgain() {
    inARow.set(0);
  }

  /** Forgets all results. */
  synchronized void clear() {
    for (int i = 0; i < SAMPLES; i++) {
      took.set(i, 0);
    }
    inARow.set(0);
    newlyGood.reset();
    good = 0;
    bad = 0;
  }
}
