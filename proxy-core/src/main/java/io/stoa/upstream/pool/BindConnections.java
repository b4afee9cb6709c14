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
 * The connections to one server on which clients bind, as lloadd's bind connections.
 *
 * <ol>
 *   <li>Each connection has at most one bind in flight, since a bind replaces the connection's
 *       identity.
 *   <li>After a successful bind the connection joins the group of the client's identity. The group
 *       then releases an older one, which is bound anew here.
 *   <li>Further connections are opened as binds need them.
 * </ol>
 *
 * <p>Threading: event loop.
 */
final class BindConnections
    implements RefusalHandler,
        UpstreamPool.Growing,
        ConnectionOpener.Outcome,
        BindOutcome.Listener {
  private static final Logger LOG = LoggerFactory.getLogger(BindConnections.class);

  /** Maximum number of binds in flight: 64. A server hashes passwords on a few threads only. */
  private static final int MOST = 64;

  /** Maximum number of idle connections kept for the next binds: 16. */
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
            pool, origin -> turn()); // all binds together are one origin
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

  /** Sends one waiting bind, for which the server has a place. */
  private void turn() {
    Operation next = idle.isEmpty() ? null : waiting.poll();
    if (next != null) {
      send(idle.remove(), next);
      ask();
    }
  }

  /** Sends waiting binds, or requests places and connections for them. */
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

  /** True if there are fewer idle connections than waiting binds. */
  private boolean lacksIdle() {
    return idle.size() < waiting.size();
  }

  /** Opens connections for the waiting binds. */
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

  /**
   * Gives up one waiting bind; the others may find another connection. All are given up if the
   * server is unusable.
   */
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

  /** Empties the queue and cancels the connections being opened. */
  private List<Operation> unsent() {
    List<Operation> unsent = waiting.drain();
    Set<Opening> vain = Set.copyOf(opening);
    opening.clear();
    vain.forEach(Opening::forgo);
    return unsent;
  }

  /** Takes over a connection that its group no longer needs; closes it if there are enough. */
  void recycle(UpstreamConnection connection) {
    connection.owner(this);
    serve(connection);
  }

  /** Returns an idle connection that no bind waits for; null if there is none. */
  @Nullable UpstreamConnection idleConnection() {
    return idle.size() > waiting.size() ? idle.peekLast() : null;
  }

  // Events of the connections

  @Override
  public void room(UpstreamConnection connection) {
    // the sink of the response may have sent the next bind on this connection already
    if (connection.idle() && underWay.remove(connection)) {
      serve(connection);
    }
  }

  /** Called when a bind is answered. After success the connection moves to the client's group. */
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

  /**
   * True if the client's operations need connections bound as its identity. Without a service
   * account that is always so.
   */
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
    grow(); // a bind may have waited for it; nothing waits once the server is given up
  }

  @Override
  public void unanswered(Operation operation) {
    leave(operation);
  }

  @Override
  public boolean refused(Operation bind) {
    if (!(bind.sink() instanceof BindOutcome outcome)) {
      return false; // the search after a bind
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
   * Retries a bind elsewhere, with its original sink. The search that follows a bind is rejected.
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

  // A server that may not respond

  void handOver(Predicate<UpstreamConnection> which) {
    List<Operation> unsent = unsent();
    List.copyOf(underWay).stream().filter(which).forEach(UpstreamConnection::handOver);
    unsent.forEach(this::leave);
  }

  // Administration

  /** Called when the server is drained. */
  void withdraw() {
    List<Operation> unsent = unsent();
    List.copyOf(idle).forEach(UpstreamConnection::close);
    List.copyOf(underWay).forEach(UpstreamConnection::drain);
    unsent.forEach(this::leave);
  }

  /** Returns an idle connection that is due for renewal; null if there is none. */
  @Nullable UpstreamConnection outdated(long now) {
    long mostAge = pool.settings().ageNanos();
    return idle.stream().filter(one -> one.outdated(now, mostAge)).findFirst().orElse(null);
  }

  // Timer

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
      connection.giveUpOverdue(now, settings.operationNanos()); // the read after a bind may be left
      if (now - connection.idleSince() > settings.idleNanos()) {
        connection.close();
      }
    }
  }

  /**
   * True if a bind counts as lost. A bind may also wait for a person's confirmation, so it never
   * counts as lost before the operation time-out unless {@code bindTimeout} is configured.
   */
  private boolean isLost(UpstreamConnection connection, long now) {
    long nanos = pool.settings().bindNanos();
    return nanos < pool.settings().operationNanos() && connection.silent(now, nanos);
  }

  /**
   * Retries a bind on another connection and closes this one. A firewall may have dropped the
   * connection although the server is up. The connection must not be reused: the bind may still
   * succeed.
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
