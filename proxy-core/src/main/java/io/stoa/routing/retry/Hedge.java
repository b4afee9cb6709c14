// SPDX-License-Identifier: Apache-2.0
package io.stoa.routing.retry;

import io.stoa.ldap.protocol.OpType;
import io.stoa.operation.Operation;
import io.stoa.upstream.server.Backend;
import java.util.Arrays;
import java.util.Map;
import java.util.WeakHashMap;
import java.util.concurrent.TimeUnit;

/**
 * Sends a second request to another server when a read is slow: when it has waited longer than 19
 * of 20 reads of its server take (Dean and Barroso, The Tail at Scale, 2013).
 *
 * <p>At most one read in twenty is sent twice. A directory that becomes slow as a whole is not
 * slowed further.
 *
 * <p>Threading: event loop.
 */
final class Hedge {
  private static final double PART = 0.05;
  private static final int MAX = 20;

  /** Minimum wait before a hedge: 10 ms. Faster servers gain nothing from one. */
  private static final long MIN_NANOS = TimeUnit.MILLISECONDS.toNanos(10);

  private final Replay.OperationSender sender;

  /** Latencies by server; weak, so that removed servers disappear. */
  private final Map<Backend, Latencies> recent = new WeakHashMap<>();

  private double budget = 1;

  Hedge(Replay.OperationSender sender) {
    this.sender = sender;
  }

  /**
   * Creates the hedged operation from the first.
   *
   * <p>Threading: event loop.
   */
  interface HedgeSource {
    /** Returns the operation to send. Called at most once. */
    Operation create();

    /** True if no part of an answer has arrived. */
    boolean isWaiting();
  }

  /** Called when a read is sent to a server. Schedules a hedge. */
  void onSend(Operation operation, Backend server, HedgeSource doubling) {
    if (operation.type() != OpType.SEARCH_REQUEST && operation.type() != OpType.COMPARE_REQUEST) {
      return;
    }
    budget = Math.min(MAX, budget + PART);
    long after = recent.computeIfAbsent(server, none -> new Latencies()).percentile95();
    if (after > 0) {
      operation
          .session()
          .executor()
          .schedule(() -> onLate(operation, server, doubling), after, TimeUnit.NANOSECONDS);
    }
  }

  private void onLate(Operation operation, Backend server, HedgeSource doubling) {
    if (budget < 1 || operation.hasEnded() || !doubling.isWaiting()) {
      return;
    }
    if (sender.sendHedge(operation, server, doubling::create)) {
      budget--;
      server.hedges().onSent();
    }
  }

  /** Records how long a server took to answer, or until it was overtaken. */
  void recordLatency(Backend server, long nanos) {
    recent.computeIfAbsent(server, none -> new Latencies()).add(nanos);
  }

  /**
   * Latencies of the last 128 answers of a server.
   *
   * <p>Threading: event loop.
   */
  private static final class Latencies {
    private static final int SIZE = 128;
    private static final int STEP = 16;

    private final long[] nanos = new long[SIZE];
    private int count;
    private long percentile95;

    void add(long duration) {
      nanos[count % SIZE] = duration;
      count++;
      if (count % STEP == 0) {
        int size = Math.min(count, SIZE);
        long[] sorted = Arrays.copyOf(nanos, size);
        Arrays.sort(sorted);
        percentile95 = Math.max(MIN_NANOS, sorted[(int) (size * (1 - PART))]);
      }
    }

    /** Returns the 95th percentile in nanoseconds; 0 while too few answers are known. */
    long percentile95() {
      return percentile95;
    }
  }
}
