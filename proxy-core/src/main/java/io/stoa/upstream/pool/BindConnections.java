// SPDX-License-Identifier: Apache-2.0
package io.stoa.upstream.pool;

import io.stoa.ldap.protocol.LdapMessage;
import io.stoa.operation.ClientIdentity;
import io.stoa.operation.ClientSession;
import io.stoa.operation.Operation;
import io.stoa.operation.Rejection;
import io.stoa.operation.Restriction;
import io.stoa.upstream.admission.FairQueue;
import io.stoa.upstream.auth.NeverProxied;
import io.stoa.upstream.connection.Connector;
import io.stoa.upstream.connection.Connector.PendingConnection;
import io.stoa.upstream.connection.UpstreamConnection;
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
 *   <li>After a successful bind the connection joins the group of the client's identity. Without a
 *       group the connection joins the {@link RestingConnections}. An older connection of the
 *       identity is then released, and is bound anew here.
 *   <li>Further connections are opened as binds need them.
 * </ol>
 *
 * <p>Octets: about 500, and 48 for each bind in flight. Binds that wait are in the {@link
 * FairQueue}, which bounds them.
 *
 * <p>Invariants:
 *
 * <ol>
 *   <li>A connection is idle here, has a bind in flight, or belongs to an identity; never two of
 *       these.
 *   <li>At most {@value #MAX} binds are in flight.
 * </ol>
 *
 * <p>Threading: event loop.
 */
final class BindConnections
    implements Connector.ConnectListener,
        UpstreamPool.ConnectionDemand,
        BindResultSink.BindListener {
  private static final Logger LOG = LoggerFactory.getLogger(BindConnections.class);

  /** Maximum number of binds in flight: 64. A server hashes passwords on a few threads only. */
  private static final int MAX = 64;

  /** Maximum number of idle connections kept for the next binds: 16. */
  private static final int MAX_IDLE = 16;

  private final UpstreamPool pool;
  private final FairQueue waiting;
  private final ArrayDeque<UpstreamConnection> idle = new ArrayDeque<>();
  private final Set<UpstreamConnection> inFlight = new HashSet<>();
  private final OperationPacer pacer;
  private final Set<PendingConnection> opening = new HashSet<>();

  BindConnections(UpstreamPool pool) {
    this.pool = pool;
    // all binds together are one origin
    this.pacer = new OperationPacer(pool, true, origin -> onPlace());
    this.waiting = new FairQueue(pool.settings().queueBound());
  }

  /** Forwards a client's bind, now or when a connection is free. */
  void submit(Operation bind) {
    bind.setSink(new BindResultSink(bind, bind.request(), this));
    boolean available = waiting.isEmpty() && !idle.isEmpty();
    boolean sent = available && pacer.trySend(() -> send(idle.remove(), bind));
    if (!sent && waiting.addOrReject(bind)) {
      requestPlaces();
      grow();
    }
  }

  private void send(UpstreamConnection connection, Operation bind) {
    BindResultSink outcome = (BindResultSink) bind.sink();
    boolean policies = pool.settings().policies().getAsBoolean();
    outcome.onSent(connection, pool.settings().clients().nextBindNumber(), policies);
    inFlight.add(connection);
    connection.send(bind);
  }

  private void requestPlaces() {
    if (pacer.isNeeded()) {
      pacer.request(this, Math.min(idle.size(), waiting.clients()));
    }
  }

  /** Sends one waiting bind, for which the server has a place. */
  private void onPlace() {
    Operation next = idle.isEmpty() ? null : waiting.poll();
    if (next != null) {
      send(idle.remove(), next);
      requestPlaces();
    }
  }

  /** Sends waiting binds, or requests places and connections for them. */
  private void serveWaiting() {
    while (!pacer.isNeeded() && !idle.isEmpty() && !waiting.isEmpty()) {
      serve(idle.remove());
    }
    requestPlaces();
    grow();
  }

  private void serve(UpstreamConnection free) {
    boolean unwanted = free.lifetime().isRenewalRequested();
    Operation next = unwanted || waiting.isEmpty() || pacer.isNeeded() ? null : waiting.poll();
    if (next != null) {
      send(free, next);
    } else if (!unwanted
        && idle.size() < MAX_IDLE
        && (needsIdle() || !pool.backend().isContended())) {
      idle.push(free);
      requestPlaces();
    } else {
      free.close();
    }
  }

  /** True if there are fewer idle connections than waiting binds. */
  private boolean needsIdle() {
    return idle.size() < waiting.size();
  }

  /** Opens connections for the waiting binds. */
  @Override
  public void grow() {
    int needed = pacer.isNeeded() ? Math.min(MAX_IDLE, waiting.size()) : waiting.size();
    while (opening.size() < Math.min(needed - idle.size(), MAX - inFlight.size())) {
      if (!pool.reserve(inFlight.isEmpty() && opening.isEmpty())) {
        pool.awaitConnection(this);
        return;
      }
      opening.add(pool.open(null, this));
    }
  }

  @Override
  public void onConnected(PendingConnection attempt, UpstreamConnection connection) {
    opening.remove(attempt);
    attempt.end();
    connection.markReady();
    serve(connection);
  }

  /**
   * Gives up one waiting bind; the others may find another connection. All are given up if the
   * server is unusable.
   */
  @Override
  public void onFailed(PendingConnection attempt, Throwable cause, boolean internal) {
    opening.remove(attempt);
    Operation next = pool.backend().isUsable() ? waiting.poll() : null;
    if (next == null) {
      waiting.drain().forEach(this::retryElsewhere);
    } else {
      retryElsewhere(next);
      grow();
    }
  }

  /** Empties the queue and cancels the connections being opened. */
  private List<Operation> unsent() {
    List<Operation> unsent = waiting.drain();
    Set<PendingConnection> vain = Set.copyOf(opening);
    opening.clear();
    vain.forEach(PendingConnection::cancel);
    return unsent;
  }

  /** Takes over a connection that its group no longer needs; closes it if there are enough. */
  void recycle(UpstreamConnection connection) {
    connection.setOwner(this);
    serve(connection);
  }

  /** Returns an idle connection that no bind waits for; null if there is none. */
  @Nullable UpstreamConnection idleConnection() {
    return idle.size() > waiting.size() ? idle.peekLast() : null;
  }

  // Events of the connections

  @Override
  public void onRoom(UpstreamConnection connection) {
    // the sink of the response may have sent the next bind on this connection already
    if (connection.isIdle() && inFlight.remove(connection)) {
      serve(connection);
    }
  }

  /**
   * Called when a bind is answered. After success the connection rests, or moves to the group of
   * the client's identity.
   */
  @Override
  public void onSettled(BindResultSink outcome) {
    if (!outcome.isAccepted()) {
      return;
    }
    UpstreamConnection connection = outcome.connection();
    ClientSession session = outcome.operation().session();
    pool.settings().clients().onBound(session, outcome.name(), outcome.bindNumber());
    if (session.restriction() == Restriction.EXCLUSIVE) {
      inFlight.remove(connection);
      pool.pin(session, outcome.name()).adopt(connection, session);
    } else if (actsAsItself(outcome) && pool.keep(outcome)) {
      inFlight.remove(connection);
    }
    grow();
  }

  /**
   * True if the client's operations need connections bound as its identity. Without a service
   * account that is always so.
   */
  private boolean actsAsItself(BindResultSink outcome) {
    NeverProxied neverProxied = pool.settings().neverProxied();
    return neverProxied == null
        || pool.isConnected(outcome.name())
        || neverProxied.contains(ClientIdentity.simple(outcome.name().array(), null));
  }

  @Override
  public void onClosed(UpstreamConnection connection) {
    inFlight.remove(connection);
    idle.remove(connection);
    grow(); // a bind may have waited for it; nothing waits once the server is given up
  }

  @Override
  public void onUnanswered(Operation operation) {
    retryElsewhere(operation);
  }

  @Override
  public boolean onRefused(Operation bind) {
    if (!(bind.sink() instanceof BindResultSink outcome)) {
      return false; // the search after a bind
    }
    outcome.unwrap();
    boolean again = pool.onRefused(bind);
    if (!again) {
      bind.setSink(outcome);
    }
    return again;
  }

  @Override
  public void onHeldUp(Operation operation) {
    retryElsewhere(operation);
  }

  /**
   * Retries a bind elsewhere, with its original sink. The search that follows a bind is rejected.
   */
  private void retryElsewhere(Operation operation) {
    if (operation.sink() instanceof BindResultSink outcome) {
      outcome.unwrap();
      pool.onUnanswered(operation);
    } else {
      operation.sink().reject(Rejection.UPSTREAM_LOST);
    }
  }

  @Override
  public void onNotification(UpstreamConnection connection, LdapMessage notification) {
    notification.release();
    idle.remove(connection);
    connection.onServerLeaving();
  }

  // A server that may not respond

  void handOver(Predicate<UpstreamConnection> matching) {
    List<Operation> unsent = unsent();
    List.copyOf(inFlight).stream().filter(matching).forEach(UpstreamConnection::handOver);
    unsent.forEach(this::retryElsewhere);
  }

  // Administration

  /** Called when the server is drained. */
  void drain() {
    List<Operation> unsent = unsent();
    List.copyOf(idle).forEach(UpstreamConnection::close);
    List.copyOf(inFlight).forEach(UpstreamConnection::drain);
    unsent.forEach(this::retryElsewhere);
  }

  /** Returns an idle connection that is due for renewal; null if there is none. */
  @Nullable UpstreamConnection dueForRenewal(long now) {
    long maxAge = pool.settings().ageNanos();
    return idle.stream()
        .filter(connection -> connection.isDueForRenewal(now, maxAge))
        .findFirst()
        .orElse(null);
  }

  // Timer

  void tick(long now) {
    UpstreamPool.PoolSettings settings = pool.settings();
    waiting.expire(now, settings.queueNanos(), settings.operationNanos());
    serveWaiting();
    for (UpstreamConnection connection : List.copyOf(inFlight)) {
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
    return nanos < pool.settings().operationNanos() && connection.isSilent(now, nanos);
  }

  /**
   * Retries a bind on another connection and closes this one. A firewall may have dropped the
   * connection although the server is up. The connection must not be reused: the bind may still
   * succeed.
   */
  private void giveUp(UpstreamConnection connection) {
    LOG.warn(
        "upstream {}: bind timed out (upstream.bindTimeout); connection given up. A bind is "
            + "retried once on another connection",
        pool.backend().address());
    connection.handOver();
  }

  void close() {
    waiting.drain().forEach(operation -> operation.sink().reject(Rejection.SHUTTING_DOWN));
    List.copyOf(idle).forEach(UpstreamConnection::close);
    List.copyOf(inFlight).forEach(UpstreamConnection::close);
  }
}
