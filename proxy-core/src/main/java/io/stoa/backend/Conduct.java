// SPDX-License-Identifier: Apache-2.0
package io.stoa.backend;

import java.util.Arrays;
import java.util.concurrent.TimeUnit;

/**
 * How a server has answered lately: whether it said that it is busy or unavailable, or nothing at
 * all, and how long reads took. What is older than a few seconds says nothing: a server that was
 * not asked is neither good nor bad. Thread-safe.
 */
final class Conduct {
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

  private final long[] took = new long[SAMPLES];
  private final long[] at = new long[SAMPLES];
  private int samples;
  private int inARow;
  private double good;
  private double bad;
  private long countedAt;

  /** Whether a result code says that the server cannot do its work. */
  static boolean isBad(int code) {
    return code == BUSY || code == UNAVAILABLE;
  }

  /** It did its work. */
  synchronized void good(long now) {
    forget(now);
    good++;
    inARow = 0;
  }

  /** It did not do its work; true if that has come to be worth a look. */
  synchronized boolean bad(long now) {
    forget(now);
    bad++;
    return ++inARow >= MOST_IN_A_ROW;
  }

  /** A read was answered after so long. */
  synchronized void read(long nanos, long now) {
    int index = samples++ % SAMPLES;
    took[index] = nanos;
    at[index] = now;
  }

  /** Counts are halved in each period of freshness. */
  private void forget(long now) {
    double kept = Math.pow(2, -(double) Math.max(0, now - countedAt) / FRESH_NANOS);
    good *= kept;
    bad *= kept;
    inARow = now - countedAt > FRESH_NANOS ? 0 : inARow;
    countedAt = now;
  }

  /** Why it is to be used less; empty if it is not. */
  synchronized String failing(long now) {
    forget(now);
    if (inARow >= MOST_IN_A_ROW) {
      return inARow + " operations in a row were answered busy or unavailable, or not at all";
    }
    boolean mostly = good + bad >= LEAST && bad / (good + bad) > MOST_BAD;
    return mostly ? "most operations are answered busy or unavailable, or not at all" : "";
  }

  /** How long half of its reads take, in nanoseconds; 0 if there were too few lately. */
  synchronized long median(long now) {
    long[] fresh = new long[Math.min(samples, SAMPLES)];
    int count = 0;
    for (int i = 0; i < fresh.length; i++) {
      if (now - at[i] <= FRESH_NANOS) {
        fresh[count++] = took[i];
      }
    }
    Arrays.sort(fresh, 0, count);
    return count < LEAST ? 0 : fresh[count / 2];
  }

  /** Nothing is known any more. */
  synchronized void clear() {
    samples = 0;
    inARow = 0;
    good = 0;
    bad = 0;
  }
}
