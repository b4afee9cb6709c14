// SPDX-License-Identifier: Apache-2.0
package io.stoa.upstream;

import io.netty.buffer.ByteBuf;
import io.stoa.backend.Backend;
import io.stoa.identity.ServiceAccount;
import io.stoa.ldap.LdapMessage;
import io.stoa.ldap.Octets;
import io.stoa.operation.ClientSession;
import io.stoa.operation.Credentials;
import io.stoa.operation.Operation;
import io.stoa.operation.OperationState;
import io.stoa.operation.Rejection;
import io.stoa.operation.Restriction;
import io.stoa.queue.FairQueue;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The connections to one server that act as one identity: one, and a further one only while each
 * has as many operations outstanding as it may. Or the one connection that serves one client alone.
 * What finds no room waits here. Event-loop confined.
 */
final class ConnectionGroup implements UpstreamConnection.Owner, UpstreamPool.Growing {
  private static final int BIND_SUCCESS = 0;
  private static final int BUSY = 51;
  private static final int UNAVAILABLE = 52;

  /** Beside a slow client connections take so many times less operations. */
  private static final int SPREAD = 8;

  private final UpstreamPool pool;
  private final Octets name;
  private final @Nullable ClientSession only;
  private final @Nullable ServiceAccount service;
  private final FairQueue waiting;
  private final Set<ClientSession> users = new HashSet<>();
  private final List<UpstreamConnection> connections = new ArrayList<>(1);
  private boolean opening;
  private boolean given;

  /**
   * Makes the group of an identity, or of one client if there is an only one.
   *
   * @param name the identity's name: whatever becomes of clients, a connection of the group acts as
   *     this and nobody else
   * @param service the account as which the connections are bound, for whichever client a request
   *     names; null if they are bound as the identity itself
   */
  ConnectionGroup(
      UpstreamPool pool,
      Octets name,
      @Nullable ClientSession only,
      @Nullable ServiceAccount service) {
    this.pool = pool;
    this.name = name;
    this.only = only;
    this.service = service;
    this.waiting = new FairQueue(pool.settings().queueBound());
  }

  /** Sends the operation on a connection of the group, now or when there is room. */
  void submit(Operation operation) {
    enter(operation.session());
    UpstreamConnection roomiest = waiting.isEmpty() ? roomiest() : null;
    if (roomiest != null) {
      roomiest.send(operation);
    } else if (waiting.add(operation, System.nanoTime())) {
      operation.moveTo(OperationState.WAITING);
      grow();
    } else {
      operation.sink().reject(Rejection.QUEUE_FULL);
    }
  }

  /** Takes over a connection that a client has just bound. */
  void adopt(UpstreamConnection connection, ClientSession session) {
    enter(session);
    connection.owner(this);
    if (only != null) {
      connection.makeExclusive();
    }
    connections.add(connection);
    serve();
  }

  Backend backend() {
    return pool.backend();
  }

  /** Whether a connection that acts as the identity would be of use. */
  boolean needsConnection() {
    return connections.isEmpty() && !opening;
  }

  /** A connection without any operation, or null. */
  @Nullable UpstreamConnection idleConnection() {
    for (UpstreamConnection connection : connections) {
      if (connection.idle()) {
        return connection;
      }
    }
    return null;
  }

  /** Whether no client acts as the identity any more, and nothing is under way for one. */
  boolean abandoned() {
    return users.isEmpty() && !opening && waiting.isEmpty();
  }

  private void enter(ClientSession session) {
    if (only == null && ofClient() && users.add(session)) {
      session.onReset(() -> left(session));
    }
  }

  private boolean anonymous() {
    return name.length() == 0;
  }

  /** Whether the connections are bound with what a client has bound with. */
  private boolean ofClient() {
    return service == null && !anonymous();
  }

  /** A client has gone or is somebody else now. */
  private void left(ClientSession session) {
    users.remove(session);
    if (users.isEmpty()) {
      pool.unused(this, List.copyOf(connections));
    }
  }

  /** The only client has gone or is somebody else now. */
  void giveUp() {
    given = true;
    waiting.drain().forEach(operation -> operation.sink().reject(Rejection.STATE_LOST));
    List.copyOf(connections).forEach(UpstreamConnection::drain);
  }

  /** A connection of the group is given to another use. */
  void giveAway(UpstreamConnection connection) {
    connections.remove(connection);
  }

  /** One that a slow client holds up is better than none, but not than one that can be opened. */
  private @Nullable UpstreamConnection roomiest() {
    UpstreamConnection best = roomiest(false);
    return best == null && !mayGrow() ? roomiest(true) : best;
  }

  /** Where one client is slow, others may be: fewer then have to move when that shows. */
  private int mostOutstanding() {
    int most = pool.settings().maxOutstanding();
    for (UpstreamConnection connection : connections) {
      if (connection.slow()) {
        return Math.max(1, most / SPREAD);
      }
    }
    return most;
  }

  private boolean mayGrow() {
    return !pool.backend().starving() && (anonymous() || binder() != null);
  }

  private @Nullable UpstreamConnection roomiest(boolean evenSlow) {
    int most = evenSlow ? pool.settings().maxOutstanding() : mostOutstanding();
    UpstreamConnection best = null;
    for (UpstreamConnection connection : connections) {
      if ((evenSlow || !connection.slow())
          && connection.hasRoom(most)
          && (best == null || connection.outstanding() < best.outstanding())) {
        best = connection;
      }
    }
    return best;
  }

  /** Sends what waits, as far as there is room; grows if there is not. */
  private void serve() {
    UpstreamConnection roomiest = roomiest();
    while (roomiest != null) {
      Operation next = waiting.poll();
      if (next == null) {
        return;
      }
      roomiest.send(next);
      roomiest = roomiest();
    }
    grow();
  }

  // Growing

  /** Opens one more connection if something waits. */
  @Override
  public void grow() {
    if (waiting.isEmpty() || opening || given || (only != null && !connections.isEmpty())) {
      return;
    }
    if (ofClient() && binder() == null) {
      strand();
    } else if (pool.reserve()) {
      opening = true;
      pool.settings().connector().connect(pool.backend(), this, only, new Opening());
    } else {
      pool.starved(this);
    }
  }

  /** A client that can still bind as the group's identity; null if there is none. */
  private @Nullable ClientSession binder() {
    if (only != null) {
      return credentials(only) == null ? null : only;
    }
    return users.stream().filter(user -> credentials(user) != null).findFirst().orElse(null);
  }

  /** What binds as the group's identity again, if the client still is that, and may be sent. */
  private @Nullable ByteBuf credentials(ClientSession session) {
    Credentials kept = session.identity().credentials();
    boolean same = session.open() && session.identity().name().equals(name);
    return same && kept != null ? kept.bindRequest(pool.backend().exposed()) : null;
  }

  /** Passwords are not kept: clients without a connection cannot be served any more. */
  private void strand() {
    if (connections.isEmpty()) {
      waiting.drain().forEach(stranded -> stranded.session().disconnect(Rejection.STATE_LOST));
    }
  }

  /** A connection on its way. */
  private final class Opening implements Connector.Outcome {
    @Override
    public void connected(UpstreamConnection connection) {
      if (only != null) {
        connection.makeExclusive();
      }
      if (service != null) {
        connected(connection, service);
        return;
      }
      ClientSession binder = binder();
      ByteBuf bindRequest = binder == null ? null : credentials(binder);
      if (anonymous()) {
        connection.ready();
        opened(connection);
      } else if (binder == null || bindRequest == null) {
        refused(connection);
        grow();
      } else {
        long most = pool.settings().connectMillis();
        connection.bind(
            bindRequest, most, answer -> bound(connection, binder, ServiceLogin.code(answer)));
      }
    }

    private void connected(UpstreamConnection connection, ServiceAccount account) {
      new ServiceLogin(pool.backend(), account, pool.settings().connectMillis())
          .on(connection, accepted -> loggedIn(connection, accepted));
    }

    private void loggedIn(UpstreamConnection connection, boolean accepted) {
      if (accepted) {
        opened(connection);
      } else {
        refused(connection);
        waiting.drain().forEach(pool::unanswered);
      }
    }

    private void bound(UpstreamConnection connection, ClientSession binder, int code) {
      if (code == BIND_SUCCESS) {
        opened(connection);
        return;
      }
      refused(connection);
      if (code < 0 || code == BUSY || code == UNAVAILABLE) {
        waiting.drain().forEach(pool::unanswered);
      } else if (credentials(binder) != null) {
        binder.disconnect(Rejection.REBIND_REFUSED);
      }
      grow();
    }

    private void refused(UpstreamConnection connection) {
      opening = false;
      connection.close();
    }

    private void opened(UpstreamConnection connection) {
      opening = false;
      connections.add(connection);
      if (given) {
        connection.close();
        return;
      }
      serve();
      if (connection.idle()) {
        rest(connection);
      }
    }

    @Override
    public void failed(Throwable cause, boolean ours) {
      opening = false;
      pool.failed(cause, ours);
      waiting.drain().forEach(pool::unanswered);
    }
  }

  // What the connections tell

  @Override
  public void room(UpstreamConnection connection) {
    if (!waiting.isEmpty()) {
      serve();
    } else if (only == null && connection.idle()) {
      rest(connection);
    }
  }

  /** A connection without work makes room for others, if there are any that need it. */
  private void rest(UpstreamConnection connection) {
    if (pool.backend().starving()) {
      connection.close();
    } else if (only == null && ofClient() && users.isEmpty()) {
      pool.unused(this, List.of(connection));
    }
  }

  @Override
  public void closed(UpstreamConnection connection) {
    connections.remove(connection);
    if (only != null && only.restriction() == Restriction.EXCLUSIVE && only.open() && !given) {
      only.lost(connection.endedByServer());
    }
    grow();
  }

  @Override
  public void unanswered(Operation operation) {
    pool.unanswered(operation);
  }

  @Override
  public void held(Operation operation) {
    submit(operation);
  }

  @Override
  public void unsolicited(UpstreamConnection connection, LdapMessage notification) {
    if (only != null && only.restriction() == Restriction.EXCLUSIVE) {
      only.notify(notification);
    } else {
      notification.release();
      connection.leaving();
    }
  }

  // Time

  /** Ends what has waited too long, or was silent too long, and connections no longer needed. */
  void tick(long now) {
    UpstreamPool.Settings settings = pool.settings();
    for (Operation late : waiting.expired(now, settings.queueNanos())) {
      late.sink().reject(Rejection.QUEUE_TIMEOUT);
    }
    for (UpstreamConnection connection : List.copyOf(connections)) {
      connection.giveUpOverdue(now, settings.operationNanos());
      if (connection.idle()) {
        rested(connection, now - connection.idleSince());
      }
    }
  }

  /** Servers end connections that are idle: one that can be made again is ended before. */
  private void rested(UpstreamConnection connection, long nanos) {
    boolean renewable = only == null && (!ofClient() || binder() != null);
    if (connections.size() > 1 && nanos > pool.settings().spareNanos()) {
      connection.close();
    } else if (nanos > pool.settings().idleNanos()) {
      if (renewable) {
        connection.close();
      } else {
        connection.keepAlive(pool.settings().connectMillis());
      }
    }
  }

  void close() {
    given = true;
    waiting.drain().forEach(operation -> operation.sink().reject(Rejection.SHUTTING_DOWN));
    List.copyOf(connections).forEach(UpstreamConnection::close);
  }
}
