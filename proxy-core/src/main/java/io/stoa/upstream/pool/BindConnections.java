// SPDX-License-Identifier: Apache-2.0
package io.stoa.upstream.pool;

import io.stoa.ldap.protocol.LdapMessage;
import io.stoa.ldap.protocol.LdapProtocolException;
import io.stoa.operation.ClientIdentity;
import io.stoa.operation.ClientSession;
import io.stoa.operation.Operation;
import io.stoa.operation.OperationState;
import io.stoa.operation.Rejection;
import io.stoa.operation.Restriction;
import io.stoa.upstream.admission.FairQueue;
import io.stoa.upstream.auth.DedicatedConnections;
import io.stoa.upstream.connection.RefusalHandler;
import io.stoa.upstream.connection.UpstreamConnection;
import io.stoa.upstream.pool.ConnectionOpener.Opening;
import java.util.ArrayDeque;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The connections to one server on which clients' binds are done, one at a time on each: a bind
 * replaces whatever the connection was before. A connection on which a client has bound becomes the
 * one of the client's identity, and the one that was it comes back to be bound anew; another is
 * opened here when it is needed (lloadd's bind connections). Event-loop confined.
 */
final class BindConnections
    implements RefusalHandler,
        UpstreamPool.Growing,
        ConnectionOpener.Outcome,
        BindOutcome.Listener {
  private static final Logger LOG = LoggerFactory.getLogger(BindConnections.class);

  /** Binds that are under way at once: a server hashes passwords on a few threads only. */
  private static final int MOST = 64;

  /** Idle connections that are kept for the next binds. */
  private static final int MOST_IDLE = 16;

  private final UpstreamPool pool;
  private final FairQueue waiting;
  private final ArrayDeque<UpstreamConnection> idle = new ArrayDeque<>();
  private final Set<UpstreamConnection> underWay = new HashSet<>();
  private final ConnectRateLimiter pace;
  private final Set<Opening> opening = new HashSet<>();

  BindConnections(UpstreamPool pool) {
    this.pool = pool;
    this.pace =
        new ConnectRateLimiter(
            pool, origin -> turn()); // all together have the turns of one identity
    this.waiting = new FairQueue(pool.settings().queueBound());
  }

  /** Forwards a client's bind, now or when a connection is free. */
  void submit(Operation bind) throws LdapProtocolException {
    bind.sink(new BindOutcome(bind, bind.request(), this));
    if (waiting.isEmpty() && !idle.isEmpty() && pace.pass()) {
      sendPassed(bind);
    } else if (waiting.add(bind, System.nanoTime())) {
      bind.moveTo(OperationState.WAITING);
      ask();
      grow();
    } else {
      bind.sink().reject(Rejection.QUEUE_FULL);
    }
  }

  private void sendPassed(Operation bind) {
    try {
      send(idle.remove(), bind);
    } finally {
      pace.passed();
    }
  }

  private void send(UpstreamConnection connection, Operation bind) {
    BindOutcome outcome = (BindOutcome) bind.sink();
    boolean policies = pool.settings().policies().getAsBoolean();
    outcome.on(connection, pool.settings().clients().next(), policies);
    underWay.add(connection);
    connection.send(bind);
  }

  private void ask() {
    if (pace.rules()) {
      pace.ask(this, Math.min(idle.size(), waiting.clients()));
    }
  }

  /** There is a place at the server for one bind. */
  private void turn() {
    Operation next = idle.isEmpty() ? null : waiting.poll();
    if (next != null) {
      send(idle.remove(), next);
      ask();
    }
  }

  /** What waits, if it need not wait any more; else it has turns, and connections for them. */
  private void serveWaiting() {
    while (!pace.rules() && !idle.isEmpty() && !waiting.isEmpty()) {
      serve(idle.remove());
    }
    ask();
    grow();
  }

  private void serve(UpstreamConnection free) {
    boolean unwanted = free.account().unwanted();
    Operation next = unwanted || pace.rules() ? null : waiting.poll();
    if (next != null) {
      send(free, next);
    } else if (!unwanted
        && idle.size() < MOST_IDLE
        && (lacksIdle() || !pool.backend().starving())) {
      idle.push(free);
      ask();
    } else {
      free.close();
    }
  }

  /** Whether there are fewer idle connections than binds that wait, be it for a place. */
  private boolean lacksIdle() {
    return idle.size() < waiting.size();
  }

  /** Opens connections for the binds that wait. */
  @Override
  public void grow() {
    int needed = pace.rules() ? Math.min(MOST_IDLE, waiting.size()) : waiting.size();
    while (opening.size() < Math.min(needed - idle.size(), MOST - underWay.size())) {
      if (!pool.reserve(underWay.isEmpty() && opening.isEmpty())) {
        pool.starved(this);
        return;
      }
      opening.add(pool.openings().begin(this, null, this));
    }
  }

  @Override
  public void connected(Opening made, UpstreamConnection connection) {
    opening.remove(made);
    made.end();
    connection.ready();
    serve(connection);
  }

  /** It would have been for one bind; the others may find another connection. */
  @Override
  public void failed(Opening unmade) {
    opening.remove(unmade);
    Operation next = pool.backend().usable() ? waiting.poll() : null;
    if (next == null) {
      waiting.drain().forEach(this::leave);
    } else {
      leave(next);
      grow();
    }
  }

  /** What is in the making is not waited for any more. */
  private List<Operation> unsent() {
    List<Operation> unsent = waiting.drain();
    Set<Opening> vain = Set.copyOf(opening);
    opening.clear();
    vain.forEach(Opening::forgo);
    return unsent;
  }

  /** Takes over a connection that nobody needs as what it is; closes it if there are enough. */
  void recycle(UpstreamConnection connection) {
    connection.owner(this);
    serve(connection);
  }

  /** A connection that is idle and for no bind that waits, or null. */
  @Nullable UpstreamConnection idleConnection() {
    return idle.size() > waiting.size() ? idle.peekLast() : null;
  }

  // What the connections tell

  @Override
  public void room(UpstreamConnection connection) {
    // What the client did with the answer may have given the connection its next bind already.
    if (connection.idle() && underWay.remove(connection)) {
      serve(connection);
    }
  }

  /** A bind was answered: its connection becomes the one of the identity, or stays here. */
  @Override
  public void settled(BindOutcome outcome) {
    if (!outcome.accepted()) {
      return;
    }
    UpstreamConnection connection = outcome.connection();
    ClientSession session = outcome.operation().session();
    pool.settings().clients().bound(session, outcome.name(), outcome.at());
    if (session.restriction() == Restriction.EXCLUSIVE) {
      underWay.remove(connection);
      pool.pin(session, outcome.name()).adopt(connection, session);
    } else if (actsAsItself(outcome) && pool.group(outcome.name()).wants(outcome.at())) {
      underWay.remove(connection);
      pool.group(outcome.name()).adopt(connection, session);
    }
    grow();
  }

  /** Whether operations of the client need connections that are bound as it, or have done so. */
  private boolean actsAsItself(BindOutcome outcome) {
    DedicatedConnections own = pool.settings().ownConnections();
    return own == null
        || pool.isConnected(outcome.name())
        || own.contains(ClientIdentity.simple(outcome.name().array(), null));
  }

  @Override
  public void closed(UpstreamConnection connection) {
    underWay.remove(connection);
    idle.remove(connection);
    grow(); // binds may wait for just this one; nothing waits when the server is given up
  }

  @Override
  public void unanswered(Operation operation) {
    leave(operation);
  }

  @Override
  public boolean refused(Operation bind) {
    if (!(bind.sink() instanceof BindOutcome outcome)) {
      return false; // the search that follows a bind
    }
    outcome.unwrap();
    boolean again = pool.refused(bind);
    if (!again) {
      bind.sink(outcome);
    }
    return again;
  }

  @Override
  public void held(Operation operation) {
    leave(operation);
  }

  /**
   * A bind is not answered here: its sink is again as it came. The search that follows a bind is
   * not sent again.
   */
  private void leave(Operation operation) {
    if (operation.sink() instanceof BindOutcome outcome) {
      outcome.unwrap();
      pool.unanswered(operation);
    } else {
      operation.sink().reject(Rejection.UPSTREAM_LOST);
    }
  }

  @Override
  public void unsolicited(UpstreamConnection connection, LdapMessage notification) {
    notification.release();
    idle.remove(connection);
    connection.leaving();
  }

  // A server that may not answer

  void handOver(Predicate<UpstreamConnection> which) {
    List<Operation> unsent = unsent();
    List.copyOf(underWay).stream().filter(which).forEach(UpstreamConnection::handOver);
    unsent.forEach(this::leave);
  }

  // What an administrator changes

  /** The server is taken out of use. */
  void withdraw() {
    List<Operation> unsent = unsent();
    List.copyOf(idle).forEach(UpstreamConnection::close);
    List.copyOf(underWay).forEach(UpstreamConnection::drain);
    unsent.forEach(this::leave);
  }

  /** An idle connection that is to be made anew; null if there is none. */
  @Nullable UpstreamConnection outdated(long now) {
    long mostAge = pool.settings().ageNanos();
    return idle.stream().filter(one -> one.outdated(now, mostAge)).findFirst().orElse(null);
  }

  // Time

  void tick(long now) {
    UpstreamPool.Settings settings = pool.settings();
    waiting.expire(now, settings.queueNanos(), settings.operationNanos());
    serveWaiting();
    for (UpstreamConnection connection : List.copyOf(underWay)) {
      if (isLost(connection, now)) {
        giveUp(connection);
      } else {
        connection.giveUpOverdue(now, settings.operationNanos());
      }
    }
    for (UpstreamConnection connection : List.copyOf(idle)) {
      connection.giveUpOverdue(now, settings.operationNanos()); // a client may have left something
      if (now - connection.idleSince() > settings.idleNanos()) {
        connection.close();
      }
    }
  }

  /**
   * Whether the bind under way there may be taken for lost. It may as well wait for somebody who
   * has to confirm it, so nothing is lost before its time is over unless an administrator says so.
   */
  private boolean isLost(UpstreamConnection connection, long now) {
    long nanos = pool.settings().bindNanos();
    return nanos < pool.settings().operationNanos() && connection.silent(now, nanos);
  }

  /**
   * A bind may be lost though the server is there: what lies between may have forgotten the
   * connection. It is asked once more on another one, and never answered here: nobody else could
   * use a connection that may be bound at any moment.
   */
  private void giveUp(UpstreamConnection connection) {
    LOG.warn("upstream {} does not answer a bind", pool.backend().address());
    connection.handOver();
  }

  void close() {
    waiting.drain().forEach(operation -> operation.sink().reject(Rejection.SHUTTING_DOWN));
    List.copyOf(idle).forEach(UpstreamConnection::close);
    List.copyOf(underWay).forEach(UpstreamConnection::close);
  }
}
