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
 * The connections of one event loop on which clients bind or have bound by SASL. The number of
 * unfinished binds is limited, since anyone who can connect can begin a bind and stall. Client
 * networks take turns in starting one, and the largest is hurried first.
 *
 * <p>Threading: event loop.
 */
final class SaslConnections implements UpstreamPool.ConnectionDemand {
  /** Maximum number of unfinished SASL binds: 64. */
  private static final int MAX = 64;

  /** Time for a client's own steps while other clients wait: 5 s. */
  private static final long STEP_NANOS = TimeUnit.SECONDS.toNanos(5);

  /**
   * Time for a client's own steps while others wait, if no network has more binds in progress: 1 s.
   */
  private static final long STEP_NANOS_OF_LARGEST = TimeUnit.SECONDS.toNanos(1);

  private final Map<ClientSession, SaslConnection> bySession = new HashMap<>();
  private final List<SaslConnection> leaving = new ArrayList<>();
  private final FairSemaphore<SaslConnection> exchanges = new FairSemaphore<>(MAX);

  @Nullable Backend backend(ClientSession session) {
    SaslConnection connection = bySession.get(session);
    return connection == null ? null : connection.backend();
  }

  /** Opens a connection for a client's bind and sends the bind on it. */
  void open(Operation bind, UpstreamPool pool) {
    ClientSession session = bind.session();
    SaslConnection connection = new SaslConnection(pool, session, this);
    if (!connection.takeShare()) {
      bind.sink().reject(Rejection.ADDRESS_QUOTA);
      return;
    }
    bySession.put(session, connection);
    session.onReset(() -> leave(session));
    exchanges.add(connection, session.network());
    if (!connection.submit(bind)) {
      connection.leave();
    }
    grow();
  }

  /** Sends an operation on the client's SASL connection. */
  void send(Operation operation) {
    Objects.requireNonNull(bySession.get(operation.session()), "SASL bind").submit(operation);
  }

  private void leave(ClientSession session) {
    SaslConnection connection = bySession.remove(session);
    if (connection != null) {
      connection.giveUp();
      leaving.add(connection);
    }
  }

  @Override
  public void grow() {
    Set<UpstreamPool> full = new HashSet<>();
    Predicate<SaslConnection> eligible = connection -> !full.contains(connection.pool());
    for (SaslConnection next = exchanges.next(eligible);
        next != null;
        next = exchanges.next(eligible)) {
      UpstreamPool pool = next.pool();
      if (pool.reserve(true)) {
        exchanges.enter(next);
        next.connect();
      } else {
        full.add(pool); // connections to other servers do not wait for this one
        pool.awaitConnection(this);
      }
    }
  }

  // Events of the connections

  /** Called when a bind has ended, or will never start. */
  void onSettled(SaslConnection connection) {
    if (exchanges.leave(connection)) {
      connection.loop().execute(this::grow);
    }
  }

  /** Called when a connection has ended or could not be made. */
  void onEnded(ClientSession session, SaslConnection connection) {
    onSettled(connection);
    bySession.remove(session, connection);
  }

  /** Called when the client has another connection or none. This one ends when its work is done. */
  void onLeft(ClientSession session, SaslConnection connection) {
    onEnded(session, connection);
    leaving.add(connection);
  }

  // Timer

  /** Called when the server is down: gives up what it leaves unanswered on these connections. */
  void handOver(Backend server, Predicate<UpstreamConnection> matching) {
    for (SaslConnection connection : List.copyOf(bySession.values())) {
      if (connection.backend() == server) {
        connection.handOver(matching);
      }
    }
  }

  /**
   * Called when the server may not respond: unanswered first steps are retried on another server.
   */
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
    leaving.removeIf(SaslConnection::isClosed);
    if (exchanges.waiting() > 0) {
      disconnectSlow(now);
    }
  }

  /** Disconnects slow clients, but only as many as there are binds waiting. */
  private void disconnectSlow(long now) {
    int waiting = exchanges.waiting();
    for (SaslConnection connection : exchanges.holders()) {
      long limitNanos = exchanges.isOfTheLargest(connection) ? STEP_NANOS_OF_LARGEST : STEP_NANOS;
      if (waiting > 0 && connection.disconnectIfSlow(now, limitNanos)) {
        waiting--;
      }
    }
  }

  /** Closes all connections and rejects waiting operations. */
  void close() {
    List.copyOf(bySession.values())
        .forEach(connection -> connection.close(Rejection.SHUTTING_DOWN));
    List.copyOf(leaving).forEach(connection -> connection.close(Rejection.SHUTTING_DOWN));
  }
}
