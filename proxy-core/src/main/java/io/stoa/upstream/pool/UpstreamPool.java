// SPDX-License-Identifier: Apache-2.0
package io.stoa.upstream.pool;

import io.netty.util.concurrent.EventExecutor;
import io.stoa.ldap.protocol.LdapProtocolException;
import io.stoa.ldap.protocol.Octets;
import io.stoa.operation.ClientIdentity;
import io.stoa.operation.ClientSession;
import io.stoa.operation.Credentials;
import io.stoa.operation.Operation;
import io.stoa.operation.Rejection;
import io.stoa.upstream.admission.QueueBound;
import io.stoa.upstream.auth.BoundClients;
import io.stoa.upstream.auth.DedicatedConnections;
import io.stoa.upstream.auth.ServiceAccount;
import io.stoa.upstream.connection.Connector;
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
 * The connections of one event loop to one server: a group for each identity, a group for each
 * client that needs a connection of its own, and those on which clients bind. Event-loop confined,
 * but for {@link #roomExpected} and {@link #idleWanted}, which post.
 */
public final class UpstreamPool implements PoolMember {
  /** The name of the service account's group, which no client can have. */
  static final Octets SERVICE = Octets.of(new byte[] {0, 's', 't', 'o', 'a'});

  private final Backend backend;
  private final EventExecutor loop;
  private final Settings settings;
  private final UpstreamPools owner;
  private final Map<Octets, ConnectionGroup> groups = new HashMap<>();

  /** Those of them that have connections: most identities may have none. */
  private final Set<ConnectionGroup> connected = new HashSet<>();

  private final Set<Growing> starved = new LinkedHashSet<>();
  private final BindConnections binds;
  private final ConnectionOpener openings;

  UpstreamPool(Backend backend, EventExecutor loop, Settings settings, UpstreamPools owner) {
    this.backend = backend;
    this.loop = loop;
    this.settings = settings;
    this.owner = owner;
    this.binds = new BindConnections(this);
    this.openings = new ConnectionOpener(backend, settings.connector());
    backend.register(this);
  }

  Backend backend() {
    return backend;
  }

  Settings settings() {
    return settings;
  }

  EventExecutor loop() {
    return loop;
  }

  /** Most unanswered operations on one connection, as configured and as the server takes them. */
  int mostOutstanding() {
    return Math.min(settings.maxOutstanding(), backend.places().ofConnection().most());
  }

  /** Sends an operation on a connection of its identity. */
  void send(Operation operation) {
    group(operation.session().identity().name()).submit(operation);
  }

  /** Sends an operation on a connection of the service account, in the name of its client. */
  void sendAsService(Operation operation) {
    if (mayBeServed(operation)) {
      group(SERVICE).submit(operation);
    }
  }

  /** A rule may have made the client what a server has called the account since. */
  boolean mayBeServed(Operation operation) {
    ServiceAccount account = settings.service();
    boolean may = account == null || !account.isMistakenFor(operation.session().identity());
    if (!may) {
      operation.sink().reject(Rejection.AUTHORIZATION_DENIED);
    }
    return may;
  }

  /** Forwards a client's bind. */
  void bind(Operation operation) throws LdapProtocolException {
    binds.submit(operation);
  }

  ConnectionGroup group(Octets identity) {
    return groups.computeIfAbsent(identity, name -> newGroup(name, null));
  }

  /** A group of this name, for one client alone if there is an only one. */
  ConnectionGroup newGroup(Octets name, @Nullable ClientSession only) {
    return new ConnectionGroup(this, name, only, name.equals(SERVICE) ? settings.service() : null);
  }

  /** The group that serves one client alone; made if there is none. */
  ConnectionGroup pin(ClientSession session, Octets name) {
    return owner.pin(session, name, this);
  }

  /** Whether an operation of the client would find a connection without work, or need none. */
  boolean hasIdle(ClientSession session) {
    ClientIdentity identity = session.identity();
    if (settings.service() != null && identity.authzId() != null) {
      return true;
    }
    ConnectionGroup group = groups.get(identity.name());
    return group != null && group.idleConnection(session) != null;
  }

  /** Whether there is a connection that can serve the client, without a bind. */
  boolean canServe(ClientSession session) {
    ConnectionGroup group = groups.get(session.identity().name());
    return group != null && group.canServe(session);
  }

  /** True if a connection to another server serves the client. */
  boolean servedElsewhere(ClientSession session) {
    return owner.servesBut(session, backend);
  }

  /** True if a connection serves the client, to any server. */
  boolean serves(ClientSession session) {
    return owner.serves(session);
  }

  /** True if the service account acts for the client. */
  boolean actsFor(ClientSession session) {
    return owner.actsFor(session);
  }

  /** Gives up the connection of the client's own. */
  void unpin(ClientSession session) {
    owner.unpin(session);
  }

  /** Whether there are connections that are bound as the identity. */
  boolean isConnected(Octets identity) {
    ConnectionGroup group = groups.get(identity);
    return group != null && !group.connections().isEmpty();
  }

  /** The server has not answered an operation, and will not. */
  void unanswered(Operation operation) {
    settings.unserved().unanswered(operation, backend);
  }

  /** Whether the server may not know yet what another one knows that can be asked. */
  boolean mayLack(Credentials password) {
    return !backend.primary() && owner.primaryTakes(password);
  }

  /** The server has refused an operation; whether that is sent again. */
  boolean refused(Operation operation) {
    return settings.unserved().refused(operation, backend);
  }

  /** The server is too busy to bind, but may do so later: whether an operation goes elsewhere. */
  boolean barred(Operation operation) {
    return settings.unserved().barred(operation, backend);
  }

  /** It does not wait here any more. */
  void elsewhere(Operation operation) {
    settings.unserved().elsewhere(operation, backend);
  }

  /** Nobody needs these connections of a group any more: those that are idle may be bound anew. */
  void unused(ConnectionGroup group, List<UpstreamConnection> connections) {
    for (UpstreamConnection connection : connections) {
      if (connection.idle()) {
        group.giveAway(connection);
        binds.recycle(connection);
      }
    }
  }

  // The bound of connections

  /** Makes connections, once the right to one has been taken. */
  ConnectionOpener openings() {
    return openings;
  }

  /**
   * Takes the right to make a connection, and to have it, if need be from the connection that is
   * idle longest. Without it, what is {@link #starved} grows when there may be room.
   *
   * @param needy whether nothing else serves: then also a connection ends that cannot be made again
   */
  boolean reserve(boolean needy) {
    if (!backend.attempts().begin(this)) {
      return false;
    }
    boolean room = backend.reserve() || (closeLongestIdle(needy) && backend.reserve());
    if (!room) {
      backend.attempts().ended();
      backend.starve(this, needy);
    }
    return room;
  }

  /** A group has got a connection, or lost one. */
  void holds(ConnectionGroup group) {
    if (group.connections().isEmpty()) {
      connected.remove(group);
    } else {
      connected.add(group);
    }
  }

  private void closeLongestIdle() {
    closeLongestIdle(backend.needy());
  }

  private boolean closeLongestIdle(boolean needy) {
    UpstreamConnection longest = longestIdle(binds.idleConnection(), ConnectionGroup::renewable);
    longest = longest == null ? owner.longestSpare(this, anybody -> true) : longest;
    longest = longest == null && needy ? longestIdle(null, any -> true) : longest;
    if (longest != null) {
      longest.close();
    }
    return longest != null;
  }

  /** Of one connection and those of some groups, the one that is idle longest. */
  private @Nullable UpstreamConnection longestIdle(
      @Nullable UpstreamConnection first, Predicate<ConnectionGroup> which) {
    UpstreamConnection longest = first;
    for (ConnectionGroup group : connected) {
      UpstreamConnection idle = which.test(group) ? group.idleConnection(null) : null;
      if (idle != null && (longest == null || idle.idleSince() - longest.idleSince() < 0)) {
        longest = idle;
      }
    }
    return longest;
  }

  /** Closes of what is idle, and not one client's alone, a connection of each identity. */
  void closeIdle() {
    List<UpstreamConnection> idle = new ArrayList<>();
    connected.forEach(
        group -> Optional.ofNullable(group.idleConnection(null)).ifPresent(idle::add));
    Optional.ofNullable(binds.idleConnection()).ifPresent(idle::add);
    idle.forEach(UpstreamConnection::close);
  }

  /** Closes what is idle and in the way of a share; nothing if that does not make room. */
  boolean makeRoom(Share share) {
    List<Key> full = share.full();
    List<UpstreamConnection> idle = spares(List.of(full));
    if (idle.isEmpty()) {
      idle = spares(full.stream().map(List::of).toList());
    }
    idle.forEach(UpstreamConnection::close);
    return full.isEmpty() || !idle.isEmpty();
  }

  /** For each of these the one idle longest that counts for all of it; none if one is missing. */
  private List<UpstreamConnection> spares(List<List<Key>> wanted) {
    List<UpstreamConnection> spares = new ArrayList<>();
    for (List<Key> keys : wanted) {
      UpstreamConnection spare =
          owner.longestSpare(
              this, holder -> !keys.isEmpty() && keys.stream().allMatch(holder::countsFor));
      if (spare == null) {
        return List.of();
      }
      spares.add(spare);
    }
    return spares;
  }

  /**
   * What the pools of one event loop share. Immutable.
   *
   * @param current sizes and times that hold now
   * @param connector makes connections on this loop
   * @param queueBound how many operations may wait, over all loops
   * @param clients those of the loop that have bound by a name and a password
   * @param service as whom connections are bound in proxied-authorization mode; else null
   * @param ownConnections for whom the service account never acts; null if there is none
   * @param unserved takes what the server has not done
   */
  record Settings(
      Supplier<UpstreamConfig> current,
      Connector connector,
      QueueBound queueBound,
      BoundClients clients,
      @Nullable ServiceAccount service,
      @Nullable DedicatedConnections ownConnections,
      UnansweredHandler unserved,
      BooleanSupplier policies) {
    private static final long SPARE_NANOS = TimeUnit.SECONDS.toNanos(30);

    /** What holds now. */
    UpstreamConfig config() {
      return current.get();
    }

    int maxOutstanding() {
      return config().maxOutstanding();
    }

    /** Whether the server knows by a connection alone that it is Stoa's. */
    boolean provesStoa(ServerAddress server) {
      return config().transport().provesStoa(server);
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

    /** No operation waits for longer than it may take in all. */
    long queueNanos() {
      return Math.min(config().queueTimeout().toNanos(), operationNanos());
    }

    /** How old a connection may become. */
    long ageNanos() {
      long nanos = config().transport().maxAge().toNanos();
      return nanos == 0 ? Long.MAX_VALUE : nanos;
    }

    long operationNanos() {
      return config().operationTimeout().toNanos();
    }

    /** How long a connection may be without work. */
    long idleNanos() {
      long nanos = config().transport().idleTimeout().toNanos();
      return nanos == 0 ? Long.MAX_VALUE : nanos;
    }

    /** How long a connection beyond an identity's first may be idle. */
    long spareNanos() {
      return SPARE_NANOS;
    }
  }

  /** What opens connections as it needs them. Event-loop confined. */
  interface Growing {
    /** Opens connections for what waits, as far as it may. */
    void grow();
  }

  /** What grows has found no right to a connection, and waits for one. */
  void starved(Growing growing) {
    starved.add(growing);
  }

  /** A growing group needs no connection any more. */
  void sated(Growing growing) {
    if (starved.remove(growing) && starved.isEmpty()) {
      backend.sated(this);
    }
  }

  @Override
  public void roomExpected() {
    loop.execute(this::serveStarved);
  }

  /** Those that wait grow in turn, until one finds no room and waits again. */
  private void serveStarved() {
    boolean room = true;
    while (room && !starved.isEmpty()) {
      Growing next = starved.iterator().next();
      starved.remove(next);
      next.grow();
      room = !starved.contains(next);
    }
    if (room) {
      backend.passOn();
    }
  }

  @Override
  public void idleWanted() {
    loop.execute(this::closeLongestIdle);
  }

  // A server that may not answer

  /** What the server has not answered on these connections, or not been asked, goes elsewhere. */
  void handOver(Predicate<UpstreamConnection> which) {
    List.copyOf(groups.values()).forEach(group -> group.handOver(which));
    binds.handOver(which);
  }

  // What an administrator changes

  /**
   * The server is taken out of use: what waits goes elsewhere, and connections end when all that is
   * under way on them is answered. Those of one client alone are that client's until it leaves, or
   * has nothing there any more.
   */
  void withdraw() {
    List.copyOf(groups.values()).forEach(ConnectionGroup::withdraw);
    binds.withdraw();
  }

  /** One connection of those that are to be made anew: one at a time, so that nobody notices. */
  private void renew(long now) {
    UpstreamConnection outdated = binds.outdated(now);
    for (ConnectionGroup group : groups.values()) {
      outdated = outdated == null ? group.ease().outdated(now) : outdated;
    }
    if (outdated == null) {
      outdated = owner.outdated(this, now);
    }
    if (outdated != null) {
      outdated.drain();
    }
  }

  // Time

  void tick(long now) {
    if (backend.health().drained()) {
      withdraw();
    }
    renew(now);
    backend.places().passOn();
    backend.places().ofConnection().expire(now);
    if (backend.starving()) {
      closeLongestIdle();
    }
    for (ConnectionGroup group : List.copyOf(groups.values())) {
      group.tick(now);
    }
    groups.values().removeIf(group -> group.abandoned() && group.needsConnection());
    binds.tick(now);
  }

  void close() {
    List.copyOf(groups.values()).forEach(ConnectionGroup::close);
    binds.close();
  }
}
