// SPDX-License-Identifier: Apache-2.0
package io.stoa.upstream.pool;

import io.netty.util.concurrent.EventExecutor;
import io.stoa.ldap.protocol.Octets;
import io.stoa.operation.ClientIdentity;
import io.stoa.operation.ClientSession;
import io.stoa.operation.Credentials;
import io.stoa.operation.Operation;
import io.stoa.operation.Rejection;
import io.stoa.upstream.admission.QueueBound;
import io.stoa.upstream.auth.BoundClients;
import io.stoa.upstream.auth.NeverProxied;
import io.stoa.upstream.auth.ServiceAccount;
import io.stoa.upstream.connection.Connector;
import io.stoa.upstream.connection.Connector.PendingConnection;
import io.stoa.upstream.connection.UpstreamConnection;
import io.stoa.upstream.server.Backend;
import io.stoa.upstream.server.DedicatedQuotas.Key;
import io.stoa.upstream.server.DedicatedQuotas.Share;
import io.stoa.upstream.server.PoolMember;
import io.stoa.upstream.server.ServerAddress;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The connections of one event loop to one server: a group for each identity, a dedicated group for
 * each client that needs one, the bind connections, and the connections that rest after a bind.
 *
 * <p>Threading: event loop, except {@link #onRoomExpected} and {@link #onIdleWanted}, which post.
 */
public final class UpstreamPool implements PoolMember {
  /** Name of the service account's group. No client can have this name. */
  static final Octets SERVICE = Octets.of(new byte[] {0, 's', 't', 'o', 'a'});

  private final Backend backend;
  private final EventExecutor loop;
  private final PoolSettings settings;
  private final UpstreamPools owner;
  private final Map<Octets, ConnectionGroup> groups = new HashMap<>();

  /** Groups that have connections; most groups may have none. */
  private final Set<ConnectionGroup> connected = new HashSet<>();

  private final Set<ConnectionDemand> waiting = new LinkedHashSet<>();
  private final BindConnections binds;
  private final RestingConnections resting;

  UpstreamPool(Backend backend, EventExecutor loop, PoolSettings settings, UpstreamPools owner) {
    this.backend = backend;
    this.loop = loop;
    this.settings = settings;
    this.owner = owner;
    this.binds = new BindConnections(this);
    this.resting = new RestingConnections(this, binds);
    backend.register(this);
  }

  Backend backend() {
    return backend;
  }

  PoolSettings settings() {
    return settings;
  }

  EventExecutor loop() {
    return loop;
  }

  /**
   * Returns the maximum number of unanswered operations on one connection: the configured one, or
   * the server's if that is lower.
   */
  int maxOutstanding() {
    return Math.min(settings.maxOutstanding(), backend.limiter().connectionLimit().max());
  }

  /** Sends an operation on a connection of its identity. */
  void send(Operation operation) {
    group(operation.session().identity().name()).submit(operation);
  }

  /** Sends an operation on a connection of the service account, by proxied authorization. */
  void sendAsService(Operation operation) {
    if (mayBeServed(operation)) {
      group(SERVICE).submit(operation);
    }
  }

  /**
   * True if the service account may act for the client. If the client's mapped name is that of the
   * account itself, the operation is rejected.
   */
  boolean mayBeServed(Operation operation) {
    ServiceAccount account = settings.service();
    boolean permitted = account == null || !account.isMistakenFor(operation.session().identity());
    if (!permitted) {
      operation.sink().reject(Rejection.AUTHORIZATION_DENIED);
    }
    return permitted;
  }

  /** Forwards a client's bind. */
  void bind(Operation operation) {
    binds.submit(operation);
  }

  /** Returns the group of an identity. A new group takes over the connection that rests. */
  private ConnectionGroup group(Octets identity) {
    ConnectionGroup group = groups.get(identity);
    if (group == null) {
      group = newGroup(identity, null);
      groups.put(identity, group);
      resting.moveTo(group, identity);
    }
    return group;
  }

  /**
   * Keeps the connection of a successful bind for the client's identity: in its group, or at rest
   * while it has none. Returns false if the connection is not needed.
   */
  boolean keep(BindResultSink bind) {
    ConnectionGroup group = groups.get(bind.name());
    if (group == null) {
      return resting.rest(bind.connection(), bind.name(), bind.bindNumber());
    }
    boolean kept = group.keeps(bind.bindNumber());
    if (kept) {
      group.adopt(bind.connection(), bind.operation().session());
    }
    return kept;
  }

  /** Called when no client of the loop is bound as the identity any more. */
  void onIdentityLeft(Octets identity) {
    resting.onIdentityLeft(identity);
  }

  /** Creates a group, shared or dedicated to {@code onlyClient}. */
  ConnectionGroup newGroup(Octets name, @Nullable ClientSession onlyClient) {
    return new ConnectionGroup(
        this, name, onlyClient, name.equals(SERVICE) ? settings.service() : null);
  }

  /** Returns the client's dedicated group; creates it if there is none. */
  ConnectionGroup pin(ClientSession session, Octets name) {
    return owner.pin(session, name, this);
  }

  /**
   * True if an operation of the client finds an idle connection, or goes to the service account.
   */
  boolean hasIdle(ClientSession session) {
    ClientIdentity identity = session.identity();
    if (settings.service() != null && identity.authzId() != null) {
      return true;
    }
    ConnectionGroup group = groups.get(identity.name());
    return group == null ? resting.hasIdle(session) : group.idleConnection(session) != null;
  }

  /** True if a connection can serve the client without a bind. */
  boolean canServe(ClientSession session) {
    ConnectionGroup group = groups.get(session.identity().name());
    return group == null ? resting.canServe(session) : group.canServe(session);
  }

  /** True if a connection to another server serves the client. */
  boolean isServedElsewhere(ClientSession session) {
    return owner.isServedElsewhere(session, backend);
  }

  /** True if a connection to any server serves the client. */
  boolean isServed(ClientSession session) {
    return owner.isServed(session);
  }

  /** True if a client cannot be bound again, and no connection serves it. */
  boolean isUnserved(ClientSession client) {
    return settings.clients().bindNumber(client) > 0
        && !client.identity().canRebind()
        && !isServed(client);
  }

  /** True if the service account acts for the client. */
  boolean actsFor(ClientSession session) {
    return owner.actsFor(session);
  }

  /** Gives up the client's dedicated connection. */
  void unpin(ClientSession session) {
    owner.unpin(session);
  }

  /** True if there are connections bound as the identity. */
  boolean isConnected(Octets identity) {
    ConnectionGroup group = groups.get(identity);
    return group == null ? resting.contains(identity) : !group.connections().isEmpty();
  }

  /** Called when the server will not answer an operation. */
  void onUnanswered(Operation operation) {
    settings.unanswered().onUnanswered(operation, backend);
  }

  /**
   * True if the server is a replica that may not know a new password yet, and a primary can be
   * asked.
   */
  boolean mayLackPassword(Credentials password) {
    return !backend.isPrimary() && owner.primaryTakes(password);
  }

  /** Called when the server has refused an operation. Returns true if it is retried. */
  boolean onRefused(Operation operation) {
    return settings.unanswered().onRefused(operation, backend);
  }

  /** Called when the server is too busy to bind. Returns true if the operation goes elsewhere. */
  boolean onServerBusy(Operation operation) {
    return settings.unanswered().onServerBusy(operation, backend);
  }

  /** Called when a barred operation no longer waits here. */
  void sendElsewhere(Operation operation) {
    settings.unanswered().sendElsewhere(operation, backend);
  }

  /** Moves idle connections that a group no longer needs to the bind connections. */
  void recycleIdle(ConnectionGroup group, List<UpstreamConnection> connections) {
    if (connections.isEmpty()) {
      return; // as after most operations
    }
    for (UpstreamConnection connection : connections) {
      if (connection.isIdle()) {
        group.release(connection);
        binds.recycle(connection);
      }
    }
  }

  // The limit of connections

  /**
   * Opens a connection, after {@link #reserve}.
   *
   * @param onlyClient the client to which the connection is dedicated; null if it is shared
   */
  PendingConnection open(@Nullable ClientSession onlyClient, Connector.ConnectListener owner) {
    return settings.connector().connect(backend, onlyClient, owner);
  }

  /**
   * Reserves a connection and a slot for opening it. If necessary the connection that is idle
   * longest is closed. Without success the caller registers by {@link #waiting}, and grows when
   * there is room.
   *
   * @param hasNoConnection true if the caller has no connection at all; then even one that cannot
   *     be made again is closed
   */
  boolean reserve(boolean hasNoConnection) {
    if (!backend.connectLimiter().tryBegin(this)) {
      return false;
    }
    boolean reserved =
        backend.reserve() || (closeLongestIdle(hasNoConnection) && backend.reserve());
    if (!reserved) {
      backend.connectLimiter().onEnded();
      backend.awaitRoom(this, hasNoConnection);
    }
    return reserved;
  }

  /** Called when a group has got or lost a connection. */
  void onConnectionsChanged(ConnectionGroup group) {
    if (group.connections().isEmpty()) {
      connected.remove(group);
    } else {
      connected.add(group);
    }
  }

  private void closeLongestIdle() {
    closeLongestIdle(backend.hasNeedyPool());
  }

  private boolean closeLongestIdle(boolean hasNoConnection) {
    UpstreamConnection longest = longer(binds.idleConnection(), resting.longestIdle(true));
    longest = longestIdle(longest, ConnectionGroup::isRenewable);
    longest = longest == null ? owner.longestIdleDedicated(this, holder -> true) : longest;
    longest =
        longest == null && hasNoConnection
            ? longestIdle(resting.longestIdle(false), any -> true)
            : longest;
    if (longest != null) {
      longest.close();
    }
    return longest != null;
  }

  /** Returns the connection that is idle longest, of {@code first} and the matching groups. */
  private @Nullable UpstreamConnection longestIdle(
      @Nullable UpstreamConnection first, Predicate<ConnectionGroup> eligible) {
    UpstreamConnection longest = first;
    for (ConnectionGroup group : connected) {
      longest = longer(longest, eligible.test(group) ? group.idleConnection(null) : null);
    }
    return longest;
  }

  /** Returns the connection that is idle for longer; null if both are. */
  private static @Nullable UpstreamConnection longer(
      @Nullable UpstreamConnection one, @Nullable UpstreamConnection other) {
    if (one == null || other == null) {
      return one == null ? other : one;
    }
    return other.idleSince() - one.idleSince() < 0 ? other : one;
  }

  /** Closes one idle shared connection of each identity. */
  void closeIdle() {
    List<UpstreamConnection> idle = new ArrayList<>();
    connected.forEach(
        group -> Optional.ofNullable(group.idleConnection(null)).ifPresent(idle::add));
    Optional.ofNullable(binds.idleConnection()).ifPresent(idle::add);
    idle.forEach(UpstreamConnection::close);
    resting.closeIdle();
  }

  /**
   * Closes idle connections so that a share fits its quota. Returns false, without effect, if that
   * is impossible.
   */
  boolean makeRoom(Share share) {
    List<Key> full = share.exhaustedKeys();
    List<UpstreamConnection> idle = closableFor(List.of(full));
    if (idle.isEmpty()) {
      idle = closableFor(full.stream().map(List::of).toList());
    }
    idle.forEach(UpstreamConnection::close);
    return full.isEmpty() || !idle.isEmpty();
  }

  /**
   * Returns for each key list the connection idle longest that counts under all its keys. Empty if
   * one is missing.
   */
  private List<UpstreamConnection> closableFor(List<List<Key>> wanted) {
    List<UpstreamConnection> spares = new ArrayList<>();
    for (List<Key> keys : wanted) {
      UpstreamConnection spare =
          owner.longestIdleDedicated(
              this, holder -> !keys.isEmpty() && keys.stream().allMatch(holder::countsFor));
      if (spare == null) {
        return List.of();
      }
      spares.add(spare);
    }
    return spares;
  }

  /**
   * Settings and services that the pools of one event loop share.
   *
   * <p>Threading: immutable.
   *
   * @param current source of the current configuration
   * @param connector opens connections on this loop
   * @param queueBound limit of waiting operations, over all loops
   * @param clients the loop's clients with a simple bind
   * @param service service account in proxied-authorization mode; else null
   * @param neverProxied identities for which the service account never acts; null without an
   *     account
   * @param unanswered handles operations that the server did not complete
   * @param policies true if servers support the password policy control
   */
  record PoolSettings(
      Supplier<UpstreamConfig> current,
      Connector connector,
      QueueBound queueBound,
      BoundClients clients,
      @Nullable ServiceAccount service,
      @Nullable NeverProxied neverProxied,
      UnansweredHandler unanswered,
      BooleanSupplier policies) {
    private static final long SPARE_NANOS = TimeUnit.SECONDS.toNanos(30);

    /** Returns the current configuration. */
    UpstreamConfig config() {
      return current.get();
    }

    int maxOutstanding() {
      return config().maxInFlightPerConnection();
    }

    /** True if the server identifies Stoa by the connection alone. */
    boolean identifiesStoa(ServerAddress server) {
      return config().transport().identifiesStoa(server);
    }

    long connectMillis() {
      return config().connectTimeout().toMillis();
    }

    long attemptNanos() {
      return config().attemptTimeout().toNanos();
    }

    long bindNanos() {
      return config().bindTimeout().toNanos();
    }

    /** Returns the longest wait in the queue, which is never above the operation time-out. */
    long queueNanos() {
      return Math.min(config().queueTimeout().toNanos(), operationNanos());
    }

    /** Returns the maximum age of a connection. */
    long ageNanos() {
      long nanos = config().transport().maxAge().toNanos();
      return nanos == 0 ? Long.MAX_VALUE : nanos;
    }

    long operationNanos() {
      return config().operationTimeout().toNanos();
    }

    /** Returns the maximum idle time of a connection. */
    long idleNanos() {
      long nanos = config().transport().idleTimeout().toNanos();
      return nanos == 0 ? Long.MAX_VALUE : nanos;
    }

    /** Returns the maximum idle time of a connection beyond an identity's first. */
    long spareNanos() {
      return SPARE_NANOS;
    }
  }

  /**
   * Opens connections on demand.
   *
   * <p>Threading: event loop.
   */
  interface ConnectionDemand {
    /** Opens connections for waiting operations, as far as the limits allow. */
    void grow();
  }

  /** Registers a group that could not reserve a connection. */
  void awaitConnection(ConnectionDemand growing) {
    waiting.add(growing);
  }

  /** Called when a group needs no connection any more. */
  void endWait(ConnectionDemand growing) {
    if (waiting.remove(growing) && waiting.isEmpty()) {
      backend.endWait(this);
    }
  }

  @Override
  public void onRoomExpected() {
    loop.execute(this::growWaiting);
  }

  /** Lets waiting groups grow in turn, until one finds no room. */
  private void growWaiting() {
    boolean room = true;
    while (room && !waiting.isEmpty()) {
      ConnectionDemand next = waiting.iterator().next();
      waiting.remove(next);
      next.grow();
      room = !waiting.contains(next);
    }
    if (room) {
      backend.notifyWaitingPool();
    }
  }

  @Override
  public void onIdleWanted() {
    loop.execute(this::closeLongestIdle);
  }

  // A server that may not respond

  /**
   * Moves waiting operations, and unanswered ones on the matching connections, to another server.
   */
  void handOver(Predicate<UpstreamConnection> matching) {
    List.copyOf(groups.values()).forEach(group -> group.handOver(matching));
    binds.handOver(matching);
  }

  // Administration

  /**
   * Called when the server is drained. Waiting operations move to another server, and shared
   * connections close when their operations are answered. A dedicated connection stays while it
   * holds state.
   */
  void drain() {
    List.copyOf(groups.values()).forEach(ConnectionGroup::drain);
    resting.drain();
    binds.drain();
  }

  /** Drains one connection that is due for renewal. One at a time keeps the others available. */
  private void renewOne(long now) {
    UpstreamConnection outdated = binds.dueForRenewal(now);
    outdated = outdated == null ? resting.dueForRenewal(now) : outdated;
    for (ConnectionGroup group : groups.values()) {
      outdated = outdated == null ? group.idlePolicy().dueForRenewal(now) : outdated;
    }
    if (outdated == null) {
      outdated = owner.dueForRenewal(this, now);
    }
    if (outdated != null) {
      outdated.drain();
    }
  }

  // Timer

  void tick(long now) {
    if (backend.health().isDrained()) {
      drain();
    }
    renewOne(now);
    backend.limiter().grantPlaces();
    backend.limiter().connectionLimit().expire(now);
    if (backend.isContended()) {
      closeLongestIdle();
    }
    for (ConnectionGroup group : List.copyOf(groups.values())) {
      group.tick(now);
    }
    groups.values().removeIf(group -> group.isUnused() && group.needsConnection());
    resting.tick(now);
    binds.tick(now);
  }

  void close() {
    List.copyOf(groups.values()).forEach(ConnectionGroup::close);
    resting.close();
    binds.close();
  }
}
