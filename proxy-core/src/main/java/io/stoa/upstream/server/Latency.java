// SPDX-License-Identifier: Apache-2.0
package io.stoa.upstream.server;

import java.util.concurrent.TimeUnit;

/**
 * How long a server takes to answer, as an average that forgets, but takes a longer time at its
 * full value at once: one that becomes slow is seen soon, and believed slowly to be well again.
 * Without answers it falls to 0, so that one of which nothing is heard is tried again. Thread-safe:
 * of two answers at the same moment one may go unseen, which costs less than to wait for a lock at
 * each answer.
 */
public final class Latency {
  private static final double FORGETS_NANOS = TimeUnit.SECONDS.toNanos(10);

  private volatile Average last = new Average(0, 0);

  /** The average as it was at one time. Immutable. */
  private record Average(double nanos, long at) {
    /** Time may seem to run backwards, between two threads. */
    double kept(long now) {
      return Math.exp(-Math.max(0, now - at) / FORGETS_NANOS);
    }
  }

  /** An answer took so long. */
  public void add(long nanos, long now) {
    Average before = last;
    double kept = before.kept(now);
    double faded = before.nanos * kept;
    last = new Average(nanos > faded ? nanos : faded + nanos * (1 - kept), now);
  }

  /** The average, in nanoseconds; 0 if nothing is known. */
  public double nanos(long now) {
    Average average = last;
    return average.nanos * average.kept(now);
  }
}
