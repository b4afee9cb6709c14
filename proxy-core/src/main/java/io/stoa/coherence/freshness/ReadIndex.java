// SPDX-License-Identifier: Apache-2.0
package io.stoa.coherence.freshness;

import io.netty.util.concurrent.EventExecutor;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import java.util.function.LongSupplier;

/**
 * Finds out for requests that may be given nothing old whether what is kept shows all that was
 * acknowledged before they came. The servers are asked after that; one question answers for all
 * requests that had come before it, and there is one under way at a time. Thread-safe.
 *
 * <p>A server may have acknowledged a write that its position does not cover yet, since an earlier
 * one is not finished. So it is asked the lease's margin later than the request has come.
 */
public final class ReadIndex {
  /** So long after it could be known at the earliest it is too late. */
  private static final long PATIENCE_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

  /** Who would have to wait for longer is better off without. */
  public static final long MOST_MARGIN_NANOS = TimeUnit.MILLISECONDS.toNanos(60);

  /** Servers are not asked more often than that. */
  private static final long GAP_NANOS = TimeUnit.MILLISECONDS.toNanos(2);

  private final EventExecutor loop;
  private final CoherenceLease lease;
  private final LeaseRenewer prober;
  private final LongSupplier margin;
  private final LongSupplier clock;
  private final Deque<Waiting> waiting = new ArrayDeque<>();
  private final AtomicBoolean posted = new AtomicBoolean();
  private volatile long seen = CoherenceLease.NEVER;
  private long asked;
  private boolean scheduled;

  /**
   * Makes it.
   *
   * @param loop that of the prober
   * @param margin that of the lease
   * @param clock in nanoseconds
   */
  public ReadIndex(
      EventExecutor loop,
      CoherenceLease lease,
      LeaseRenewer prober,
      LongSupplier margin,
      LongSupplier clock) {
    this.loop = loop;
    this.lease = lease;
    this.prober = prober;
    this.margin = margin;
    this.clock = clock;
    this.asked = clock.getAsLong();
    lease.whenProved(this::proved);
  }

  /** However much is told at a time, and proves nothing new, it is looked at once. */
  private void proved() {
    if (lease.asOf() != seen && posted.compareAndSet(false, true)) {
      loop.execute(this::look);
    }
  }

  private void look() {
    posted.set(false);
    seen = lease.asOf();
    release();
  }

  /** A request that waits, and what it may have to wait for. Immutable. */
  private record Waiting(long received, long margin, Consumer<Boolean> told) {
    long due() {
      return received + margin;
    }

    long deadline() {
      return due() + PATIENCE_NANOS;
    }
  }

  /**
   * Asks for one request.
   *
   * @param received when it came
   * @param told is given the answer once, on any thread, perhaps at once
   */
  public void await(long received, Consumer<Boolean> told) {
    long now = margin.getAsLong();
    if (lease.reaches(received) || now > MOST_MARGIN_NANOS) {
      told.accept(lease.reaches(received));
    } else {
      loop.execute(() -> add(new Waiting(received, now, told)));
    }
  }

  private void add(Waiting request) {
    waiting.add(request);
    schedule();
  }

  /** The servers have told something: whom it answers need wait no longer. */
  private void release() {
    long now = clock.getAsLong();
    for (int left = waiting.size(); left > 0; left--) {
      Waiting next = waiting.remove();
      boolean proved = lease.reaches(next.received());
      if (proved || now - next.deadline() >= 0) {
        next.told().accept(proved);
      } else {
        waiting.add(next);
      }
    }
  }

  private void schedule() {
    Waiting first = waiting.peek();
    if (!scheduled && first != null) {
      scheduled = true;
      long now = clock.getAsLong();
      long next = waiting.stream().mapToLong(this::next).min().orElse(now);
      long delay = Math.max(GAP_NANOS, next - now);
      loop.schedule(this::turn, delay, TimeUnit.NANOSECONDS);
    }
  }

  /** When something is to be done for a request: the servers asked, or it given up. */
  private long next(Waiting request) {
    return asked - request.due() >= 0 ? request.deadline() : request.due();
  }

  private void turn() {
    scheduled = false;
    long now = clock.getAsLong();
    boolean ask = waiting.stream().anyMatch(it -> asked - it.due() < 0 && now - it.due() >= 0);
    if (ask) {
      asked = now;
      prober.hurry();
    }
    release();
    schedule();
  }
}
