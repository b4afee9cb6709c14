// SPDX-License-Identifier: Apache-2.0
package io.stoa.upstream.server;

import java.time.Duration;
import java.util.concurrent.TimeUnit;

/**
 * Share of the load that one server receives. A server that has just come back starts with a tenth
 * of its weight: its caches are cold, and all clients would arrive at once.
 *
 * <p>Threading: thread-safe.
 */
final class Weight {
  private static final double MIN_PART = 0.1;
  private static final long LATELY_NANOS = TimeUnit.SECONDS.toNanos(10);

  /**
   * Longest absence without slow start: 3 s. Caches do not grow cold and clients do not settle
   * elsewhere within that time.
   */
  private static final long MOMENT_NANOS = TimeUnit.SECONDS.toNanos(3);

  private volatile long rampNanos;
  private volatile int full;

  /** True if the server has been up before. */
  private volatile boolean seen;

  /** Time of the last return; 0 if there was none. */
  private volatile long returned;

  /** Time of the last return after more than {@link #MOMENT_NANOS}; 0 if there was none. */
  private volatile long rampFrom;

  /** True if the server has been down, drained or ejected, and not only silent. */
  private boolean away;

  private long suspectSince;

  /**
   * Creates the weight of one server.
   *
   * @param full weight after the slow start; at least 1
   * @param ramp duration of the slow start; 0 for none
   */
  Weight(int full, Duration ramp) {
    this.full = full;
    this.rampNanos = ramp.toNanos();
  }

  /** Sets the duration of the slow start. */
  void setRamp(Duration time) {
    rampNanos = time.toNanos();
  }

  /** Returns the weight now. */
  double at(long now) {
    long back = rampFrom;
    long since = now - back;
    if (back == 0 || since >= rampNanos) {
      return full;
    }
    return full * Math.max(MIN_PART, (double) since / rampNanos);
  }

  /**
   * True if the server came back within the slow start, or within the last 10 s if that is longer.
   */
  boolean isReturning(long now) {
    long back = returned;
    return back != 0 && now - back < Math.max(rampNanos, LATELY_NANOS);
  }

  /** Returns the weight without slow start. */
  int full() {
    return full;
  }

  /** Sets the weight without slow start. */
  void setFull(int weight) {
    full = weight;
  }

  /**
   * Called when the server's state has changed.
   *
   * @param ejected true if the server is ejected for its results
   */
  synchronized void onState(BackendState state, boolean ejected) {
    long now = System.nanoTime() | 1;
    if (state == BackendState.UP) {
      onReturn(now);
    } else if (state == BackendState.SUSPECT) {
      suspectSince = now;
      away |= ejected;
    } else {
      away = true;
    }
  }

  private void onReturn(long now) {
    if (seen) {
      returned = now;
      rampFrom = away || now - suspectSince > MOMENT_NANOS ? now : rampFrom;
    }
    seen = true;
    away = false;
  }
}
