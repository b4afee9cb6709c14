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
import io.stoa.upstream.connection.Connector;
import io.stoa.upstream.connection.Connector.PendingConnection;
import io.stoa.upstream.connection.UpstreamConnection;
import io.stoa.upstream.pool.GroupLogin.LoginResult;
import io.stoa.upstream.server.Backend;
import io.stoa.upstream.server.DedicatedQuotas.Holder;
import io.stoa.upstream.server.DedicatedQuotas.Share;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
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
final class ConnectionGroup implements Connector.ConnectListener, UpstreamPool.ConnectionDemand {
  private final UpstreamPool pool;
  private final Octets name;
  private final @Nullable ClientSession onlyClient;
  private final @Nullable ServiceAccount service;
  private final FairQueue waiting;
  private final Set<ClientSession> users = new HashSet<>();
  private final GroupConnections connections;
  private final GroupLogin login;
  private final IdlePolicy idlePolicy;

  /** Share of the quota for dedicated connections; null if the group is shared. */
  private final @Nullable Share share;

  /**
   * Access to the server's places. Operations on a dedicated connection never wait for one: the
   * client may hold locks or paged searches that operations with places wait for.
   */
  private final OperationPacer pacer;

  private @Nullable PendingConnection opening;
  private boolean givenUp;

  /**
   * Creates the group of an identity, or of one client.
   *
   * @param name name of the identity as which the connections act
   * @param onlyClient the client to which the group is dedicated; null if the group is shared
   * @param service service account that binds the connections, and acts for each request's client;
   *     null if the connections are bound as the identity itself
   */
  ConnectionGroup(
      UpstreamPool pool,
      Octets name,
      @Nullable ClientSession onlyClient,
      @Nullable ServiceAccount service) {
    this.pool = pool;
    this.name = name;
    this.onlyClient = onlyClient;
    this.service = service;
    this.share =
        onlyClient == null ? null : pool.backend().dedicatedQuotas().newShare(holder(onlyClient));
    this.waiting = new FairQueue(pool.settings().queueBound(), owners(name, service));
    this.login = new GroupLogin(pool, name, service, this::credentials, () -> !waiting.isEmpty());
    this.connections = new GroupConnections(pool, onlyClient == null ? this : null);
    this.idlePolicy =
        new IdlePolicy(
            onlyClient,
            connections,
            pool.settings(),
            () -> !isBoundAsClient() || credentials() != null);
    this.pacer = new OperationPacer(pool, onlyClient == null, this::onPlace);
  }

  /** Sends the operation on a connection of the group, now or when there is room. */
  void submit(Operation operation) {
    addUser(operation.session());
    if (trySend(operation)
        ? login.mustVerify(operation.session())
        : waiting.addOrReject(operation)) {
      serve();
    }
  }

  /**
   * True if the group keeps a connection that a client bound at {@code bindNumber}. If not, it is
   * used for further binds.
   */
  boolean keeps(long bindNumber) {
    boolean keepsPasswords =
        pool.settings().config().keepPasswords() && !pool.settings().clients().isOneTime(name);
    boolean mayGrow = connections.mayGrow() || !keepsPasswords;
    return needsConnection() || (connections.servesAll(bindNumber) && mayGrow);
  }

  /**
   * Takes over a connection that a client has just bound. Older ones that are not needed are
   * released.
   */
  void adopt(UpstreamConnection connection, ClientSession session) {
    adopt(connection, bindNumber(session), List.of(session));
  }

  /**
   * Takes over a connection that was bound at {@code bindNumber}.
   *
   * @param clients the clients of the identity that it serves
   */
  void adopt(UpstreamConnection connection, long bindNumber, List<ClientSession> clients) {
    clients.forEach(this::addUser);
    connection.setOwner(this);
    if (share != null) {
      connection.makeExclusive();
      share.takeBeyondQuota();
    }
    connections.add(connection, bindNumber);
    serve();
    releaseStale();
  }

  /** Returns idle connections that no client needs to the bind connections. */
  private void releaseStale() {
    if (onlyClient == null) {
      pool.recycleIdle(this, connections.idleStale());
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
    return connections.canServe(bindNumber(client));
  }

  /** Returns the DN as which the connections act; empty if they are anonymous. */
  String identity() {
    return login.identity();
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
    return connections.idle(client == null ? 0 : bindNumber(client));
  }

  /** True if no client has this identity any more, and nothing is in progress for one. */
  boolean isUnused() {
    return users.isEmpty() && opening == null && waiting.isEmpty();
  }

  private void addUser(ClientSession session) {
    if (onlyClient == null && isBoundAsClient() && users.add(session)) {
      connections.require(bindNumber(session));
      session.onReset(() -> onUserLeft(session));
    }
  }

  /** Returns the bind number of the client; 0 if any connection of the group can serve it. */
  private long bindNumber(ClientSession session) {
    return isBoundAsClient() ? pool.settings().clients().bindNumber(session) : 0;
  }

  /** True if the connections are bound with clients' credentials. */
  private boolean isBoundAsClient() {
    return service == null && name.length() > 0;
  }

  /** Called when a client has disconnected or bound again. */
  private void onUserLeft(ClientSession session) {
    users.remove(session);
    if (users.isEmpty()) {
      pool.recycleIdle(this, connections.all());
    }
  }

  /** Called when the client of a dedicated connection has disconnected or bound again. */
  void giveUp() {
    givenUp = true;
    waiting.drain().forEach(operation -> operation.sink().reject(Rejection.STATE_LOST));
    login.cancelIfNeedless();
    connections.all().forEach(UpstreamConnection::drain);
  }

  /** Removes a connection that is moved to another owner. */
  void release(UpstreamConnection connection) {
    connections.remove(connection);
  }

  private boolean mayGrow() {
    boolean keepsPasswords = pool.settings().config().keepPasswords();
    return !pool.backend().isContended()
        && (!isBoundAsClient() || (keepsPasswords && credentials() != null));
  }

  // The queue

  /** Sends an operation at once. Returns false if it must wait. */
  private boolean trySend(Operation operation) {
    UpstreamConnection roomiest = waiting.isEmpty() ? roomiest(operation.session()) : null;
    return roomiest != null && pacer.trySend(() -> roomiest.send(operation));
  }

  /**
   * Returns the connection for a client's next operation; null if none has room. One that is held
   * up by a slow client is used only if no further one can be opened.
   */
  private @Nullable UpstreamConnection roomiest(ClientSession client) {
    long bound = bindNumber(client);
    UpstreamConnection best = connections.leastLoaded(bound);
    return best == null && !mayGrow() ? connections.leastLoadedOfAll(bound) : best;
  }

  /** Sends waiting operations as far as there is room; opens a connection if there is none. */
  private void serve() {
    if (pacer.isNeeded()) {
      requestPlaces();
    } else {
      boolean evenSlow = usesSlowConnections();
      while (sendNext(evenSlow, waiting::poll)) {
        // until the queue is empty or no connection has room
      }
    }
    login.cancelIfNeedless();
    grow();
  }

  /** Requests one place for each waiting client. */
  private void requestPlaces() {
    if (pacer.requested() < waiting.clients()
        && connections.highestBindNumber(usesSlowConnections()) >= 0) {
      waiting.forEachOwner(pacer::request);
    }
  }

  /** Sends one waiting operation of this owner's clients, for which the server has a place. */
  private void onPlace(Object owner) {
    if (sendNext(usesSlowConnections(), whose -> waiting.poll(owner, whose)) && pacer.isNeeded()) {
      pacer.request(owner, waiting.clients(owner));
    }
    serve();
  }

  /** Sends the first waiting operation for which a connection has room. */
  private boolean sendNext(
      boolean evenSlow, Function<Predicate<ClientSession>, @Nullable Operation> poll) {
    long reach = connections.highestBindNumber(evenSlow);
    Operation next = reach < 0 ? null : poll.apply(client -> bindNumber(client) <= reach);
    if (next != null) {
      long bound = bindNumber(next.session());
      Objects.requireNonNull(connections.leastLoadedOfAll(bound), "has room").send(next);
    }
    return next != null;
  }

  private boolean usesSlowConnections() {
    return !waiting.isEmpty() && !mayGrow();
  }

  /** True if an operation waits for a connection, and not for a place at the server. */
  private boolean lacksConnection() {
    return !waiting.isEmpty()
        && !(pacer.isNeeded()
            && connections.servesAll(connections.highestBindNumber(usesSlowConnections())));
  }

  /** Removes the operations whose client no connection can serve. */
  private List<Operation> unservable() {
    return waiting.drain(client -> !canServe(client));
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
    if (opening != null || givenUp || (onlyClient != null && !connections.isEmpty())) {
      return;
    }
    if (!(lacksConnection() || login.mustVerify())) {
      pool.endWait(this);
    } else if (isBoundAsClient() && credentials() == null) {
      unservable().forEach(this::resolveUnservable);
    } else if (!connections.mayGrow()) {
      connections.runAfterPause(this::grow);
    } else if (!claimShare()) {
      return; // retried at each tick, until another connection of the holder has ended
    } else if (pool.reserve(connections.isEmpty())) {
      opening = pool.open(onlyClient, this);
    } else {
      giveBackShare();
      pool.awaitConnection(this);
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
  private void resolveUnservable(Operation operation) {
    ClientSession client = operation.session();
    boolean keepsPasswords = pool.settings().config().keepPasswords();
    if (pool.actsFor(client)) {
      rerouteToService(operation);
    } else if (onlyClient != null && pool.isServed(client)) {
      operation.sink().reject(Rejection.NEEDS_CLIENT_BIND);
    } else if (!pool.isServedElsewhere(client) || (operation.mayChange() && !keepsPasswords)) {
      client.disconnect(Rejection.STATE_LOST);
    } else if (operation.mayChange()) {
      operation.sink().reject(Rejection.BOUND_AT_OTHER_SERVER);
    } else {
      pool.onUnanswered(operation);
    }
  }

  private void rerouteToService(Operation operation) {
    if (onlyClient != null) {
      pool.unpin(onlyClient);
    }
    pool.onUnanswered(operation);
  }

  /** Disconnects clients that cannot be bound again and have lost their last connection. */
  private void disconnectUnserved() {
    List<ClientSession> lost = users.stream().filter(pool::isUnserved).toList();
    if (!lost.isEmpty()) {
      pool.loop().execute(() -> lost.forEach(this::disconnectUnserved));
    }
  }

  private void disconnectUnserved(ClientSession user) {
    if (users.contains(user) && pool.isUnserved(user)) {
      user.disconnect(Rejection.STATE_LOST);
    }
  }

  /**
   * True if a connection can be made again with a stored password that is not for one bind only.
   */
  boolean isRenewable() {
    Credentials credentials = idlePolicy.isRenewable() && isBoundAsClient() ? credentials() : null;
    boolean once =
        credentials != null && credentials.mayBeOneTime() && credentials.isFresh(System.nanoTime());
    return idlePolicy.isRenewable() && !once;
  }

  /** Returns the policy for closing connections. */
  IdlePolicy idlePolicy() {
    return idlePolicy;
  }

  /** Returns the owner of a dedicated connection; null for a shared group. */
  @Nullable Holder holder() {
    return share == null ? null : share.holder();
  }

  /**
   * Returns the holder of the dedicated connection of {@code client}, by the name of its bind: a
   * session has its new name only afterwards. Connections of the service account count under the
   * client's own identity.
   */
  private Holder holder(ClientSession client) {
    return new Holder(client.network(), service == null ? name : client.identity().name());
  }

  /** Claims the share of a dedicated connection; if necessary an idle one is closed. */
  private boolean claimShare() {
    return share == null || share.take() || (pool.makeRoom(share) && share.take());
  }

  /** Gives the share back when the dedicated connection has ended. */
  private void giveBackShare() {
    if (share != null) {
      share.giveBack();
    }
  }

  /**
   * Returns credentials to bind a new connection as this identity; null if there are none.
   * Credentials of a waiting client come first, so that a rejection hits a client that needs the
   * connection.
   */
  private @Nullable Credentials credentials() {
    Set<ClientSession> others = onlyClient == null ? users : Set.of(onlyClient);
    boolean exposed = pool.backend().isExposed();
    Stream<ClientSession> first = Stream.concat(login.triedFirst(), waiting.sessions());
    return pool.settings().clients().kept(name, exposed, first, others);
  }

  @Override
  public void onConnected(PendingConnection attempt, UpstreamConnection connection) {
    if (onlyClient != null) {
      connection.makeExclusive();
    }
    login.bind(connection, (outcome, count) -> onLogin(attempt, connection, outcome, count));
  }

  private void onLogin(
      PendingConnection attempt, UpstreamConnection connection, LoginResult outcome, long count) {
    attempt.end();
    if (attempt.isCancelled()) {
      connection.close();
      return;
    }
    opening = null;
    if (outcome == LoginResult.ACCEPTED) {
      onOpened(connection, count);
      return;
    }
    List<Operation> unsent = unsentAfter(outcome);
    connection.close();
    unsent.forEach(outcome == LoginResult.BUSY ? pool::sendElsewhere : pool::onUnanswered);
    grow();
  }

  /**
   * Returns the operations that must not wait here after a failed login. The next login is delayed.
   */
  private List<Operation> unsentAfter(LoginResult failed) {
    if (failed == LoginResult.REFUSED) {
      return List.of();
    }
    login.postponeVerification();
    if (failed == LoginResult.UNKNOWN) {
      return waiting.drain();
    }
    connections.pause();
    if (failed == LoginResult.BUSY) {
      return waiting.take(
          operation -> !canServe(operation.session()) && pool.onServerBusy(operation));
    }
    return pool.backend().isUsable() ? unservable() : waiting.drain();
  }

  private void onOpened(UpstreamConnection connection, long count) {
    connections.add(connection, count);
    if (givenUp) {
      connection.close();
      return;
    }
    serve();
    releaseStale();
    onIdle(connection);
  }

  @Override
  public void onFailed(PendingConnection attempt, Throwable cause, boolean internal) {
    opening = null;
    giveBackShare();
    unsentAfter(LoginResult.UNABLE).forEach(pool::onUnanswered);
    grow();
  }

  /** Empties the queue for another server, and cancels the connection being opened. */
  private List<Operation> unsent() {
    List<Operation> unsent = waiting.drain();
    if (opening != null) {
      opening.cancel();
      opening = null;
      giveBackShare();
    }
    return unsent;
  }

  // Events of the connections

  @Override
  public void onRoom(UpstreamConnection connection) {
    if (!waiting.isEmpty()) {
      serve();
    }
    releaseStale();
    onIdle(connection);
  }

  /**
   * Closes or releases an idle connection, if other pools need the room or no client has the
   * identity.
   */
  private void onIdle(UpstreamConnection connection) {
    if (onlyClient != null || !connection.isIdle() || !connections.contains(connection)) {
      return;
    }
    if (pool.backend().isContended()) {
      makeRoom(connection);
    } else if (isBoundAsClient() && users.isEmpty()) {
      pool.recycleIdle(this, List.of(connection));
    }
  }

  /** Closes {@code idle} if it can be made again; else asks the pool to close another one. */
  private void makeRoom(UpstreamConnection idle) {
    if (isRenewable()) {
      idle.close();
    } else {
      pool.onIdleWanted();
    }
  }

  @Override
  public void onClosed(UpstreamConnection connection) {
    boolean opened = connections.contains(connection);
    connections.remove(connection);
    giveBackShare();
    idlePolicy.clearStates();
    if (opened
        && onlyClient != null
        && onlyClient.restriction() == Restriction.EXCLUSIVE
        && !givenUp) {
      onlyClient.onConnectionLost(connection.isEndedByServer());
    }
    login.cancelIfNeedless();
    grow();
    if (opened && onlyClient == null && isBoundAsClient() && !givenUp) {
      disconnectUnserved();
    }
  }

  @Override
  public void onUnanswered(Operation operation) {
    pool.onUnanswered(operation);
  }

  @Override
  public boolean onRefused(Operation operation) {
    return onlyClient == null && pool.onRefused(operation);
  }

  @Override
  public void onHeldUp(Operation operation) {
    submit(operation);
  }

  @Override
  public void onNotification(UpstreamConnection connection, LdapMessage notification) {
    if (onlyClient != null && onlyClient.restriction() == Restriction.EXCLUSIVE) {
      onlyClient.notify(notification);
    } else {
      notification.release();
      connection.onServerLeaving();
    }
  }

  // A server that may not respond

  /**
   * Moves waiting operations, and unanswered ones on the matching connections, to another server.
   */
  void handOver(Predicate<UpstreamConnection> matching) {
    List<Operation> unsent = unsent();
    connections.all().stream().filter(matching).forEach(UpstreamConnection::handOver);
    unsent.forEach(pool::onUnanswered);
  }

  // Administration

  /** Called when the server is drained. */
  void drain() {
    if (idlePolicy.isRenewable()) {
      List<Operation> unsent = unsent();
      login.cancelIfNeedless();
      connections.all().forEach(UpstreamConnection::drain);
      unsent.forEach(pool::onUnanswered);
    }
  }

  // Timer

  /** Applies time-outs to waiting and unanswered operations, and closes idle connections. */
  void tick(long now) {
    UpstreamPool.PoolSettings settings = pool.settings();
    waiting.expire(now, settings.queueNanos(), settings.operationNanos());
    login.cancelIfNeedless();
    if (onlyClient != null) {
      grow();
    }
    for (UpstreamConnection connection : connections.all()) {
      connection.giveUpOverdue(now, settings.operationNanos());
      if (connection.isIdle()) {
        idlePolicy.closeOrKeepAlive(connection, now - connection.idleSince());
      }
    }
  }

  void close() {
    givenUp = true;
    waiting.drain().forEach(operation -> operation.sink().reject(Rejection.SHUTTING_DOWN));
    connections.all().forEach(UpstreamConnection::close);
  }
}
