// SPDX-License-Identifier: Apache-2.0
package io.stoa.upstream.admission;

import io.stoa.ldap.protocol.OpType;
import io.stoa.operation.Cancellation;
import io.stoa.operation.ClientSession;
import io.stoa.operation.Operation;
import io.stoa.operation.Rejection;
import io.stoa.upstream.admission.QueueBound.Place;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.BiConsumer;
import java.util.function.Function;
import java.util.function.ObjIntConsumer;
import java.util.function.Predicate;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Operations that wait for a connection. Clients take turns: one that sends a thousand operations
 * at once does not hold up one that sends a single one; and where there are several owners of
 * clients, these do first. The bound is shared by all queues. Event-loop confined, but for the
 * bound.
 */
public final class FairQueue {
  private final QueueBound bound;
  private final Function<ClientSession, Object> owner;
  private final RoundRobinQueue<Waiting> turns = new RoundRobinQueue<>();
  private int size;

  /** Makes an empty queue, of clients that have one owner. */
  public FairQueue(QueueBound bound) {
    this(bound, any -> bound);
  }

  /**
   * Makes an empty queue.
   *
   * @param owner whose turns a client uses: others have as many, however few clients they have
   */
  public FairQueue(QueueBound bound, Function<ClientSession, Object> owner) {
    this.bound = bound;
    this.owner = owner;
  }

  /** One that waits, and since when; earlier by how long it has waited before. */
  private record Waiting(Operation operation, long since, Place place) {
    void look(long now, long mostNanos, long operationNanos, BiConsumer<Waiting, Rejection> late) {
      Rejection reason = over(now, mostNanos, operationNanos);
      if (reason != null) {
        late.accept(this, reason);
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

  /** Adds an operation; false, without effect, if as many wait as may, of all or of its client. */
  public boolean add(Operation operation, long now) {
    ClientSession client = operation.session();
    boolean binds = operation.type() == OpType.BIND_REQUEST;
    Object name = binds ? OpType.BIND_REQUEST : client.identity().name(); // nobody yet
    Place place = bound.take(name, operation.origin().session());
    if (place == null) {
      return false;
    }
    Object owned = owner.apply(client);
    Waiting waiting = new Waiting(operation, now - operation.waited(), place);
    turns.add(owned, client, waiting);
    size++;
    operation.cancellation(new Leaving(waiting, owned));
    return true;
  }

  /** An operation that is abandoned gives up its place. */
  private final class Leaving implements Cancellation {
    private final Waiting waiting;
    private final Object owned;

    Leaving(Waiting waiting, Object owned) {
      this.waiting = waiting;
      this.owned = owned;
    }

    @Override
    public void abandon() {
      if (turns.removeIf(owned, waiting.operation().session(), waiting::equals)) {
        size--;
        waiting.place().giveBack();
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
    return poll(() -> turns.next(whose));
  }

  /** The same of the clients of one owner. */
  public @Nullable Operation poll(Object whoseTurn, Predicate<ClientSession> whose) {
    return poll(() -> turns.next(whoseTurn, whose));
  }

  private @Nullable Operation poll(Supplier<@Nullable Waiting> source) {
    Waiting next = source.get();
    while (next != null && taken(next).ended()) {
      next = source.get();
    }
    return next == null ? null : next.operation();
  }

  /** Whose operations wait, those first whose turn it is. */
  public Stream<ClientSession> sessions() {
    return turns.sessions();
  }

  /** How many clients have operations that wait. */
  public int clients() {
    return turns.clients();
  }

  /** How many clients of each owner have. */
  public void owners(ObjIntConsumer<Object> each) {
    turns.owners(each);
  }

  /** How many clients of one owner have. */
  public int clients(Object whose) {
    return turns.clients(whose);
  }

  /** How many wait. */
  public int size() {
    return size;
  }

  /** Whether none waits. */
  public boolean isEmpty() {
    return size == 0;
  }

  /**
   * Refuses all that have waited longer than they may, and lets go of those that have ended. An
   * operation may be later than one that was added before it.
   *
   * @param mostNanos how long each may wait, all its tries together
   * @param operationNanos how long each may be without any answer since it was received
   */
  public void expire(long now, long mostNanos, long operationNanos) {
    Map<Waiting, Rejection> late = new LinkedHashMap<>();
    turns.each(waiting -> waiting.look(now, mostNanos, operationNanos, late::put));
    if (!late.isEmpty()) {
      turns.removeIf(late::containsKey);
      late.keySet().forEach(this::left);
      late.forEach((waiting, reason) -> waiting.operation().sink().reject(reason));
    }
  }

  /** Takes those; the others keep their turns and places, which they might not be given again. */
  public List<Operation> take(Predicate<Operation> which) {
    List<Waiting> all = new ArrayList<>();
    turns.each(all::add);
    Set<Waiting> those = new LinkedHashSet<>();
    for (Waiting waiting : all) {
      if (!waiting.operation().ended() && which.test(waiting.operation())) {
        those.add(waiting);
      }
    }
    turns.removeIf(those::contains);
    return those.stream().map(this::taken).toList();
  }

  private Operation taken(Waiting waiting) {
    Operation operation = waiting.operation();
    left(waiting);
    operation.waited(System.nanoTime() - waiting.since());
    return operation;
  }

  private void left(Waiting waiting) {
    size--;
    waiting.place().giveBack();
    waiting.operation().cancellation(null);
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
