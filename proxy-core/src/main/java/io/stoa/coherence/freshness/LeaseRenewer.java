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
 * Renews a lease: asks every writable server for its position, four times within the bound of the
 * lease ({@link #interval}).
 *
 * <p>Threading: event loop, except {@link #hurry}, which is thread-safe.
 */
public final class LeaseRenewer {
  private static final int TIMES_WITHIN_BOUND = 4;

  /**
   * Interval if each request is proved on its own: 250 ms. Such requests ask on their own, so the
   * turns are only a fallback.
   */
  private static final Duration FALLBACK_INTERVAL = Duration.ofMillis(250);

  /**
   * Number of turns without a response after which a server is asked again: 3. The second question
   * thus falls within the bound, even if turns are late.
   */
  private static final int RETRY_TURNS = 3;

  /** Number of turns without a response after which a question counts as lost: 6. */
  private static final int LOST_TURNS = 2 * RETRY_TURNS;

  /** Maximum number of open questions to one server: 2. */
  private static final int MAX_OPEN = 2;

  private final Executor loop;
  private final Supplier<Set<?>> writable;
  private final PositionQuery positionQuery;
  private final CoherenceLease lease;
  private final LongSupplier clock;
  private final IdentityHashMap<Object, OpenQuestions> openQuestions = new IdentityHashMap<>();
  private final AtomicBoolean isHurryPosted = new AtomicBoolean();

  /**
   * Makes a renewer.
   *
   * @param loop the event loop of its turns and of the responses
   * @param writable supplies the servers that take writes now; one is enough
   * @param positionQuery asks a server
   * @param clock the clock, in nanoseconds
   */
  public LeaseRenewer(
      Executor loop,
      Supplier<Set<?>> writable,
      PositionQuery positionQuery,
      CoherenceLease lease,
      LongSupplier clock) {
    this.loop = loop;
    this.writable = writable;
    this.positionQuery = positionQuery;
    this.lease = lease;
    this.clock = clock;
  }

  /** Asks a server for its position. */
  public interface PositionQuery {
    /**
     * Asks.
     *
     * @param receiver receives the position on the event loop, if a response arrives; an empty one
     *     if the server reports none
     */
    void ask(Object server, Consumer<Position> receiver);
  }

  /** Times of questions to a server without a response. Confined to the event loop. */
  private static final class OpenQuestions {
    private final ArrayDeque<Long> open = new ArrayDeque<>();
    private boolean askAgain;

    /**
     * True if one more question may be sent, because the last one had no response for some turns.
     */
    boolean mayAsk(long now, long turnNanos) {
      open.removeIf(since -> now - since >= LOST_TURNS * turnNanos);
      return open.isEmpty()
          || (open.size() < MAX_OPEN && now - open.getLast() >= RETRY_TURNS * turnNanos);
    }
  }

  /** Returns the interval between two turns. */
  public Duration interval() {
    if (lease.bound().isZero()) {
      return FALLBACK_INTERVAL;
    }
    Duration quarter = lease.bound().dividedBy(TIMES_WITHIN_BOUND);
    return quarter.toMillis() < 1 ? Duration.ofMillis(1) : quarter;
  }

  /** Asks all servers without an open question. */
  public void run() {
    writableServers().forEach(server -> ask(server, false));
  }

  /**
   * Asks all servers now. A server with an open question is asked again as soon as it has answered:
   * that question is older than the reason for the hurry. Threading: thread-safe.
   */
  public void hurry() {
    if (isHurryPosted.compareAndSet(false, true)) {
      loop.execute(this::hurried);
    }
  }

  private void hurried() {
    isHurryPosted.set(false); // later events may be missing in the responses
    writableServers().forEach(server -> ask(server, true));
  }

  /** Returns the present servers, after the lease has received them. */
  private Set<?> writableServers() {
    Set<?> servers = writable.get();
    lease.setWritable(servers);
    openQuestions.keySet().removeIf(server -> servers.stream().noneMatch(one -> one == server));
    return servers;
  }

  private void ask(Object server, boolean urgent) {
    OpenQuestions questions = openQuestions.computeIfAbsent(server, any -> new OpenQuestions());
    if (questions.mayAsk(clock.getAsLong(), interval().toNanos())) {
      send(server, questions);
    } else {
      questions.askAgain |= urgent;
    }
  }

  private void send(Object server, OpenQuestions questions) {
    long sentNanos = clock.getAsLong();
    questions.askAgain = false;
    questions.open.addLast(sentNanos);
    positionQuery.ask(server, position -> onAnswer(server, questions, sentNanos, position));
  }

  /** Handles a response. A late one proves the same as one in time. */
  private void onAnswer(Object server, OpenQuestions questions, long sentNanos, Position position) {
    lease.onPosition(server, sentNanos, position);
    if (questions.open.removeFirstOccurrence(sentNanos)
        && questions.askAgain
        && openQuestions.get(server) == questions) {
      send(server, questions);
    }
  }
}
