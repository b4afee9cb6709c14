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
 * Proves for single requests that the applied changes include all that was acknowledged before the
 * request (read index, Ongaro, 2014, section 6.4). The servers are asked after the request has
 * arrived. One question serves all requests that arrived before it, and one is in flight at a time.
 *
 * <p>A server may have acknowledged a write that its position does not cover yet, because an
 * earlier write is unfinished. So the question is sent the lease's margin after the request.
 *
 * <p>Threading: thread-safe.
 */
public final class ReadIndex {
  /** Time after the earliest possible question at which a request stops waiting: 100 ms. */
  private static final long TIMEOUT_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

  /**
   * Maximum margin: 60 ms. A request that would have to wait longer is better answered upstream.
   */
  public static final long MAX_MARGIN_NANOS = TimeUnit.MILLISECONDS.toNanos(60);

  /** Minimum time between two questions: 2 ms. */
  private static final long MIN_INTERVAL_NANOS = TimeUnit.MILLISECONDS.toNanos(2);

  private final EventExecutor loop;
  private final CoherenceLease lease;
  private final LeaseRenewer renewer;
  private final LongSupplier margin;
  private final LongSupplier clock;
  private final Deque<WaitingRequest> requests = new ArrayDeque<>();
  private final AtomicBoolean isCheckPosted = new AtomicBoolean();
  private volatile long seenAsOf = CoherenceLease.NEVER;
  private long asked;
  private boolean scheduled;

  /**
   * Makes a read index.
   *
   * @param loop the event loop of the renewer
   * @param margin the margin of the lease
   * @param clock the clock, in nanoseconds
   */
  public ReadIndex(
      EventExecutor loop,
      CoherenceLease lease,
      LeaseRenewer renewer,
      LongSupplier margin,
      LongSupplier clock) {
    this.loop = loop;
    this.lease = lease;
    this.renewer = renewer;
    this.margin = margin;
    this.clock = clock;
    this.asked = clock.getAsLong();
    lease.setProofListener(this::onProved);
  }

  /** Schedules one check for any number of reports, unless they prove nothing new. */
  private void onProved() {
    if (lease.asOf() != seenAsOf && isCheckPosted.compareAndSet(false, true)) {
      loop.execute(this::check);
    }
  }

  private void check() {
    isCheckPosted.set(false);
    seenAsOf = lease.asOf();
    release();
  }

  /** A request that waits, with the margin that applies to it. Immutable. */
  private record WaitingRequest(long received, long margin, Consumer<Boolean> callback) {
    long due() {
      return received + margin;
    }

    long deadline() {
      return due() + TIMEOUT_NANOS;
    }
  }

  /**
   * Waits for the proof for one request.
   *
   * @param received the time when the request arrived
   * @param receiver called once with the result, on any thread, perhaps before this returns
   */
  public void await(long received, Consumer<Boolean> receiver) {
    long currentMargin = margin.getAsLong();
    if (lease.hasReached(received) || currentMargin > MAX_MARGIN_NANOS) {
      receiver.accept(lease.hasReached(received));
    } else {
      loop.execute(() -> add(new WaitingRequest(received, currentMargin, receiver)));
    }
  }

  private void add(WaitingRequest request) {
    requests.add(request);
    schedule();
  }

  /** Completes all requests that are proved or have timed out. */
  private void release() {
    long now = clock.getAsLong();
    for (int left = requests.size(); left > 0; left--) {
      WaitingRequest next = requests.remove();
      boolean proved = lease.hasReached(next.received());
      if (proved || now - next.deadline() >= 0) {
        next.callback().accept(proved);
      } else {
        requests.add(next);
      }
    }
  }

  private void schedule() {
    WaitingRequest first = requests.peek();
    if (!scheduled && first != null) {
      scheduled = true;
      long now = clock.getAsLong();
      long next = requests.stream().mapToLong(this::next).min().orElse(now);
      long delay = Math.max(MIN_INTERVAL_NANOS, next - now);
      loop.schedule(this::tick, delay, TimeUnit.NANOSECONDS);
    }
  }

  /** Returns when a request needs the next action: a question to the servers, or its time-out. */
  private long next(WaitingRequest request) {
    return asked - request.due() >= 0 ? request.deadline() : request.due();
  }

  private void tick() {
    scheduled = false;
    long now = clock.getAsLong();
    boolean ask = requests.stream().anyMatch(it -> asked - it.due() < 0 && now - it.due() >= 0);
    if (ask) {
      asked = now;
      renewer.hurry();
    }
    release();
    schedule();
  }
}
