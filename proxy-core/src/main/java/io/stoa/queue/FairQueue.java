// SPDX-License-Identifier: Apache-2.0
package io.stoa.queue;

import io.stoa.operation.Cancellation;
import io.stoa.operation.ClientSession;
import io.stoa.operation.Operation;
import io.stoa.operation.Rejection;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.BiConsumer;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Operations that wait for a connection. Clients take turns: one that sends a thousand operations
 * at once does not hold up one that sends a single one. The bound is shared by all queues.
 * Event-loop confined, but for the bound.
 */
public final class FairQueue {
  private final QueueBound bound;
  private final Map<ClientSession, ArrayDeque<Waiting>> turns = new LinkedHashMap<>();
  private int size;

  /** Makes an empty queue. */
  public FairQueue(QueueBound bound) {
    this.bound = bound;
  }

  /** One that waits, and since when; earlier by how long it has waited before. */
  private record Waiting(Operation operation, long since) {
    void look(
        long now, long mostNanos, long operationNanos, BiConsumer<Operation, Rejection> late) {
      Rejection reason = over(now, mostNanos, operationNanos);
      if (reason != null) {
        late.accept(operation, reason);
      }
    }

    /** Why it may not wait any more; null if it may. */
    private @Nullable Rejection over(long now, long mostNanos, long operationNanos) {
      if (now - operation.receivedNanos() > operation.timeLimitNanos()) {
        return Rejection.TIME_LIMIT;
      }
      if (operation.ended() || now - since > mostNanos) {
        return Rejection.QUEUE_TIMEOUT;
      }
      return now - operation.waitsSince() > operationNanos ? Rejection.UPSTREAM_TIMEOUT : null;
    }
  }

  /** Adds an operation; false, without effect, if as many wait as may. */
  public boolean add(Operation operation, long now) {
    if (!bound.take()) {
      return false;
    }
    turns
        .computeIfAbsent(operation.session(), session -> new ArrayDeque<>(2))
        .add(new Waiting(operation, now - operation.waited()));
    size++;
    operation.cancellation(new Leaving(operation));
    return true;
  }

  /** An operation that is abandoned gives up its place. */
  private final class Leaving implements Cancellation {
    private final Operation operation;

    Leaving(Operation operation) {
      this.operation = operation;
    }

    @Override
    public void abandon() {
      ArrayDeque<Waiting> turn = turns.get(operation.session());
      if (turn != null && turn.removeIf(waiting -> waiting.operation() == operation)) {
        size--;
        bound.giveBack();
        if (turn.isEmpty()) {
          turns.remove(operation.session());
        }
      }
    }

    @Override
    public boolean forward(Operation cancelRequest) {
      return false;
    }
  }

  /** Takes the next operation that has not ended; null if there is none. */
  public @Nullable Operation poll() {
    return poll(anybody -> true);
  }

  /** The same of those clients only. */
  public @Nullable Operation poll(Predicate<ClientSession> whose) {
    Operation next = take(whose);
    while (next != null && next.ended()) {
      next = take(whose);
    }
    return next;
  }

  private @Nullable Operation take(Predicate<ClientSession> whose) {
    for (ClientSession session : turns.keySet()) {
      if (whose.test(session)) {
        return takeOf(session);
      }
    }
    return null;
  }

  /** Its next turn comes after those of all others. */
  private @Nullable Operation takeOf(ClientSession session) {
    ArrayDeque<Waiting> turn = turns.remove(session);
    if (turn == null) {
      return null;
    }
    Waiting waiting = taken(turn);
    if (!turn.isEmpty()) {
      turns.put(session, turn);
    }
    return waiting.operation();
  }

  /** Whose operations wait, those first whose turn it is. */
  public Set<ClientSession> sessions() {
    return Collections.unmodifiableSet(turns.keySet());
  }

  /** How many wait. */
  public int size() {
    return size;
  }

  /** Whether none waits. */
  public boolean isEmpty() {
    return turns.isEmpty();
  }

  /**
   * Refuses all that have waited longer than they may, and lets go of those that have ended. An
   * operation may be later than one that was added before it.
   *
   * @param mostNanos how long each may wait, all its tries together
   * @param operationNanos how long each may be without any answer since it was received
   */
  public void expire(long now, long mostNanos, long operationNanos) {
    Map<Operation, Rejection> late = new LinkedHashMap<>();
    for (ArrayDeque<Waiting> turn : turns.values()) {
      turn.forEach(waiting -> waiting.look(now, mostNanos, operationNanos, late::put));
    }
    if (!late.isEmpty()) {
      turns.values().removeIf(turn -> without(turn, late.keySet()));
      late.keySet().forEach(this::left);
      late.forEach((operation, reason) -> operation.sink().reject(reason));
    }
  }

  private static boolean without(ArrayDeque<Waiting> turn, Set<Operation> late) {
    turn.removeIf(waiting -> late.contains(waiting.operation()));
    return turn.isEmpty();
  }

  private Waiting taken(ArrayDeque<Waiting> queue) {
    Waiting waiting = queue.remove();
    left(waiting.operation());
    waiting.operation().waited(System.nanoTime() - waiting.since());
    return waiting;
  }

  private void left(Operation operation) {
    size--;
    bound.giveBack();
    operation.cancellation(null);
  }

  /** Takes all. */
  public List<Operation> drain() {
    return drain(anybody -> true);
  }

  /** The same of those clients only. */
  public List<Operation> drain(Predicate<ClientSession> whose) {
    List<Operation> all = new ArrayList<>();
    for (Operation next = poll(whose); next != null; next = poll(whose)) {
      all.add(next);
    }
    return all;
  }
}
