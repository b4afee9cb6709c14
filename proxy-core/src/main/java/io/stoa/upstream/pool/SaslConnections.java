// SPDX-License-Identifier: Apache-2.0
package io.stoa.upstream.pool;

import io.stoa.operation.ClientSession;
import io.stoa.operation.Operation;
import io.stoa.operation.Rejection;
import io.stoa.upstream.admission.FairSemaphore;
import io.stoa.upstream.connection.UpstreamConnection;
import io.stoa.upstream.server.Backend;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The connections of one event loop on which clients bind or have bound by SASL, and a bound of
 * those that are not bound yet: whoever may connect can begin a bind and not go on with it. Where
 * clients come from decides who is next, and who is hurried. Event-loop confined.
 */
final class SaslConnections implements UpstreamPool.Growing {
  /** SASL binds that are under way at once, with their clients' turns. */
  private static final int MOST = 64;

  /** While others wait, a client may take so long for its steps, and no longer. */
  private static final long HURRY_NANOS = TimeUnit.SECONDS.toNanos(5);

  /** The same if no address has more binds under way than the client's. */
  private static final long CROWD_NANOS = TimeUnit.SECONDS.toNanos(1);

  private final Map<ClientSession, SaslConnection> bySession = new HashMap<>();
  private final List<SaslConnection> leaving = new ArrayList<>();
  private final FairSemaphore<SaslConnection> underWay = new FairSemaphore<>(MOST);

  @Nullable Backend backend(ClientSession session) {
    SaslConnection own = bySession.get(session);
    return own == null ? null : own.backend();
  }

  /** Opens a connection for a client's bind, and sends that on it. */
  void open(Operation bind, UpstreamPool pool) {
    ClientSession session = bind.session();
    SaslConnection own = new SaslConnection(pool, session, this);
    if (!own.takeShare()) {
      bind.sink().reject(Rejection.TOO_MANY_OF_ADDRESS);
      return;
    }
    bySession.put(session, own);
    session.onReset(() -> leave(session));
    underWay.add(own, session.network());
    if (!own.submit(bind)) {
      own.leave();
    }
    grow();
  }

  /** Sends an operation on the client's connection. */
  void send(Operation operation) {
    Objects.requireNonNull(bySession.get(operation.session()), "SASL bind").submit(operation);
  }

  private void leave(ClientSession session) {
    SaslConnection own = bySession.remove(session);
    if (own != null) {
      own.giveUp();
      leaving.add(own);
    }
  }

  @Override
  public void grow() {
    Set<UpstreamPool> full = new HashSet<>();
    Predicate<SaslConnection> may = connection -> !full.contains(connection.pool());
    for (SaslConnection next = underWay.next(may); next != null; next = underWay.next(may)) {
      UpstreamPool pool = next.pool();
      if (pool.reserve(true)) {
        underWay.enter(next);
        next.connect();
      } else {
        full.add(pool); // those for other servers do not wait for that
        pool.starved(this);
      }
    }
  }

  // What the connections tell

  /** The bind has come to an end, or will never begin. */
  void settled(SaslConnection connection) {
    if (underWay.leave(connection)) {
      connection.loop().execute(this::grow);
    }
  }

  /** The connection has ended, or could not be made. */
  void ended(ClientSession session, SaslConnection connection) {
    settled(connection);
    bySession.remove(session, connection);
  }

  /** The client has another one, or none; this one ends when nothing is under way on it. */
  void left(ClientSession session, SaslConnection connection) {
    ended(session, connection);
    leaving.add(connection);
  }

  // Time

  /** The server is down: what it does not answer on these connections will not be answered. */
  void handOver(Backend server, Predicate<UpstreamConnection> which) {
    for (SaslConnection connection : List.copyOf(bySession.values())) {
      if (connection.backend() == server) {
        connection.handOver(which);
      }
    }
  }

  /** A server may not answer: binds that have had no answer there can begin elsewhere. */
  void leave(Backend server) {
    for (SaslConnection connection : List.copyOf(bySession.values())) {
      if (connection.backend() == server) {
        connection.leave();
      }
    }
  }

  void tick(long now) {
    List.copyOf(bySession.values()).forEach(connection -> connection.tick(now));
    List.copyOf(leaving).forEach(connection -> connection.tick(now));
    leaving.removeIf(SaslConnection::closed);
    if (underWay.waiting() > 0) {
      hurry(now);
    }
  }

  /** Makes room for those that wait, and no more than that. */
  private void hurry(long now) {
    int wanted = underWay.waiting();
    for (SaslConnection connection : underWay.holders()) {
      long most = underWay.isOfTheLargest(connection) ? CROWD_NANOS : HURRY_NANOS;
      if (wanted > 0 && connection.hurry(now, most)) {
        wanted--;
      }
    }
  }

  /** Ends all connections and refuses what waits. */
  void close() {
    List.copyOf(bySession.values())
        .forEach(connection -> connection.close(Rejection.SHUTTING_DOWN));
    List.copyOf(leaving).forEach(connection -> connection.close(Rejection.SHUTTING_DOWN));
  }
}
