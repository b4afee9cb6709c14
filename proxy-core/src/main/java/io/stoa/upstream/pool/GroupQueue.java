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
 * Sends operations on the connections of one group, as far as these have room and the server has
 * places; what finds none waits. Event-loop confined.
 */
final class GroupQueue {
  private final FairQueue waiting;
  private final GroupConnections connections;
  private final @Nullable ConnectRateLimiter pace;
  private final ToLongFunction<ClientSession> since;
  private final BooleanSupplier mayGrow;

  /**
   * Makes an empty one.
   *
   * @param pace null where nothing waits for a place: a client on a connection of its own may hold
   *     locks, or a place among the pages, for which those wait who have the places
   * @param since when a client bound, if that is of interest to what serves it
   * @param mayGrow whether one more connection can be opened: one that a slow client holds up is
   *     better than none, but not than one that can be opened
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

  /** Sends an operation at once; false if it must wait. */
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

  /** Has an operation wait; false if it is refused, since as many wait as may. */
  boolean add(Operation operation) {
    boolean room = waiting.add(operation, System.nanoTime());
    if (room) {
      operation.moveTo(OperationState.WAITING);
    } else {
      operation.sink().reject(Rejection.QUEUE_FULL);
    }
    return room;
  }

  /** Takes what waits for a client that no connection can serve. */
  List<Operation> unservable() {
    return waiting.drain(client -> !connections.canServe(since.applyAsLong(client)));
  }

  /** The same of some operations only. */
  List<Operation> unservable(Predicate<Operation> which) {
    return waiting.take(
        one -> !connections.canServe(since.applyAsLong(one.session())) && which.test(one));
  }

  /** Sends what waits, as far as there is room, or asks for turns to do so. */
  void serve() {
    if (paced()) {
      ask(Objects.requireNonNull(pace));
    } else {
      boolean evenSlow = evenSlow();
      while (sendNext(evenSlow, waiting::poll)) {
        // until nothing waits, or there is no room
      }
    }
  }

  /** One turn for each client that waits, of those whose turns it uses. */
  private void ask(ConnectRateLimiter turns) {
    if (turns.asked() < waiting.clients() && connections.reach(evenSlow()) >= 0) {
      waiting.owners(turns::ask);
    }
  }

  /** Uses a turn of one owner of clients; false if nothing of theirs that waits can be sent. */
  boolean sendNext(Object owner) {
    boolean sent = sendNext(evenSlow(), whose -> waiting.poll(owner, whose));
    if (sent && paced()) {
      Objects.requireNonNull(pace).ask(owner, waiting.clients(owner));
    }
    return sent;
  }

  /** Of those that wait, the first for whose client a connection has room. */
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

  /** Whether something waits for a connection, and not for a place at the server. */
  boolean lacksConnection() {
    return !waiting.isEmpty() && !(paced() && connections.isFresh(connections.reach(evenSlow())));
  }
}
