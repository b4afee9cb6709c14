// SPDX-License-Identifier: Apache-2.0
package io.stoa.upstream.pool;

import io.netty.channel.EventLoop;
import io.stoa.ldap.protocol.Octets;
import io.stoa.net.transport.GuardedTask;
import io.stoa.operation.ClientIdentity;
import io.stoa.operation.ClientSession;
import io.stoa.operation.Credentials;
import io.stoa.operation.Operation;
import io.stoa.operation.Restriction;
import io.stoa.upstream.auth.BoundClients;
import io.stoa.upstream.auth.NeverProxied;
import io.stoa.upstream.balancing.ServerGroup;
import io.stoa.upstream.connection.Connector;
import io.stoa.upstream.connection.UpstreamConnection;
import io.stoa.upstream.server.Backend;
import io.stoa.upstream.server.BackendState;
import io.stoa.upstream.server.DedicatedQuotas.Holder;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * All upstream connections of one event loop, to every server. A connection is used only from the
 * loop on which it lives, so a response never crosses threads on its way to the client.
 *
 * <p>Threading: event loop.
 */
public final class UpstreamPools {
  private static final long TICK_MILLIS = 250;
  private static final long WATCH_MILLIS = 100;

  private final Map<Backend, UpstreamPool> pools = new LinkedHashMap<>();
  private final Map<ClientSession, ConnectionGroup> pinned = new HashMap<>();
  private final @Nullable NeverProxied proxied;
  private final BoundClients clients;
  private final ServerGroup servers;
  private final boolean keepsPasswords;
  private final List<ConnectionGroup> leaving = new ArrayList<>();
  private final SaslConnections sasl;
  private final UpstreamPool.PoolSettings settings;
  private final ConnectionInspector inspector;
  private final Function<Backend, UpstreamPool> poolFactory;

  /** Removed servers that may still have connections. */
  private final Set<Backend> removed = new HashSet<>();

  /**
   * Creates the pools of one event loop.
   *
   * @param current source of the current configuration
   * @param unserved handles operations that servers did not complete
   * @param policies true if servers support the password policy control
   */
  public UpstreamPools(
      ServerGroup servers,
      UpstreamLoop loop,
      Supplier<UpstreamConfig> current,
      UnansweredHandler unserved,
      BooleanSupplier policies) {
    UpstreamConfig config = current.get();
    this.proxied =
        loop.service() == null ? null : new NeverProxied(config.identity().neverProxied());
    this.servers = servers;
    this.keepsPasswords = config.keepPasswords();
    Connector connector = loop.connector(config);
    this.clients =
        new BoundClients(loop.eventLoop(), loop.rebinds(), this::isServed, this::onIdentityLeft);
    this.settings =
        new UpstreamPool.PoolSettings(
            current,
            connector,
            loop.queueBound(),
            clients,
            loop.service(),
            proxied,
            unserved,
            policies);
    this.sasl = new SaslConnections();
    this.inspector = new ConnectionInspector(loop.eventLoop(), connector);
    this.poolFactory = backend -> new UpstreamPool(backend, loop.eventLoop(), settings, this);
    servers.backends().forEach(this::pool);
    servers.onAdded(
        backend ->
            backend
                .health()
                .onState(state -> post(loop.eventLoop(), () -> onState(backend, state))));
    servers.onRemoved(backend -> post(loop.eventLoop(), () -> removed.add(backend)));
    startTimers(loop.eventLoop(), connector);
  }

  private void startTimers(EventLoop loop, Connector connector) {
    GuardedTask timeouts =
        new GuardedTask(
            "time-outs of new connections",
            () -> connector.checkTimeouts(System.nanoTime(), settings.attemptNanos()));
    loop.scheduleAtFixedRate(timeouts, WATCH_MILLIS, WATCH_MILLIS, TimeUnit.MILLISECONDS);
    GuardedTask care = new GuardedTask("care of connections to servers", this::tick);
    loop.scheduleAtFixedRate(care, TICK_MILLIS, TICK_MILLIS, TimeUnit.MILLISECONDS);
  }

  /**
   * Posts a task, unless the loop is shutting down. Loops stop one after the other, and servers may
   * go down meanwhile.
   */
  private static void post(EventLoop loop, Runnable task) {
    if (!loop.isShuttingDown()) {
      loop.execute(task);
    }
  }

  /** Returns the inspector of the connections. */
  public ConnectionInspector inspector() {
    return inspector;
  }

  /** Sends an operation on a shared connection of its identity. */
  public void send(Operation operation, Backend backend) {
    pool(backend).send(operation);
  }

  /**
   * Returns the identities for which the service account never acts; null without a service
   * account.
   */
  public @Nullable NeverProxied proxied() {
    return proxied;
  }

  /** Sends an operation on a connection of the service account, by proxied authorization. */
  public void sendAsService(Operation operation, Backend backend) {
    pool(backend).sendAsService(operation);
  }

  /** Forwards a client's bind. */
  public void bind(Operation operation, Backend backend) {
    pool(backend).bind(operation);
  }

  /** Returns the server of the client's dedicated connection; null if it has none. */
  public @Nullable Backend pinnedTo(ClientSession session) {
    ConnectionGroup group = pinned.get(session);
    return group == null ? null : group.backend();
  }

  /**
   * Returns an object that identifies the client's current dedicated connection; null if it has
   * none.
   */
  public @Nullable Object dedicatedConnection(ClientSession session) {
    ConnectionGroup group = pinned.get(session);
    return group == null ? null : group.connections().all().stream().findFirst().orElse(null);
  }

  /** Sends an operation on the client's existing dedicated connection. */
  public void sendPinned(Operation operation) {
    Objects.requireNonNull(pinned.get(operation.session()), "dedicated connection")
        .submit(operation);
  }

  /** Adds to the number of states, such as paged searches, on the client's dedicated connection. */
  public void addStates(ClientSession session, int delta) {
    ConnectionGroup group = pinned.get(session);
    if (group != null) {
      group.idlePolicy().addStates(delta);
    }
  }

  /** Sends an operation on a dedicated connection of the client to {@code backend}. */
  public void pin(Operation operation, Backend backend) {
    ClientSession session = operation.session();
    pin(session, session.identity().name(), pool(backend)).submit(operation);
  }

  /** Sends an operation on a dedicated connection that is bound as the service account. */
  public void pinAsService(Operation operation, Backend backend) {
    if (pool(backend).mayBeServed(operation)) {
      pin(operation.session(), UpstreamPool.SERVICE, pool(backend)).submit(operation);
    }
  }

  /** Returns the server of the client's SASL connection; null if it has none. */
  public @Nullable Backend saslBoundTo(ClientSession session) {
    return sasl.backend(session);
  }

  /** Sends the first step of a SASL bind on a new connection of the client. */
  public void openSasl(Operation bind, Backend backend) {
    sasl.open(bind, pool(backend));
  }

  /** Sends an operation on the client's SASL connection. */
  public void sendSasl(Operation operation) {
    sasl.send(operation);
  }

  /** True if an operation of the client would find an idle connection to the server. */
  public boolean hasIdle(ClientSession session, Backend backend) {
    return pool(backend).hasIdle(session);
  }

  /**
   * True if an existing connection serves the client: a dedicated one, one of its identity, or one
   * of the service account.
   */
  boolean isServed(ClientSession session) {
    return keepsDedicatedConnection(session)
        || isServedElsewhere(session, null)
        || actsFor(session);
  }

  /** True if the service account acts for the client. */
  boolean actsFor(ClientSession session) {
    ClientIdentity identity = session.identity();
    return proxied != null
        && identity.authzId() != null
        && session.restriction() != Restriction.EXCLUSIVE
        && !proxied.contains(identity);
  }

  /** True if a shared connection to another usable server can serve the client. */
  boolean isServedElsewhere(ClientSession session, @Nullable Backend excluded) {
    return servers.backends().stream()
        .anyMatch(server -> server != excluded && server.isUsable() && canServe(session, server));
  }

  /** True if a shared connection to the server can serve the client. */
  public boolean canServe(ClientSession session, Backend backend) {
    return pool(backend).canServe(session);
  }

  /** True if clients with a simple bind can be bound again, on any server. */
  public boolean bindsAgain() {
    return keepsPasswords;
  }

  /** True if the name recently used a one-time password: its clients cannot be bound again. */
  public boolean isOneTime(byte[] name) {
    return clients.isOneTime(Octets.of(name));
  }

  /**
   * Gives a session that acts for a client the client's name and bind number. The session then uses
   * only connections that were bound no earlier than the client.
   */
  public void copyBinding(ClientSession session, ClientSession client) {
    clients.onBound(session, client.identity().name(), clients.bindNumber(client));
  }

  /** Returns the bind number of a session; 0 if it has not bound. */
  public long bindNumber(ClientSession session) {
    return clients.bindNumber(session);
  }

  /** True if a usable primary may be sent the password. */
  boolean primaryTakes(Credentials password) {
    return servers.backends().stream()
        .filter(server -> server.isPrimary() && server.isUsable())
        .anyMatch(server -> password.bindRequest(server.isExposed()) != null);
  }

  /** Returns the client's dedicated group at the server. A group at another server is given up. */
  ConnectionGroup pin(ClientSession session, Octets name, UpstreamPool pool) {
    ConnectionGroup group = pinned.get(session);
    if (group == null || group.backend() != pool.backend()) {
      if (group == null) {
        session.onReset(() -> unpin(session));
      } else {
        unpin(session);
      }
      group = pool.newGroup(name, session);
      pinned.put(session, group);
    }
    return group;
  }

  /**
   * Returns the dedicated connection to a server that is idle longest and can be closed; null if
   * none.
   */
  @Nullable UpstreamConnection longestIdleDedicated(UpstreamPool pool, Predicate<Holder> eligible) {
    UpstreamConnection longest = null;
    for (ConnectionGroup group : pinned.values()) {
      Holder holder = group.holder();
      boolean candidate =
          group.backend() == pool.backend() && holder != null && eligible.test(holder);
      UpstreamConnection spare = candidate ? group.idlePolicy().closable() : null;
      if (spare != null && (longest == null || spare.idleSince() - longest.idleSince() < 0)) {
        longest = spare;
      }
    }
    return longest;
  }

  /** Returns a dedicated connection to a server that is due for renewal; null if there is none. */
  @Nullable UpstreamConnection dueForRenewal(UpstreamPool pool, long now) {
    for (ConnectionGroup group : pinned.values()) {
      UpstreamConnection outdated =
          group.backend() == pool.backend() ? group.idlePolicy().dueForRenewal(now) : null;
      if (outdated != null) {
        return outdated;
      }
    }
    return null;
  }

  /**
   * True if the client's dedicated connection remains in use: it has not ended, and its server is
   * usable. On a drained server the connection remains in use while it holds state of the client.
   */
  public boolean keepsDedicatedConnection(ClientSession session) {
    ConnectionGroup group = pinned.get(session);
    return group != null
        && !group.needsConnection()
        && group.connections().all().stream().noneMatch(UpstreamConnection::isDraining)
        && (group.backend().isUsable()
            || (group.backend().health().isDrained() && group.idlePolicy().holdsState()));
  }

  /** True if the client would lose state with its dedicated connection. */
  public boolean holdsState(ClientSession session) {
    ConnectionGroup group = pinned.get(session);
    return group != null && group.idlePolicy().holdsState();
  }

  /**
   * Gives up the client's dedicated connection. The group is watched until its writes are answered.
   */
  void unpin(ClientSession session) {
    ConnectionGroup group = pinned.remove(session);
    if (group != null) {
      group.giveUp();
      leaving.add(group);
    }
  }

  private void onIdentityLeft(Octets name) {
    for (UpstreamPool pool : pools.values()) {
      pool.onIdentityLeft(name);
    }
  }

  private UpstreamPool pool(Backend backend) {
    return pools.computeIfAbsent(backend, poolFactory);
  }

  /** Returns the pool of a server. A removed server may have none. */
  private Optional<UpstreamPool> existingPool(Backend backend) {
    return Optional.ofNullable(pools.get(backend));
  }

  /**
   * Called when a server's state has changed. Unanswered operations move to other servers if any is
   * up. If none is, they are rejected once this server is down. Connections of a server that is
   * down stay while it responds: only its health check may fail, or new connections.
   */
  private void onState(Backend backend, BackendState state) {
    boolean elsewhere =
        servers.backends().stream().anyMatch(other -> other != backend && other.isUp());
    boolean suspect = state == BackendState.SUSPECT && !backend.health().isEjected();
    if (state == BackendState.DOWN) {
      long now = System.nanoTime();
      existingPool(backend)
          .ifPresent(pool -> pool.handOver(connection -> elsewhere || silent(connection, now)));
      existingPool(backend).ifPresent(UpstreamPool::drain);
      ownOf(backend).forEach(group -> group.handOver(connection -> silent(connection, now)));
      ownOf(backend).forEach(group -> group.idlePolicy().drainIfStateless());
      sasl.handOver(backend, connection -> silent(connection, now));
      sasl.leave(backend);
    } else if (elsewhere && suspect) {
      moveAway(backend);
    } else if (state == BackendState.UP) {
      existingPool(backend).ifPresent(pool -> pool.tick(System.nanoTime())); // places may be free
      moveFromHanging(backend);
    } else if (state == BackendState.DRAINED) {
      existingPool(backend).ifPresent(UpstreamPool::drain);
    }
  }

  /** Moves operations from hanging servers to one that has just come up. */
  private void moveFromHanging(Backend other) {
    Map.copyOf(pools) // a copy, since a pool may be created meanwhile
        .forEach(
            (backend, pool) -> {
              if (backend != other && backend.health().isHanging()) {
                moveAway(backend);
              }
            });
  }

  /** Moves operations that can be retried away from a server. */
  private void moveAway(Backend backend) {
    existingPool(backend).ifPresent(pool -> pool.handOver(any -> true));
    ownOf(backend).stream()
        .filter(group -> group.idlePolicy().tryDrain())
        .forEach(group -> group.handOver(any -> true));
    sasl.leave(backend);
  }

  private boolean silent(UpstreamConnection connection, long now) {
    return connection.isSilent(now, settings.attemptNanos());
  }

  private List<ConnectionGroup> ownOf(Backend backend) {
    return Stream.concat(pinned.values().stream(), leaving.stream())
        .filter(group -> group.backend() == backend)
        .toList();
  }

  private void tick() {
    long now = System.nanoTime();
    List.copyOf(pools.values()).forEach(pool -> pool.tick(now));
    List.copyOf(pinned.values()).forEach(group -> group.tick(now));
    List.copyOf(leaving).forEach(group -> group.tick(now));
    leaving.removeIf(ConnectionGroup::needsConnection);
    sasl.tick(now);
    List.copyOf(removed).forEach(this::closeRemoved);
  }

  /** Closes idle connections of a removed server, and forgets its pool when none is left. */
  private void closeRemoved(Backend backend) {
    UpstreamPool pool = pool(backend);
    pool.closeIdle();
    if (backend.connections() == 0) {
      pools.remove(backend);
      removed.remove(backend);
      pool.handOver(any -> true); // waiting operations, if any
    }
  }

  /** Closes all connections and rejects waiting operations. */
  public void close() {
    List.copyOf(pinned.values()).forEach(ConnectionGroup::close);
    List.copyOf(leaving).forEach(ConnectionGroup::close);
    sasl.close();
    pools.values().forEach(UpstreamPool::close);
  }
}
