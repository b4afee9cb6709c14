// SPDX-License-Identifier: Apache-2.0
package io.stoa.upstream.admission;

import io.stoa.ldap.protocol.OpType;
import io.stoa.operation.Cancellation;
import io.stoa.operation.ClientSession;
import io.stoa.operation.Operation;
import io.stoa.operation.OperationState;
import io.stoa.operation.Rejection;
import io.stoa.upstream.admission.QueueBound.Reservation;
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
 * Operations that wait for a connection, in fair order. Owners take turns, and so do the clients of
 * each owner. A client with a thousand waiting operations does not hold up one with a single
 * operation.
 *
 * <p>Threading: event loop, except the limit, which all queues share.
 */
public final class FairQueue {
  private final QueueBound bound;
  private final Function<ClientSession, Object> owner;
  private final RoundRobinQueue<ClientSession, Waiting> queue = new RoundRobinQueue<>();
  private int size;

  /** Creates an empty queue whose clients share one owner. */
  public FairQueue(QueueBound bound) {
    this(bound, any -> bound);
  }

  /**
   * Creates an empty queue.
   *
   * @param owner returns the owner of a client; each owner gets as many turns, however few clients
   *     it has
   */
  public FairQueue(QueueBound bound, Function<ClientSession, Object> owner) {
    this.bound = bound;
    this.owner = owner;
  }

  /** A waiting operation. Its {@code since} lies earlier by the time of previous waits. */
  private record Waiting(Operation operation, long since, Reservation reservation) {
    void checkExpiry(
        long now, long maxNanos, long operationNanos, BiConsumer<Waiting, Rejection> onExpired) {
      Rejection reason = expiryReason(now, maxNanos, operationNanos);
      if (reason != null) {
        onExpired.accept(this, reason);
      }
    }

    /** Returns why the operation may not wait any longer; null if it may. */
    private @Nullable Rejection expiryReason(long now, long maxNanos, long operationNanos) {
      if (now - operation.receivedNanos() > operation.timeLimitNanos()) {
        return Rejection.TIME_LIMIT;
      }
      if (operation.hasEnded() || now - since > maxNanos) {
        return Rejection.QUEUE_TIMEOUT;
      }
      return now - operation.waitsSince() > operationNanos ? Rejection.UPSTREAM_TIMEOUT : null;
    }
  }

  /**
   * Adds an operation. Returns false, without effect, if the limit of waiting operations is
   * reached.
   */
  public boolean add(Operation operation, long now) {
    ClientSession client = operation.session();
    boolean binds = operation.type() == OpType.BIND_REQUEST;
    Object name = binds ? OpType.BIND_REQUEST : client.identity().name(); // no name yet
    Reservation reservation = bound.take(name, operation.origin().session());
    if (reservation == null) {
      return false;
    }
    Object queueOwner = owner.apply(client);
    Waiting waiting = new Waiting(operation, now - operation.waited(), reservation);
    queue.add(queueOwner, client, waiting);
    size++;
    operation.setCancellation(new QueueCancellation(waiting, queueOwner));
    operation.moveTo(OperationState.WAITING);
    return true;
  }

  /** Adds an operation, or rejects it if that limit is reached. Returns true if it waits. */
  public boolean addOrReject(Operation operation) {
    boolean waits = add(operation, System.nanoTime());
    if (!waits) {
      operation.sink().reject(Rejection.QUEUE_FULL);
    }
    return waits;
  }

  /** Removes an abandoned operation and frees its place. */
  private final class QueueCancellation implements Cancellation {
    private final Waiting waiting;
    private final Object queueOwner;

    QueueCancellation(Waiting waiting, Object queueOwner) {
      this.waiting = waiting;
      this.queueOwner = queueOwner;
    }

    @Override
    public void abandon() {
      if (queue.removeIf(queueOwner, waiting.operation().session(), waiting::equals)) {
        size--;
        waiting.reservation().giveBack();
      }
    }

    @Override
    public boolean forward(Operation cancelRequest) {
      return false;
    }
  }

  /** Removes and returns the next operation that has not ended; null if there is none. */
  public @Nullable Operation poll() {
    return poll(client -> true);
  }

  /** Removes and returns the next operation of the matching clients; null if there is none. */
  public @Nullable Operation poll(Predicate<ClientSession> eligible) {
    return poll(() -> queue.next(eligible));
  }

  /**
   * Removes and returns the next operation of one owner's matching clients; null if there is none.
   */
  public @Nullable Operation poll(Object queueOwner, Predicate<ClientSession> eligible) {
    return poll(() -> queue.next(queueOwner, eligible));
  }

  private @Nullable Operation poll(Supplier<@Nullable Waiting> source) {
    Waiting next = source.get();
    while (next != null && onTaken(next).hasEnded()) {
      next = source.get();
    }
    return next == null ? null : next.operation();
  }

  /** Returns the clients with waiting operations, in the order of turns. */
  public Stream<ClientSession> sessions() {
    return queue.sessions();
  }

  /** Returns the number of clients with waiting operations. */
  public int clients() {
    return queue.clients();
  }

  /** Passes each owner with the number of its clients that have waiting operations. */
  public void forEachOwner(ObjIntConsumer<Object> each) {
    queue.forEachOwner(each);
  }

  /** Returns the number of one owner's clients with waiting operations. */
  public int clients(Object queueOwner) {
    return queue.clients(queueOwner);
  }

  /** Returns the number of waiting operations. */
  public int size() {
    return size;
  }

  /** True if no operation waits. */
  public boolean isEmpty() {
    return size == 0;
  }

  /**
   * Rejects operations that have waited too long, and removes those that have ended. An operation
   * may time out before one that was added earlier.
   *
   * @param maxNanos longest wait in ns, over all retries
   * @param operationNanos longest time in ns without any response since the operation was received
   */
  public void expire(long now, long maxNanos, long operationNanos) {
    Map<Waiting, Rejection> expired = new LinkedHashMap<>();
    queue.forEach(waiting -> waiting.checkExpiry(now, maxNanos, operationNanos, expired::put));
    if (!expired.isEmpty()) {
      queue.removeIf(expired::containsKey);
      expired.keySet().forEach(this::onLeft);
      expired.forEach((waiting, reason) -> waiting.operation().sink().reject(reason));
    }
  }

  /**
   * Removes and returns the matching operations. The others keep their turns and places, which they
   * might not get again.
   */
  public List<Operation> take(Predicate<Operation> matching) {
    List<Waiting> operations = new ArrayList<>();
    queue.forEach(operations::add);
    Set<Waiting> selected = new LinkedHashSet<>();
    for (Waiting waiting : operations) {
      if (!waiting.operation().hasEnded() && matching.test(waiting.operation())) {
        selected.add(waiting);
      }
    }
    queue.removeIf(selected::contains);
    return selected.stream().map(this::onTaken).toList();
  }

  private Operation onTaken(Waiting waiting) {
    Operation operation = waiting.operation();
    onLeft(waiting);
    operation.setWaited(System.nanoTime() - waiting.since());
    return operation;
  }

  private void onLeft(Waiting waiting) {
    size--;
    waiting.reservation().giveBack();
    waiting.operation().setCancellation(null);
  }

  /** Removes and returns all operations. */
  public List<Operation> drain() {
    return drain(client -> true);
  }

  /** Removes and returns all operations of the matching clients. */
  public List<Operation> drain(Predicate<ClientSession> matching) {
    List<Operation> operations = new ArrayList<>();
    for (Operation next = poll(matching); next != null; next = poll(matching)) {
      operations.add(next);
    }
    return operations;
  }
}
