// SPDX-License-Identifier: Apache-2.0
package io.stoa.backend;

import java.util.concurrent.TimeUnit;

/**
 * How long a server takes to answer, as an average that forgets, but takes a longer time at its
 * full value at once: one that becomes slow is seen soon, and believed slowly to be well again.
 * Without answers it falls to 0, so that one of which nothing is heard is tried again. Thread-safe.
 */
public final class Latency {
  private static final double FORGETS_NANOS = TimeUnit.SECONDS.toNanos(10);

  private double average;
  private long at;

  /** An answer took so long. */
  public synchronized void add(long nanos, long now) {
    double kept = kept(now);
    average = nanos > average * kept ? nanos : average * kept + nanos * (1 - kept);
    at = now;
  }

  /** The average, in nanoseconds; 0 if nothing is known. */
  public synchronized double nanos(long now) {
    return average * kept(now);
  }

  /** Time may seem to run backwards, between two threads. */
  private double kept(long now) {
    return Math.exp(-Math.max(0, now - at) / FORGETS_NANOS);
  }
}
