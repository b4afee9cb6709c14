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
 * All upstream connections of one event loop, to every server. Event-loop confined.
 *
 * <p>Connections are used from the loop on which they live, so an answer never crosses threads on
 * its way to the client.
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

  /** Servers that have gone, of which connections may be left. */
  private final Set<Backend> parting = new HashSet<>();

  /**
   * Makes the pools of a loop.
   *
   * @param current what holds now
   * @param unserved takes what servers have not done
   * @param policies whether servers know the control of password policies
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

  /** At the end loops stop one after the other, and servers may go down meanwhile. */
  private static void post(EventLoop loop, Runnable task) {
    if (!loop.isShuttingDown()) {
      loop.execute(task);
    }
  }

  /** Tells of the connections, and lets them end. */
  public ConnectionInspector survey() {
    return survey;
  }

  /** Sends an operation on a connection that operations of its identity share. */
  public void send(Operation operation, Backend backend) {
    pool(backend).send(operation);
  }

  /** For whom the service account never acts; null if there is no service account. */
  public @Nullable DedicatedConnections proxied() {
    return proxied;
  }

  /** Sends an operation on a connection of the service account, in the name of its client. */
  public void sendAsService(Operation operation, Backend backend) {
    pool(backend).sendAsService(operation);
  }

  /** Forwards a client's bind. */
  public void bind(Operation operation, Backend backend) throws LdapProtocolException {
    pool(backend).bind(operation);
  }

  /** The server to which the client has a connection of its own; null if it has none. */
  public @Nullable Backend pinnedTo(ClientSession session) {
    ConnectionGroup own = pinned.get(session);
    return own == null ? null : own.backend();
  }

  /**
   * What tells the client's own connection from those before and after it; null if there is none.
   */
  public @Nullable Object ownConnection(ClientSession session) {
    ConnectionGroup own = pinned.get(session);
    return own == null ? null : own.connections().all().stream().findFirst().orElse(null);
  }

  /** Sends an operation on the client's own connection, to the server to which it has one. */
  public void sendPinned(Operation operation) {
    Objects.requireNonNull(pinned.get(operation.session()), "own connection").submit(operation);
  }

  /** The client's own connection holds so many states of the client more, or less, than before. */
  public void stateLeft(ClientSession session, int more) {
    ConnectionGroup own = pinned.get(session);
    if (own != null) {
      own.ease().stateLeft(more);
    }
  }

  /** Sends an operation on a connection of the client's own to a server. */
  public void pin(Operation operation, Backend backend) {
    ClientSession session = operation.session();
    pin(session, session.identity().name(), pool(backend)).submit(operation);
  }

  /** The same on one of the service account that serves the client alone. */
  public void pinAsService(Operation operation, Backend backend) {
    if (pool(backend).mayBeServed(operation)) {
      pin(operation.session(), UpstreamPool.SERVICE, pool(backend)).submit(operation);
    }
  }

  /** The server with which the client binds or has bound by SASL; null if there is none. */
  public @Nullable Backend saslBoundTo(ClientSession session) {
    return sasl.backend(session);
  }

  /** Sends the first step of a SASL bind on a new connection of the client's own to a server. */
  public void openSasl(Operation bind, Backend backend) {
    sasl.open(bind, pool(backend));
  }

  /** Sends an operation on the client's connection on which it binds or has bound by SASL. */
  public void sendSasl(Operation operation) {
    sasl.send(operation);
  }

  /** Whether the client's identity has a connection to the server for it that is without work. */
  public boolean hasIdle(ClientSession session, Backend backend) {
    return pool(backend).hasIdle(session);
  }

  /** True if a connection that is there serves the client: one bound as it, or of the account. */
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

  /** The same of a connection that clients of its identity share, to another server than this. */
  boolean servesBut(ClientSession session, @Nullable Backend but) {
    return branch.backends().stream()
        .anyMatch(one -> one != but && one.usable() && canServe(session, one));
  }

  /** Whether the client's identity has a connection to the server that can serve it. */
  public boolean canServe(ClientSession session, Backend backend) {
    return pool(backend).canServe(session);
  }

  /** Whether clients that bind by a name and a password can be bound again, on any server. */
  public boolean bindsAgain() {
    return keepsPasswords;
  }

  /** True if the name lately had a one-time password: no client of it can be bound again. */
  public boolean isOneTime(byte[] name) {
    return clients.isOneTime(Octets.of(name));
  }

  /**
   * What is bound for a session that stands for a client is bound as the client is, and no earlier.
   */
  public void standIn(ClientSession deputy, ClientSession client) {
    clients.bound(deputy, client.identity().name(), clients.since(client));
  }

  /** The count of the bind by which a session is who it is; 0 if there was none. */
  public long since(ClientSession session) {
    return clients.since(session);
  }

  /** Whether there is a server that takes writes and may be given a password. */
  boolean primaryTakes(Credentials password) {
    return branch.backends().stream()
        .filter(one -> one.primary() && one.usable())
        .anyMatch(one -> password.bindRequest(one.exposed()) != null);
  }

  /** The client's own group of connections to the server; one to another server is given up. */
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
   * Of the connections to a server that serve one client alone, the one that is idle longest and
   * can be made again; null if there is none.
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

  /** Of the connections to a server that serve one client alone, one that is to be made anew. */
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
   * Whether the client's own connection is to be used further: on a server that is drained only for
   * what the client has begun there, and anywhere only if it has not ended meanwhile.
   */
  public boolean goesOn(ClientSession session) {
    ConnectionGroup own = pinned.get(session);
    return own != null
        && !own.needsConnection()
        && own.connections().all().stream().noneMatch(UpstreamConnection::ending)
        && (own.backend().usable()
            || (own.backend().health().drained() && own.ease().holdsState()));
  }

  /** Whether the client would lose something with the connection of its own. */
  public boolean holdsState(ClientSession session) {
    ConnectionGroup own = pinned.get(session);
    return own != null && own.ease().holdsState();
  }

  /** Connections end when their writes are answered; until then they are watched. */
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

  /** What there is to a server: one that has gone may have nothing any more. */
  private Optional<UpstreamPool> present(Backend backend) {
    return Optional.ofNullable(pools.get(backend));
  }

  /**
   * What one server does not answer is for the others, if there are any; if there are none, it is
   * refused once the server is known to be down. What such a server still answers goes on: it may
   * be down for what its probe is told, or take no more connections.
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

  /** What was left with servers that hang, since there was no other, has another now. */
  private void relieve(Backend other) {
    Map.copyOf(pools) // what goes elsewhere may be the first that goes there
        .forEach(
            (backend, pool) -> {
              if (backend != other && backend.health().hangs()) {
                leave(backend);
              }
            });
  }

  /** What can be asked elsewhere is. */
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

  /** Nothing new is sent there: what is idle is closed, and the pool forgotten when all is. */
  private void part(Backend backend) {
    UpstreamPool pool = pool(backend);
    pool.closeIdle();
    if (backend.connections() == 0) {
      pools.remove(backend);
      parting.remove(backend);
      pool.handOver(any -> true); // what waits there, at most
    }
  }

  /** Ends all connections and refuses what waits. */
  public void close() {
    List.copyOf(pinned.values()).forEach(ConnectionGroup::close);
    List.copyOf(leaving).forEach(ConnectionGroup::close);
    sasl.close();
    pools.values().forEach(UpstreamPool::close);
  }
}
