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
  private final @Nullable ConnectRateLimiter pace;
  private final ToLongFunction<ClientSession> since;
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
      @Nullable ConnectRateLimiter pace,
      ToLongFunction<ClientSession> since,
      BooleanSupplier mayGrow) {
    this.waiting = waiting;
    this.connections = connections;
    this.pace = pace;
    this.since = since;
    this.mayGrow = mayGrow;
  }

  /** Sends an operation at once. Returns false if it must wait. */
  boolean send(Operation operation) {
    UpstreamConnection roomiest = waiting.isEmpty() ? roomiest(operation.session()) : null;
    if (roomiest == null || !(pace == null || pace.pass())) {
      return false;
    }
    try {
      roomiest.send(operation);
    } finally {
      if (pace != null) {
        pace.passed();
      }
    }
    return true;
  }

  private @Nullable UpstreamConnection roomiest(ClientSession client) {
    long bound = since.applyAsLong(client);
    UpstreamConnection best = connections.roomiest(bound);
    return best == null && !mayGrow.getAsBoolean() ? connections.roomiestOfAll(bound) : best;
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
    return waiting.drain(client -> !connections.canServe(since.applyAsLong(client)));
  }

  /** Removes those of the matching operations whose client no connection can serve. */
  List<Operation> unservable(Predicate<Operation> which) {
    return waiting.take(
        one -> !connections.canServe(since.applyAsLong(one.session())) && which.test(one));
  }

  /** Sends waiting operations as far as there is room, or requests places for them. */
  void serve() {
    if (paced()) {
      ask(Objects.requireNonNull(pace));
    } else {
      boolean evenSlow = evenSlow();
      while (sendNext(evenSlow, waiting::poll)) {
        // until the queue is empty or no connection has room
      }
    }
  }

  /** Requests one place for each waiting client. */
  private void ask(ConnectRateLimiter turns) {
    if (turns.asked() < waiting.clients() && connections.reach(evenSlow()) >= 0) {
      waiting.owners(turns::ask);
    }
  }

  /**
   * Sends one waiting operation of an owner, on a place it was given. Returns false if none can be
   * sent.
   */
  boolean sendNext(Object owner) {
    boolean sent = sendNext(evenSlow(), whose -> waiting.poll(owner, whose));
    if (sent && paced()) {
      Objects.requireNonNull(pace).ask(owner, waiting.clients(owner));
    }
    return sent;
  }

  /** Sends the first waiting operation for which a connection has room. */
  private boolean sendNext(
      boolean evenSlow, Function<Predicate<ClientSession>, @Nullable Operation> poll) {
    long reach = connections.reach(evenSlow);
    Operation next = reach < 0 ? null : poll.apply(client -> since.applyAsLong(client) <= reach);
    if (next != null) {
      long bound = since.applyAsLong(next.session());
      Objects.requireNonNull(connections.roomiestOfAll(bound), "has room").send(next);
    }
    return next != null;
  }

  private boolean paced() {
    return pace != null && pace.rules();
  }

  private boolean evenSlow() {
    return !waiting.isEmpty() && !mayGrow.getAsBoolean();
  }

  /** True if an operation waits for a connection, and not for a place at the server. */
  boolean lacksConnection() {
    return !waiting.isEmpty() && !(paced() && connections.isFresh(connections.reach(evenSlow())));
  }
}
