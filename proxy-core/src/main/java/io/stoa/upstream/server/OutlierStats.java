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
  private static final int MAX_CONSECUTIVE_FAILURES = 5;

  /** Fewest results for a rate or a median: 20. */
  private static final int LEAST = 20;

  private static final double MAX_BAD = 0.5;
  private static final int SAMPLES = 64;
  private static final long FRESH_NANOS = TimeUnit.SECONDS.toNanos(10);

  private final AtomicLongArray durations = new AtomicLongArray(SAMPLES);
  private final AtomicLongArray times = new AtomicLongArray(SAMPLES);
  private final AtomicInteger samples = new AtomicInteger();

  /** Successes not yet added to {@link #successes}. */
  private final LongAdder newSuccesses = new LongAdder();

  private final AtomicInteger consecutiveFailures = new AtomicInteger();
  private double successes;
  private double failures;
  private long countedAt;
  private long failedAt;

  /** True if the result code means that the server cannot work at present. */
  static boolean isFailure(int code) {
    return code == BUSY || code == UNAVAILABLE;
  }

  /** Called when the server has completed an operation. */
  void onSuccess() {
    newSuccesses.increment();
    if (consecutiveFailures.get() != 0) {
      consecutiveFailures.set(0);
    }
  }

  /** Called after a failure. Returns true if the consecutive failures call for a check. */
  synchronized boolean onFailure(long now) {
    decay(now);
    failures++;
    failedAt = now;
    return consecutiveFailures.incrementAndGet() >= MAX_CONSECUTIVE_FAILURES;
  }

  /** Called when a read was answered. */
  void onRead(long nanos, long now) {
    int index = Math.floorMod(samples.getAndIncrement(), SAMPLES);
    durations.setRelease(index, Math.max(1, nanos));
    times.setRelease(index, now);
  }

  /** Halves the counts once per {@link #FRESH_NANOS}. */
  private void decay(long now) {
    double factor = Math.pow(2, -(double) Math.max(0, now - countedAt) / FRESH_NANOS);
    successes = successes * factor + newSuccesses.sumThenReset();
    failures *= factor;
    countedAt = now;
    if (now - failedAt > FRESH_NANOS) {
      consecutiveFailures.set(0);
    }
  }

  /** Returns why the server counts as failing; empty if it does not. */
  synchronized String failureReason(long now) {
    decay(now);
    int row = consecutiveFailures.get();
    if (row >= MAX_CONSECUTIVE_FAILURES) {
      return row + " consecutive operations failed (busy, unavailable or no response)";
    }
    boolean mostly = successes + failures >= LEAST && failures / (successes + failures) > MAX_BAD;
    return mostly
        ? "more than half of the operations failed (busy, unavailable or no response)"
        : "";
  }

  /** Returns the median response time of recent reads in ns; 0 if there were too few. */
  synchronized long median(long now) {
    long[] fresh = new long[SAMPLES];
    int count = 0;
    for (int i = 0; i < SAMPLES; i++) {
      long nanos = durations.get(i);
      if (nanos != 0 && now - times.get(i) <= FRESH_NANOS) {
        fresh[count++] = nanos;
      }
    }
    Arrays.sort(fresh, 0, count);
    return count < LEAST ? 0 : fresh[count / 2];
  }

  /** Resets the count of consecutive failures when the server recovers. */
  void resetConsecutive() {
    consecutiveFailures.set(0);
  }

  /** Forgets all results. */
  synchronized void clear() {
    for (int i = 0; i < SAMPLES; i++) {
      durations.set(i, 0);
    }
    consecutiveFailures.set(0);
    newSuccesses.reset();
    successes = 0;
    failures = 0;
  }
}
