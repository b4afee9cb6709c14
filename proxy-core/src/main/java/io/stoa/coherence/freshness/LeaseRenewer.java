// SPDX-License-Identifier: Apache-2.0
package io.stoa.coherence.freshness;

import io.stoa.ldap.csn.Position;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.IdentityHashMap;
import java.util.Set;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/**
 * Asks every server that takes writes how far it has got, and tells the lease what they say. Who
 * has it take its turns does so four times within the bound of the lease: {@link #interval}.
 * Confined to its event loop, but for {@link #hurry}.
 */
public final class LeaseRenewer {
  private static final int TIMES_WITHIN_BOUND = 4;

  /** Where each request is proved by itself, there are turns only to have anything go on. */
  private static final Duration SELDOM = Duration.ofMillis(250);

  /**
   * Who has not answered for so many turns is asked again: within the bound, though turns are late.
   */
  private static final int PATIENCE_TURNS = 3;

  /** What has had no answer for so many turns is lost. */
  private static final int LOST_TURNS = 2 * PATIENCE_TURNS;

  /** So many questions of one server are open at most. */
  private static final int MOST_OPEN = 2;

  private final Executor loop;
  private final Supplier<Set<?>> writable;
  private final Question question;
  private final CoherenceLease lease;
  private final LongSupplier clock;
  private final IdentityHashMap<Object, Asking> asked = new IdentityHashMap<>();
  private final AtomicBoolean hurried = new AtomicBoolean();

  /**
   * Makes it.
   *
   * @param loop on which it takes its turns, and hears the answers
   * @param writable the servers that take writes now; one is enough
   * @param question how one of them is asked
   * @param clock in nanoseconds
   */
  public LeaseRenewer(
      Executor loop,
      Supplier<Set<?>> writable,
      Question question,
      CoherenceLease lease,
      LongSupplier clock) {
    this.loop = loop;
    this.writable = writable;
    this.question = question;
    this.lease = lease;
    this.clock = clock;
  }

  /** Asks a server how far it has got. */
  public interface Question {
    /**
     * Asks.
     *
     * @param told hears the answer on the loop, if there ever is one; an empty position if the
     *     server does not say
     */
    void ask(Object server, Consumer<Position> told);
  }

  /** What was asked of a server and has no answer yet, by when; confined to the loop. */
  private static final class Asking {
    private final ArrayDeque<Long> open = new ArrayDeque<>();
    private boolean again;

    /** Whether one more may be asked, though the last one has had no answer for so long. */
    boolean mayAsk(long now, long turnNanos) {
      open.removeIf(since -> now - since >= LOST_TURNS * turnNanos);
      return open.isEmpty()
          || (open.size() < MOST_OPEN && now - open.getLast() >= PATIENCE_TURNS * turnNanos);
    }
  }

  /** How often it is to take its turn. */
  public Duration interval() {
    if (lease.bound().isZero()) {
      return SELDOM;
    }
    Duration quarter = lease.bound().dividedBy(TIMES_WITHIN_BOUND);
    return quarter.toMillis() < 1 ? Duration.ofMillis(1) : quarter;
  }

  /** Asks all servers from which no answer is to come. */
  public void turn() {
    current().forEach(server -> ask(server, false));
  }

  /**
   * Asks all servers now, and those that are being asked again as soon as they have answered: they
   * were asked before whatever is the reason for the hurry. Thread-safe.
   */
  public void hurry() {
    if (hurried.compareAndSet(false, true)) {
      loop.execute(this::hurried);
    }
  }

  private void hurried() {
    hurried.set(false); // what happens from now on may not be in the answers
    current().forEach(server -> ask(server, true));
  }

  /** The servers as they are now; the lease knows them before they are asked. */
  private Set<?> current() {
    Set<?> now = writable.get();
    lease.writable(now);
    asked.keySet().removeIf(server -> now.stream().noneMatch(one -> one == server));
    return now;
  }

  private void ask(Object server, boolean urgent) {
    Asking asking = asked.computeIfAbsent(server, any -> new Asking());
    if (asking.mayAsk(clock.getAsLong(), interval().toNanos())) {
      send(server, asking);
    } else {
      asking.again |= urgent;
    }
  }

  private void send(Object server, Asking asking) {
    long now = clock.getAsLong();
    asking.again = false;
    asking.open.addLast(now);
    question.ask(server, position -> told(server, asking, now, position));
  }

  /** An answer that comes late proves what it would have proved in time. */
  private void told(Object server, Asking asking, long t0, Position position) {
    lease.proved(server, t0, position);
    if (asking.open.removeFirstOccurrence(t0) && asking.again && asked.get(server) == asking) {
      send(server, asking);
    }
  }
}
