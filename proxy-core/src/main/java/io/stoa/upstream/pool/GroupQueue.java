// SPDX-License-Identifier: Apache-2.0
package io.stoa.upstream.pool;

import io.stoa.operation.ClientSession;
import io.stoa.operation.Operation;
import io.stoa.operation.OperationState;
import io.stoa.operation.Rejection;
import io.stoa.upstream.admission.FairQueue;
import io.stoa.upstream.connection.UpstreamConnection;
import java.util.List;
import java.util.Objects;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;

/**
 * The queue of one group. Operations are sent while a connection has room and the server has
 * places; the others wait.
 *
 * <p>Threading: event loop.
 */
final class GroupQueue {
  private final FairQueue waiting;
  private final GroupConnections connections;
  private final @Nullable OperationPacer pacer;
  private final ToLongFunction<ClientSession> bindNumber;
  private final BooleanSupplier mayGrow;

  /**
   * Creates an empty queue.
   *
   * @param pace access to the server's places; null for a dedicated connection, whose operations
   *     never wait for a place. The client may hold locks or paged searches that operations with
   *     places wait for
   * @param since returns the bind number of a client; 0 if any connection serves it
   * @param mayGrow true if one more connection can be opened; then one held up by a slow client is
   *     not used
   */
  GroupQueue(
      FairQueue waiting,
      GroupConnections connections,
      @Nullable OperationPacer pace,
      ToLongFunction<ClientSession> since,
      BooleanSupplier mayGrow) {
    this.waiting = waiting;
    this.connections = connections;
    this.pacer = pace;
    this.bindNumber = since;
    this.mayGrow = mayGrow;
  }

  /** Sends an operation at once. Returns false if it must wait. */
  boolean send(Operation operation) {
    UpstreamConnection roomiest = waiting.isEmpty() ? roomiest(operation.session()) : null;
    if (roomiest == null || !(pacer == null || pacer.tryPass())) {
      return false;
    }
    try {
      roomiest.send(operation);
    } finally {
      if (pacer != null) {
        pacer.onSent();
      }
    }
    return true;
  }

  private @Nullable UpstreamConnection roomiest(ClientSession client) {
    long bound = bindNumber.applyAsLong(client);
    UpstreamConnection best = connections.leastLoaded(bound);
    return best == null && !mayGrow.getAsBoolean() ? connections.leastLoadedOfAll(bound) : best;
  }

  /** Queues an operation. Returns false if the queue is full and the operation was rejected. */
  boolean add(Operation operation) {
    boolean room = waiting.add(operation, System.nanoTime());
    if (room) {
      operation.moveTo(OperationState.WAITING);
    } else {
      operation.sink().reject(Rejection.QUEUE_FULL);
    }
    return room;
  }

  /** Removes the operations whose client no connection can serve. */
  List<Operation> unservable() {
    return waiting.drain(client -> !connections.canServe(bindNumber.applyAsLong(client)));
  }

  /** Removes those of the matching operations whose client no connection can serve. */
  List<Operation> unservable(Predicate<Operation> which) {
    return waiting.take(
        one -> !connections.canServe(bindNumber.applyAsLong(one.session())) && which.test(one));
  }

  /** Sends waiting operations as far as there is room, or requests places for them. */
  void serve() {
    if (isPaced()) {
      ask(Objects.requireNonNull(pacer));
    } else {
      boolean evenSlow = usesSlowConnections();
      while (sendNext(evenSlow, waiting::poll)) {
        // until the queue is empty or no connection has room
      }
    }
  }

  /** Requests one place for each waiting client. */
  private void ask(OperationPacer turns) {
    if (turns.requested() < waiting.clients()
        && connections.highestBindNumber(usesSlowConnections()) >= 0) {
      waiting.owners(turns::request);
    }
  }

  /**
   * Sends one waiting operation of an owner, on a place it was given. Returns false if none can be
   * sent.
   */
  boolean sendNext(Object owner) {
    boolean sent = sendNext(usesSlowConnections(), whose -> waiting.poll(owner, whose));
    if (sent && isPaced()) {
      Objects.requireNonNull(pacer).request(owner, waiting.clients(owner));
    }
    return sent;
  }

  /** Sends the first waiting operation for which a connection has room. */
  private boolean sendNext(
      boolean evenSlow, Function<Predicate<ClientSession>, @Nullable Operation> poll) {
    long reach = connections.highestBindNumber(evenSlow);
    Operation next =
        reach < 0 ? null : poll.apply(client -> bindNumber.applyAsLong(client) <= reach);
    if (next != null) {
      long bound = bindNumber.applyAsLong(next.session());
      Objects.requireNonNull(connections.leastLoadedOfAll(bound), "has room").send(next);
    }
    return next != null;
  }

  private boolean isPaced() {
    return pacer != null && pacer.isNeeded();
  }

  private boolean usesSlowConnections() {
    return !waiting.isEmpty() && !mayGrow.getAsBoolean();
  }

  /** True if an operation waits for a connection, and not for a place at the server. */
  boolean lacksConnection() {
    return !waiting.isEmpty()
        && !(isPaced()
            && connections.isFresh(connections.highestBindNumber(usesSlowConnections())));
  }
}
