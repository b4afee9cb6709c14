// SPDX-License-Identifier: Apache-2.0
package io.stoa.upstream.server;

import java.util.Arrays;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.concurrent.atomic.LongAdder;

/**
 * How a server has answered lately: whether it said that it is busy or unavailable, or nothing at
 * all, and how long reads took. What is older than a few seconds says nothing: a server that was
 * not asked is neither good nor bad. Thread-safe: good answers take no lock, so that of two at the
 * same moment one may go unseen.
 */
final class OutlierStats {
  /** RFC 4511, section 4.1.9. */
  private static final int BUSY = 51;

  private static final int UNAVAILABLE = 52;

  /** Envoy's consecutive_5xx. */
  private static final int MOST_IN_A_ROW = 5;

  /** So few answers are no statistics. */
  private static final int LEAST = 20;

  private static final double MOST_BAD = 0.5;
  private static final int SAMPLES = 64;
  private static final long FRESH_NANOS = TimeUnit.SECONDS.toNanos(10);

  private final AtomicLongArray took = new AtomicLongArray(SAMPLES);
  private final AtomicLongArray at = new AtomicLongArray(SAMPLES);
  private final AtomicInteger samples = new AtomicInteger();

  /** Those that are not in the count yet. */
  private final LongAdder newlyGood = new LongAdder();

  private final AtomicInteger inARow = new AtomicInteger();
  private double good;
  private double bad;
  private long countedAt;
  private long badAt;

  /** Whether a result code says that the server cannot do its work. */
  static boolean isBad(int code) {
    return code == BUSY || code == UNAVAILABLE;
  }

  /** It did its work. */
  void good() {
    newlyGood.increment();
    if (inARow.get() != 0) {
      inARow.set(0);
    }
  }

  /** It did not do its work; true if that has come to be worth a look. */
  synchronized boolean bad(long now) {
    forget(now);
    bad++;
    badAt = now;
    return inARow.incrementAndGet() >= MOST_IN_A_ROW;
  }

  /** A read was answered after so long. */
  void read(long nanos, long now) {
    int index = Math.floorMod(samples.getAndIncrement(), SAMPLES);
    took.setRelease(index, Math.max(1, nanos));
    at.setRelease(index, now);
  }

  /** Counts are halved in each period of freshness. */
  private void forget(long now) {
    double kept = Math.pow(2, -(double) Math.max(0, now - countedAt) / FRESH_NANOS);
    good = good * kept + newlyGood.sumThenReset();
    bad *= kept;
    countedAt = now;
    if (now - badAt > FRESH_NANOS) {
      inARow.set(0);
    }
  }

  /** Why it is to be used less; empty if it is not. */
  synchronized String failing(long now) {
    forget(now);
    int row = inARow.get();
    if (row >= MOST_IN_A_ROW) {
      return row + " operations in a row were answered busy or unavailable, or not at all";
    }
    boolean mostly = good + bad >= LEAST && bad / (good + bad) > MOST_BAD;
    return mostly ? "most operations are answered busy or unavailable, or not at all" : "";
  }

  /** How long half of its reads take, in nanoseconds; 0 if there were too few lately. */
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

  /** It has come back: what it did not answer meanwhile is not in a row with what comes. */
  void beginAgain() {
    inARow.set(0);
  }

  /** Nothing is known any more. */
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
