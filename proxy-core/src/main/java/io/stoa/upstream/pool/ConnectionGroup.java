// SPDX-License-Identifier: Apache-2.0
package io.stoa.upstream.pool;

import io.stoa.ldap.protocol.LdapMessage;
import io.stoa.ldap.protocol.Octets;
import io.stoa.operation.ClientSession;
import io.stoa.operation.Credentials;
import io.stoa.operation.Operation;
import io.stoa.operation.Rejection;
import io.stoa.operation.Restriction;
import io.stoa.upstream.admission.FairQueue;
import io.stoa.upstream.auth.ServiceAccount;
import io.stoa.upstream.connection.RefusalHandler;
import io.stoa.upstream.connection.UpstreamConnection;
import io.stoa.upstream.pool.ConnectionOpener.Opening;
import io.stoa.upstream.pool.GroupLogin.Outcome;
import io.stoa.upstream.server.Backend;
import io.stoa.upstream.server.DedicatedQuotas.Holder;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The connections to one server that act as one identity, or the dedicated connection of one
 * client.
 *
 * <ol>
 *   <li>A further connection is opened only while each has its maximum number of operations in
 *       flight.
 *   <li>Operations that find no room wait in the group's queue.
 *   <li>Every connection of the group is bound as the group's identity, and never as another.
 * </ol>
 *
 * <p>Threading: event loop.
 */
final class ConnectionGroup
    implements RefusalHandler, UpstreamPool.Growing, ConnectionOpener.Outcome {
  private final UpstreamPool pool;
  private final Octets name;
  private final @Nullable ClientSession only;
  private final @Nullable ServiceAccount service;
  private final FairQueue waiting;
  private final Set<ClientSession> users = new HashSet<>();
  private final GroupConnections connections;
  private final GroupLogin login;
  private final DedicatedQuota share;
  private final IdlePolicy ease;
  private final GroupQueue queue;

  private @Nullable Opening opening;
  private boolean given;

  /**
   * Creates the group of an identity, or of one client.
   *
   * @param name name of the identity as which the connections act
   * @param only the client to which the group is dedicated; null if the group is shared
   * @param service service account that binds the connections, and acts for each request's client;
   *     null if the connections are bound as the identity itself
   */
  ConnectionGroup(
      UpstreamPool pool,
      Octets name,
      @Nullable ClientSession only,
      @Nullable ServiceAccount service) {
    this.pool = pool;
    this.name = name;
    this.only = only;
    this.share = new DedicatedQuota(pool, only, service == null ? name : null);
    this.service = service;
    this.waiting = new FairQueue(pool.settings().queueBound(), owners(name, service));
    this.login = new GroupLogin(pool, name, service, this::credentials, () -> !waiting.isEmpty());
    this.connections = new GroupConnections(pool, only == null ? this : null, login);
    this.ease =
        new IdlePolicy(
            only, connections, pool.settings(), () -> !ofClient() || credentials() != null);
    ConnectRateLimiter pace = only == null ? new ConnectRateLimiter(pool, this::turn) : null;
    this.queue = new GroupQueue(waiting, connections, pace, this::since, this::mayGrow);
  }

  /** Sends the operation on a connection of the group, now or when there is room. */
  void submit(Operation operation) {
    enter(operation.session());
    if (queue.send(operation) ? login.proves(operation.session()) : queue.add(operation)) {
      serve();
    }
  }

  /**
   * True if the group keeps a connection that a client bound at {@code at}. If not, it is used for
   * further binds.
   */
  boolean wants(long at) {
    boolean keeps =
        pool.settings().config().keepPasswords() && !pool.settings().clients().isOneTime(name);
    boolean may = connections.mayGrow() || !keeps;
    return needsConnection() || (connections.isFresh(at) && may);
  }

  /**
   * Takes over a connection that a client has just bound. Older ones that are not needed are
   * released.
   */
  void adopt(UpstreamConnection connection, ClientSession session) {
    enter(session);
    connection.owner(this);
    if (only != null) {
      connection.makeExclusive();
      share.takeAnyway();
    }
    connections.add(connection, since(session));
    serve();
    retire();
  }

  /** Returns idle connections that no client needs to the bind connections. */
  private void retire() {
    if (only == null) {
      pool.unused(this, connections.spent());
    }
  }

  Backend backend() {
    return pool.backend();
  }

  /** True if the group has no connection and none is being opened. */
  boolean needsConnection() {
    return connections.isEmpty() && opening == null;
  }

  /** True if one of the connections can serve the client. */
  boolean canServe(ClientSession client) {
    return connections.canServe(since(client));
  }

  /** Returns the group's connections. */
  GroupConnections connections() {
    return connections;
  }

  /**
   * Returns an idle connection that can serve the client; null if there is none.
   *
   * @param client null for any client
   */
  @Nullable UpstreamConnection idleConnection(@Nullable ClientSession client) {
    return connections.idle(client == null ? 0 : since(client));
  }

  /** True if no client has this identity any more, and nothing is in progress for one. */
  boolean abandoned() {
    return users.isEmpty() && opening == null && waiting.isEmpty();
  }

  private void enter(ClientSession session) {
    if (only == null && ofClient() && users.add(session)) {
      connections.need(since(session));
      session.onReset(() -> left(session));
    }
  }

  /** Returns the bind number of the client; 0 if any connection of the group can serve it. */
  private long since(ClientSession session) {
    return ofClient() ? pool.settings().clients().since(session) : 0;
  }

  /** True if the connections are bound with clients' credentials. */
  private boolean ofClient() {
    return service == null && name.length() > 0;
  }

  /** Called when a client has disconnected or bound again. */
  private void left(ClientSession session) {
    users.remove(session);
    if (users.isEmpty()) {
      pool.unused(this, connections.all());
    }
  }

  /** Called when the client of a dedicated connection has disconnected or bound again. */
  void giveUp() {
    given = true;
    waiting.drain().forEach(operation -> operation.sink().reject(Rejection.STATE_LOST));
    login.reconsider();
    connections.all().forEach(UpstreamConnection::drain);
  }

  /** Removes a connection that is moved to another owner. */
  void giveAway(UpstreamConnection connection) {
    connections.remove(connection);
  }

  private boolean mayGrow() {
    boolean keeps = pool.settings().config().keepPasswords();
    return !pool.backend().starving() && (!ofClient() || (keeps && credentials() != null));
  }

  /** Sends waiting operations as far as there is room; opens a connection if there is none. */
  private void serve() {
    queue.serve();
    login.reconsider();
    grow();
  }

  /** Sends one waiting operation of this owner's clients, for which the server has a place. */
  private void turn(Object owner) {
    queue.sendNext(owner);
    serve();
  }

  /**
   * Returns the unit of fairness of a client. On connections of the service account it is the
   * client's identity; else the whole group is one unit.
   */
  private static Function<ClientSession, Object> owners(
      Octets name, @Nullable ServiceAccount service) {
    return service == null ? any -> name : client -> client.identity().name();
  }

  // Opening connections

  /** Opens one more connection if an operation waits for it. */
  @Override
  public void grow() {
    if (opening != null || given || (only != null && !connections.isEmpty())) {
      return;
    }
    if (!(queue.lacksConnection() || login.proves())) {
      pool.sated(this);
    } else if (ofClient() && credentials() == null) {
      queue.unservable().forEach(this::leave);
    } else if (!connections.mayGrow()) {
      connections.afterPause(this::grow);
    } else if (!share.take()) {
      return; // retried at each tick, until another connection of the holder has ended
    } else if (pool.reserve(connections.isEmpty())) {
      opening = pool.openings().begin(this, only, this);
    } else {
      share.giveBack();
      pool.starved(this);
    }
  }

  /**
   * Ends the wait of an operation that no connection of the group can serve, if none can be bound
   * as its client.
   *
   * <ol>
   *   <li>If the service account acts for the client, the operation is routed again, to that
   *       account.
   *   <li>An operation that needs a dedicated connection is rejected if another one serves the
   *       client.
   *   <li>A client that no connection serves is disconnected. So is a client that writes while Stoa
   *       keeps no passwords: after a new bind it is where writes are accepted.
   *   <li>Any other write is rejected, and a read goes to a server on which a connection serves the
   *       client.
   * </ol>
   */
  private void leave(Operation operation) {
    ClientSession client = operation.session();
    boolean keeps = pool.settings().config().keepPasswords();
    if (pool.actsFor(client)) {
      leaveToService(operation);
    } else if (only != null && pool.serves(client)) {
      operation.sink().reject(Rejection.NO_OWN_CONNECTION);
    } else if (!pool.servedElsewhere(client) || (operation.mayChange() && !keeps)) {
      client.disconnect(Rejection.STATE_LOST);
    } else if (operation.mayChange()) {
      operation.sink().reject(Rejection.BOUND_ELSEWHERE);
    } else {
      pool.unanswered(operation);
    }
  }

  private void leaveToService(Operation operation) {
    if (only != null) {
      pool.unpin(only);
    }
    pool.unanswered(operation);
  }

  /** Disconnects clients that cannot be bound again and have lost their last connection. */
  private void disconnectUnserved() {
    List<ClientSession> lost = users.stream().filter(this::isUnserved).toList();
    if (!lost.isEmpty()) {
      pool.loop().execute(() -> lost.forEach(this::disconnectUnserved));
    }
  }

  private boolean isUnserved(ClientSession user) {
    return since(user) > 0 && !user.identity().bindsAgain() && !pool.serves(user);
  }

  private void disconnectUnserved(ClientSession user) {
    if (users.contains(user) && isUnserved(user)) {
      user.disconnect(Rejection.STATE_LOST);
    }
  }

  /**
   * True if a connection can be made again with a stored password that is not for one bind only.
   */
  boolean renewable() {
    Credentials left = ease.renewable() && ofClient() ? credentials() : null;
    boolean once = left != null && left.mayBeOneTime() && left.isFresh(System.nanoTime());
    return ease.renewable() && !once;
  }

  /** Returns the policy for closing connections. */
  IdlePolicy ease() {
    return ease;
  }

  /** Returns the owner of a dedicated connection; null for a shared group. */
  @Nullable Holder holder() {
    return share.holder();
  }

  /**
   * Returns credentials to bind a new connection as this identity; null if there are none.
   * Credentials of a waiting client come first, so that a rejection hits a client that needs the
   * connection.
   */
  private @Nullable Credentials credentials() {
    Set<ClientSession> others = only == null ? users : Set.of(only);
    boolean exposed = pool.backend().exposed();
    Stream<ClientSession> first = Stream.concat(login.first(), waiting.sessions());
    return pool.settings().clients().kept(name, exposed, first, others);
  }

  @Override
  public void connected(Opening made, UpstreamConnection connection) {
    if (only != null) {
      connection.makeExclusive();
    }
    login.on(connection, (outcome, count) -> settled(made, connection, outcome, count));
  }

  private void settled(Opening made, UpstreamConnection connection, Outcome outcome, long count) {
    made.end();
    if (made.forgone()) {
      connection.close();
      return;
    }
    opening = null;
    if (outcome == Outcome.ACCEPTED) {
      opened(connection, count);
      return;
    }
    List<Operation> unsent = unsentAfter(outcome);
    connection.close();
    unsent.forEach(outcome == Outcome.BUSY ? pool::elsewhere : pool::unanswered);
    grow();
  }

  /**
   * Returns the operations that must not wait here after a failed login. The next login is delayed.
   */
  private List<Operation> unsentAfter(Outcome failed) {
    if (failed == Outcome.REFUSED) {
      return List.of();
    }
    login.provesNothing();
    if (failed == Outcome.UNKNOWN) {
      return waiting.drain();
    }
    connections.pause();
    if (failed == Outcome.BUSY) {
      return queue.unservable(pool::barred);
    }
    return pool.backend().usable() ? queue.unservable() : waiting.drain();
  }

  private void opened(UpstreamConnection connection, long count) {
    connections.add(connection, count);
    if (given) {
      connection.close();
      return;
    }
    serve();
    retire();
    rest(connection);
  }

  @Override
  public void failed(Opening unmade) {
    opening = null;
    share.giveBack();
    unsentAfter(Outcome.UNABLE).forEach(pool::unanswered);
    grow();
  }

  /** Empties the queue for another server, and cancels the connection being opened. */
  private List<Operation> unsent() {
    List<Operation> unsent = waiting.drain();
    if (opening != null) {
      opening.forgo();
      opening = null;
      share.giveBack();
    }
    return unsent;
  }

  // Events of the connections

  @Override
  public void room(UpstreamConnection connection) {
    if (!waiting.isEmpty()) {
      serve();
    }
    retire();
    rest(connection);
  }

  /**
   * Closes or releases an idle connection, if other pools need the room or no client has the
   * identity.
   */
  private void rest(UpstreamConnection connection) {
    if (only != null || !connection.idle() || !connections.has(connection)) {
      return;
    }
    if (pool.backend().starving()) {
      makeRoom(connection);
    } else if (ofClient() && users.isEmpty()) {
      pool.unused(this, List.of(connection));
    }
  }

  /** Closes {@code idle} if it can be made again; else asks the pool to close another one. */
  private void makeRoom(UpstreamConnection idle) {
    if (renewable()) {
      idle.close();
    } else {
      pool.idleWanted();
    }
  }

  @Override
  public void closed(UpstreamConnection connection) {
    boolean opened = connections.has(connection);
    connections.remove(connection);
    share.giveBack();
    ease.forget();
    if (opened && only != null && only.restriction() == Restriction.EXCLUSIVE && !given) {
      only.lost(connection.endedByServer());
    }
    login.reconsider();
    grow();
    if (opened && only == null && ofClient() && !given) {
      disconnectUnserved();
    }
  }

  @Override
  public void unanswered(Operation operation) {
    pool.unanswered(operation);
  }

  @Override
  public boolean refused(Operation operation) {
    return only == null && pool.refused(operation);
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

  // A server that may not respond

  /**
   * Moves waiting operations, and unanswered ones on the matching connections, to another server.
   */
  void handOver(Predicate<UpstreamConnection> which) {
    List<Operation> unsent = unsent();
    connections.all().stream().filter(which).forEach(UpstreamConnection::handOver);
    unsent.forEach(pool::unanswered);
  }

  // Administration

  /** Called when the server is drained. */
  void withdraw() {
    if (ease.renewable()) {
      List<Operation> unsent = unsent();
      login.reconsider();
      connections.all().forEach(UpstreamConnection::drain);
      unsent.forEach(pool::unanswered);
    }
  }

  // Timer

  /** Applies time-outs to waiting and unanswered operations, and closes idle connections. */
  void tick(long now) {
    UpstreamPool.Settings settings = pool.settings();
    waiting.expire(now, settings.queueNanos(), settings.operationNanos());
    login.reconsider();
    if (only != null) {
      grow();
    }
    for (UpstreamConnection connection : connections.all()) {
      connection.giveUpOverdue(now, settings.operationNanos());
      if (connection.idle()) {
        ease.rested(connection, now - connection.idleSince());
      }
    }
  }

  void close() {
    given = true;
    waiting.drain().forEach(operation -> operation.sink().reject(Rejection.SHUTTING_DOWN));
    connections.all().forEach(UpstreamConnection::close);
  }
}
