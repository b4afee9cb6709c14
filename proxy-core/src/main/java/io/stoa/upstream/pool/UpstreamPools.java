// SPDX-License-Identifier: Apache-2.0
package io.stoa.upstream.pool;

import io.netty.channel.EventLoop;
import io.stoa.ldap.protocol.LdapProtocolException;
import io.stoa.ldap.protocol.Octets;
import io.stoa.net.transport.GuardedTask;
import io.stoa.operation.ClientIdentity;
import io.stoa.operation.ClientSession;
import io.stoa.operation.Credentials;
import io.stoa.operation.Operation;
import io.stoa.operation.Restriction;
import io.stoa.upstream.auth.BoundClients;
import io.stoa.upstream.auth.DedicatedConnections;
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
  private final @Nullable DedicatedConnections proxied;
  private final BoundClients clients;
  private final ServerGroup branch;
  private final boolean keepsPasswords;
  private final List<ConnectionGroup> leaving = new ArrayList<>();
  private final SaslConnections sasl;
  private final UpstreamPool.Settings settings;
  private final ConnectionInspector survey;
  private final Function<Backend, UpstreamPool> maker;

  /** Removed servers that may still have connections. */
  private final Set<Backend> parting = new HashSet<>();

  /**
   * Creates the pools of one event loop.
   *
   * @param current source of the current configuration
   * @param unserved handles operations that servers did not complete
   * @param policies true if servers support the password policy control
   */
  public UpstreamPools(
      ServerGroup branch,
      UpstreamLoop loop,
      Supplier<UpstreamConfig> current,
      UnansweredHandler unserved,
      BooleanSupplier policies) {
    UpstreamConfig config = current.get();
    this.proxied =
        loop.service() == null
            ? null
            : new DedicatedConnections(config.identity().ownConnections());
    this.branch = branch;
    this.keepsPasswords = config.keepPasswords();
    Connector connector = loop.connector(config);
    this.clients = new BoundClients(loop.eventLoop(), loop.rebinds(), this::serves);
    this.settings =
        new UpstreamPool.Settings(
            current,
            connector,
            loop.queueBound(),
            clients,
            loop.service(),
            proxied,
            unserved,
            policies);
    this.sasl = new SaslConnections();
    this.survey = new ConnectionInspector(loop.eventLoop(), connector.roll());
    this.maker = backend -> new UpstreamPool(backend, loop.eventLoop(), settings, this);
    branch.backends().forEach(this::pool);
    branch.onJoin(
        backend ->
            backend.health().onState(state -> post(loop.eventLoop(), () -> moved(backend, state))));
    branch.onPart(backend -> post(loop.eventLoop(), () -> parting.add(backend)));
    loop.eventLoop()
        .scheduleAtFixedRate(
            new GuardedTask(
                () -> connector.vigil().look(System.nanoTime(), settings.attemptNanos())),
            WATCH_MILLIS,
            WATCH_MILLIS,
            TimeUnit.MILLISECONDS);
    loop.eventLoop()
        .scheduleAtFixedRate(
            new GuardedTask(this::tick), TICK_MILLIS, TICK_MILLIS, TimeUnit.MILLISECONDS);
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
  public ConnectionInspector survey() {
    return survey;
  }

  /** Sends an operation on a shared connection of its identity. */
  public void send(Operation operation, Backend backend) {
    pool(backend).send(operation);
  }

  /**
   * Returns the identities for which the service account never acts; null without a service
   * account.
   */
  public @Nullable DedicatedConnections proxied() {
    return proxied;
  }

  /** Sends an operation on a connection of the service account, by proxied authorization. */
  public void sendAsService(Operation operation, Backend backend) {
    pool(backend).sendAsService(operation);
  }

  /** Forwards a client's bind. */
  public void bind(Operation operation, Backend backend) throws LdapProtocolException {
    pool(backend).bind(operation);
  }

  /** Returns the server of the client's dedicated connection; null if it has none. */
  public @Nullable Backend pinnedTo(ClientSession session) {
    ConnectionGroup own = pinned.get(session);
    return own == null ? null : own.backend();
  }

  /**
   * Returns an object that identifies the client's current dedicated connection; null if it has
   * none.
   */
  public @Nullable Object ownConnection(ClientSession session) {
    ConnectionGroup own = pinned.get(session);
    return own == null ? null : own.connections().all().stream().findFirst().orElse(null);
  }

  /** Sends an operation on the client's existing dedicated connection. */
  public void sendPinned(Operation operation) {
    Objects.requireNonNull(pinned.get(operation.session()), "own connection").submit(operation);
  }

  /** Adds to the number of states, such as paged searches, on the client's dedicated connection. */
  public void stateLeft(ClientSession session, int more) {
    ConnectionGroup own = pinned.get(session);
    if (own != null) {
      own.ease().stateLeft(more);
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
  boolean serves(ClientSession session) {
    return goesOn(session) || servesBut(session, null) || actsFor(session);
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
  boolean servesBut(ClientSession session, @Nullable Backend but) {
    return branch.backends().stream()
        .anyMatch(one -> one != but && one.usable() && canServe(session, one));
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
  public void standIn(ClientSession deputy, ClientSession client) {
    clients.bound(deputy, client.identity().name(), clients.since(client));
  }

  /** Returns the bind number of a session; 0 if it has not bound. */
  public long since(ClientSession session) {
    return clients.since(session);
  }

  /** True if a usable primary may be sent the password. */
  boolean primaryTakes(Credentials password) {
    return branch.backends().stream()
        .filter(one -> one.primary() && one.usable())
        .anyMatch(one -> password.bindRequest(one.exposed()) != null);
  }

  /** Returns the client's dedicated group at the server. A group at another server is given up. */
  ConnectionGroup pin(ClientSession session, Octets name, UpstreamPool pool) {
    ConnectionGroup own = pinned.get(session);
    if (own == null || own.backend() != pool.backend()) {
      if (own == null) {
        session.onReset(() -> unpin(session));
      } else {
        unpin(session);
      }
      own = pool.newGroup(name, session);
      pinned.put(session, own);
    }
    return own;
  }

  /**
   * Returns the dedicated connection to a server that is idle longest and can be closed; null if
   * none.
   */
  @Nullable UpstreamConnection longestSpare(UpstreamPool pool, Predicate<Holder> whose) {
    UpstreamConnection longest = null;
    for (ConnectionGroup own : pinned.values()) {
      Holder holder = own.holder();
      boolean meant = own.backend() == pool.backend() && holder != null && whose.test(holder);
      UpstreamConnection spare = meant ? own.ease().spare() : null;
      if (spare != null && (longest == null || spare.idleSince() - longest.idleSince() < 0)) {
        longest = spare;
      }
    }
    return longest;
  }

  /** Returns a dedicated connection to a server that is due for renewal; null if there is none. */
  @Nullable UpstreamConnection outdated(UpstreamPool pool, long now) {
    for (ConnectionGroup own : pinned.values()) {
      UpstreamConnection outdated =
          own.backend() == pool.backend() ? own.ease().outdated(now) : null;
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
  public boolean goesOn(ClientSession session) {
    ConnectionGroup own = pinned.get(session);
    return own != null
        && !own.needsConnection()
        && own.connections().all().stream().noneMatch(UpstreamConnection::ending)
        && (own.backend().usable()
            || (own.backend().health().drained() && own.ease().holdsState()));
  }

  /** True if the client would lose state with its dedicated connection. */
  public boolean holdsState(ClientSession session) {
    ConnectionGroup own = pinned.get(session);
    return own != null && own.ease().holdsState();
  }

  /**
   * Gives up the client's dedicated connection. The group is watched until its writes are answered.
   */
  void unpin(ClientSession session) {
    ConnectionGroup own = pinned.remove(session);
    if (own != null) {
      own.giveUp();
      leaving.add(own);
    }
  }

  private UpstreamPool pool(Backend backend) {
    return pools.computeIfAbsent(backend, maker);
  }

  /** Returns the pool of a server. A removed server may have none. */
  private Optional<UpstreamPool> present(Backend backend) {
    return Optional.ofNullable(pools.get(backend));
  }

  /**
   * Called when a server's state has changed. Unanswered operations move to other servers if any is
   * up. If none is, they are rejected once this server is down. Connections of a server that is
   * down stay while it responds: only its health check may fail, or new connections.
   */
  private void moved(Backend backend, BackendState state) {
    boolean elsewhere =
        branch.backends().stream().anyMatch(other -> other != backend && other.up());
    boolean suspect = state == BackendState.SUSPECT && !backend.health().ejected();
    if (state == BackendState.DOWN) {
      long now = System.nanoTime();
      present(backend).ifPresent(pool -> pool.handOver(one -> elsewhere || silent(one, now)));
      present(backend).ifPresent(UpstreamPool::withdraw);
      ownOf(backend).forEach(own -> own.handOver(one -> silent(one, now)));
      ownOf(backend).forEach(own -> own.ease().renounce());
      sasl.handOver(backend, one -> silent(one, now));
      sasl.leave(backend);
    } else if (elsewhere && suspect) {
      leave(backend);
    } else if (state == BackendState.UP) {
      present(backend).ifPresent(pool -> pool.tick(System.nanoTime())); // places may be free
      relieve(backend);
    } else if (state == BackendState.DRAINED) {
      present(backend).ifPresent(UpstreamPool::withdraw);
    }
  }

  /** Moves operations from hanging servers to one that has just come up. */
  private void relieve(Backend other) {
    Map.copyOf(pools) // a copy, since a pool may be created meanwhile
        .forEach(
            (backend, pool) -> {
              if (backend != other && backend.health().hangs()) {
                leave(backend);
              }
            });
  }

  /** Moves operations that can be retried away from a server. */
  private void leave(Backend backend) {
    present(backend).ifPresent(pool -> pool.handOver(any -> true));
    ownOf(backend).stream()
        .filter(own -> own.ease().leave())
        .forEach(own -> own.handOver(any -> true));
    sasl.leave(backend);
  }

  private boolean silent(UpstreamConnection connection, long now) {
    return connection.silent(now, settings.attemptNanos());
  }

  private List<ConnectionGroup> ownOf(Backend backend) {
    return Stream.concat(pinned.values().stream(), leaving.stream())
        .filter(own -> own.backend() == backend)
        .toList();
  }

  private void tick() {
    long now = System.nanoTime();
    List.copyOf(pools.values()).forEach(pool -> pool.tick(now));
    List.copyOf(pinned.values()).forEach(own -> own.tick(now));
    List.copyOf(leaving).forEach(own -> own.tick(now));
    leaving.removeIf(ConnectionGroup::needsConnection);
    sasl.tick(now);
    List.copyOf(parting).forEach(this::part);
  }

  /** Closes idle connections of a removed server, and forgets its pool when none is left. */
  private void part(Backend backend) {
    UpstreamPool pool = pool(backend);
    pool.closeIdle();
    if (backend.connections() == 0) {
      pools.remove(backend);
      parting.remove(backend);
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
