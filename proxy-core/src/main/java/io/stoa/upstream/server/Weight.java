// SPDX-License-Identifier: Apache-2.0
package io.stoa.upstream.server;

import java.time.Duration;
import java.util.concurrent.TimeUnit;

/**
 * How much of the work a server is given, beside others. One that has just come back is given a
 * little at first: its caches are cold, and all clients would come at once. Thread-safe.
 */
final class Weight {
  private static final double LEAST_PART = 0.1;
  private static final long LATELY_NANOS = TimeUnit.SECONDS.toNanos(10);

  /** In so short a time caches do not grow cold, and clients do not go elsewhere for good. */
  private static final long MOMENT_NANOS = TimeUnit.SECONDS.toNanos(3);

  private volatile long rampNanos;
  private volatile int full;

  /** Whether it has been up before. */
  private volatile boolean seen;

  /** When it came back; 0 if it never was seen. */
  private volatile long returned;

  /** When it came back from more than a moment's absence; 0 if it never did. */
  private volatile long rampFrom;

  /** Whether it has been away, and not only silent for a moment. */
  private boolean away;

  private long suspectSince;

  /**
   * Makes it.
   *
   * @param full as long as nothing has happened; at least 1
   * @param ramp how long it takes after a return until it is full again; 0 for no time at all
   */
  Weight(int full, Duration ramp) {
    this.full = full;
    this.rampNanos = ramp.toNanos();
  }

  /** From now on it takes so long. */
  void ramp(Duration time) {
    rampNanos = time.toNanos();
  }

  /** What it is now. */
  double at(long now) {
    long back = rampFrom;
    long since = now - back;
    if (back == 0 || since >= rampNanos) {
      return full;
    }
    return full * Math.max(LEAST_PART, (double) since / rampNanos);
  }

  /** Whether it has come back lately. */
  boolean returning(long now) {
    long back = returned;
    return back != 0 && now - back < Math.max(rampNanos, LATELY_NANOS);
  }

  /** What it is when nothing has happened lately. */
  int full() {
    return full;
  }

  /** From now on it is another one. */
  void full(int weight) {
    full = weight;
  }

  /**
   * The server's state has changed.
   *
   * @param ejected whether it is suspect for what it answers
   */
  synchronized void moved(BackendState state, boolean ejected) {
    long now = System.nanoTime() | 1;
    if (state == BackendState.UP) {
      back(now);
    } else if (state == BackendState.SUSPECT) {
      suspectSince = now;
      away |= ejected;
    } else {
      away = true;
    }
  }

  private void back(long now) {
    if (seen) {
      returned = now;
      rampFrom = away || now - suspectSince > MOMENT_NANOS ? now : rampFrom;
    }
    seen = true;
    away = false;
  }
}
