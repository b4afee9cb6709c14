// SPDX-License-Identifier: Apache-2.0
package io.stoa.routing.retry;

import io.stoa.ldap.protocol.LdapProtocolException;
import io.stoa.ldap.protocol.OpType;
import io.stoa.operation.Operation;
import io.stoa.upstream.server.Backend;
import java.util.Arrays;
import java.util.Map;
import java.util.WeakHashMap;
import java.util.concurrent.TimeUnit;

/**
 * Asks a second server, too, when a read has had no answer for longer than 19 of 20 reads of its
 * server take (Dean and Barroso, The Tail at Scale, 2013). At most one read in twenty is asked
 * twice, so that a directory that becomes slow as a whole is not made slower. Event-loop confined.
 */
final class Hedge {
  private static final double PART = 0.05;
  private static final int MOST = 20;

  /** Whoever answers within so long need not be overtaken. */
  private static final long LEAST_NANOS = TimeUnit.MILLISECONDS.toNanos(10);

  private final Replay.Ways ways;

  /** Servers that have gone are forgotten. */
  private final Map<Backend, Recent> recent = new WeakHashMap<>();

  private double left = 1;

  Hedge(Replay.Ways ways) {
    this.ways = ways;
  }

  /** Makes the operation that is asked of a second server, from the first. Event-loop confined. */
  interface Doubling {
    /** The operation that is sent; called once, if it is. */
    Operation twin();

    /** Whether there is still nothing of an answer. */
    boolean waits();
  }

  /** A read is sent to a server. */
  void asks(Operation operation, Backend server, Doubling doubling) {
    if (operation.type() != OpType.SEARCH_REQUEST && operation.type() != OpType.COMPARE_REQUEST) {
      return;
    }
    left = Math.min(MOST, left + PART);
    long after = recent.computeIfAbsent(server, none -> new Recent()).most();
    if (after > 0) {
      operation
          .session()
          .executor()
          .schedule(() -> late(operation, server, doubling), after, TimeUnit.NANOSECONDS);
    }
  }

  private void late(Operation operation, Backend server, Doubling doubling) {
    if (left < 1 || operation.ended() || !doubling.waits()) {
      return;
    }
    try {
      if (ways.second(operation, server, doubling::twin)) {
        left--;
        server.hedges().sent();
      }
    } catch (LdapProtocolException e) {
      throw new IllegalStateException("a request that was sent before is malformed now", e);
    }
  }

  /** A server has answered, or was overtaken, after so long. */
  void took(Backend server, long nanos) {
    recent.computeIfAbsent(server, none -> new Recent()).add(nanos);
  }

  /** How long the last answers of a server took. Event-loop confined. */
  private static final class Recent {
    private static final int SIZE = 128;
    private static final int STEP = 16;

    private final long[] nanos = new long[SIZE];
    private int count;
    private long most;

    void add(long taken) {
      nanos[count % SIZE] = taken;
      count++;
      if (count % STEP == 0) {
        int known = Math.min(count, SIZE);
        long[] sorted = Arrays.copyOf(nanos, known);
        Arrays.sort(sorted);
        most = Math.max(LEAST_NANOS, sorted[(int) (known * (1 - PART))]);
      }
    }

    /** The time within which 19 of 20 came; 0 if too few are known. */
    long most() {
      return most;
    }
  }
}
