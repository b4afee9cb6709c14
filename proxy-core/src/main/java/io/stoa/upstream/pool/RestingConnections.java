// SPDX-License-Identifier: Apache-2.0
package io.stoa.upstream.pool;

import io.stoa.ldap.protocol.LdapMessage;
import io.stoa.ldap.protocol.Octets;
import io.stoa.operation.ClientSession;
import io.stoa.operation.Credentials;
import io.stoa.operation.Operation;
import io.stoa.operation.Rejection;
import io.stoa.upstream.auth.BoundClients;
import io.stoa.upstream.connection.UpstreamConnection;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The connections to one server on which clients have bound, and have sent nothing else.
 *
 * <p>Many clients bind only to verify a password. So the connection rests after the bind, and joins
 * a {@link ConnectionGroup} with the first other operation of its identity.
 *
 * <p>Octets for each connection, besides its own and its name: 72 and 5 to 11. They are its owner
 * (32), a node of the map (40), and its place in the table.
 *
 * <p>Invariants:
 *
 * <ol>
 *   <li>An identity has a group, or one resting connection, or neither; never both.
 *   <li>A resting connection is bound as its identity. The connection has nothing in flight, except
 *       a keep-alive request.
 *   <li>A connection rests while a client is bound as its identity. Afterwards it takes the next
 *       bind.
 *   <li>The newest bind of an identity replaces the connection that rests, since it serves earlier
 *       clients too.
 *   <li>The connection that is idle longest comes first, so a tick for idle time reads only those
 *       that are due.
 * </ol>
 *
 * <p>Threading: event loop.
 */
final class RestingConnections {
  private final UpstreamPool pool;
  private final BindConnections binds;
  private final Map<Octets, Resting> byName = new LinkedHashMap<>();

  /**
   * Creates an empty set.
   *
   * @param binds takes the connections that are no longer needed
   */
  RestingConnections(UpstreamPool pool, BindConnections binds) {
    this.pool = pool;
    this.binds = binds;
  }

  /**
   * Lets a connection rest on which a client has just bound. The identity has no group.
   *
   * @return false, without effect, if a later bind of the identity rests already, or if this
   *     connection drains and another one does not
   */
  boolean rest(UpstreamConnection connection, Octets name, long bindNumber) {
    Resting earlier = byName.get(name);
    if (earlier != null
        && (earlier.bindNumber > bindNumber
            || (connection.isDraining() && !earlier.connection.isDraining()))) {
      return false;
    }
    Resting resting = new Resting(connection, name, bindNumber);
    connection.setOwner(resting);
    append(resting);
    if (earlier != null) {
      recycle(earlier);
    }
    return true;
  }

  private void append(Resting resting) {
    byName.remove(resting.name);
    byName.put(resting.name, resting);
  }

  /** Moves the resting connection of an identity, if there is one, to its new group. */
  void moveTo(ConnectionGroup group, Octets name) {
    Resting resting = byName.remove(name);
    if (resting != null) {
      group.adopt(resting.connection, resting.bindNumber, resting.users());
    }
  }

  /** Called when no client is bound as the identity any more. */
  void onIdentityLeft(Octets name) {
    Resting resting = byName.remove(name);
    if (resting != null) {
      recycle(resting);
    }
  }

  /** Gives a connection to the next bind. One that awaits a keep-alive response is closed. */
  private void recycle(Resting resting) {
    if (resting.connection.isIdle()) {
      binds.recycle(resting.connection);
    } else {
      resting.connection.drain();
    }
  }

  /** True if a connection rests that can serve the client. */
  boolean canServe(ClientSession client) {
    Resting resting = byName.get(client.identity().name());
    return resting != null && resting.canServe(client);
  }

  /** True if an idle connection rests that can serve the client. */
  boolean hasIdle(ClientSession client) {
    Resting resting = byName.get(client.identity().name());
    return resting != null && resting.connection.isIdle() && resting.canServe(client);
  }

  /** True if a connection of the identity rests. */
  boolean contains(Octets name) {
    return byName.containsKey(name);
  }

  /**
   * Returns the connection that is idle longest; null if there is none.
   *
   * @param renewable true for connections only that can be made again
   */
  @Nullable UpstreamConnection longestIdle(boolean renewable) {
    for (Resting resting : byName.values()) {
      if (resting.connection.isIdle() && (!renewable || resting.isRenewable())) {
        return resting.connection;
      }
    }
    return null;
  }

  /** Returns a connection that is due for renewal and can be made again; null if there is none. */
  @Nullable UpstreamConnection dueForRenewal(long now) {
    long maxAge = pool.settings().ageNanos();
    for (Resting resting : byName.values()) {
      if (resting.connection.isDueForRenewal(now, maxAge) && resting.canBeBoundAgain()) {
        return resting.connection;
      }
    }
    return null;
  }

  /** Closes all idle connections. */
  void closeIdle() {
    for (Resting resting : List.copyOf(byName.values())) {
      if (resting.connection.isIdle()) {
        resting.connection.close();
      }
    }
  }

  /** Called when the server is drained. A connection that cannot be made again stays. */
  void drain() {
    for (Resting resting : List.copyOf(byName.values())) {
      if (resting.canBeBoundAgain()) {
        resting.connection.drain();
      }
    }
  }

  /** Closes idle connections after their time, or keeps them alive. */
  void tick(long now) {
    long maxIdle = pool.settings().idleNanos();
    List<Resting> due = new ArrayList<>(0);
    for (Resting resting : byName.values()) {
      if (resting.connection.isIdle()) {
        if (now - resting.connection.idleSince() <= maxIdle) {
          break; // the following ones have been idle for less time
        }
        due.add(resting);
      }
    }
    due.forEach(this::closeOrKeepAlive);
  }

  private void closeOrKeepAlive(Resting resting) {
    if (resting.canBeBoundAgain()) {
      resting.connection.close();
    } else {
      append(resting);
      resting.connection.sendKeepAlive(pool.settings().connectMillis());
    }
  }

  /** Closes all connections, at shutdown. Their clients are not disconnected for it. */
  void close() {
    List<Resting> all = List.copyOf(byName.values());
    byName.clear();
    all.forEach(resting -> resting.connection.close());
  }

  /**
   * One resting connection.
   *
   * <p>Threading: event loop.
   */
  final class Resting implements UpstreamConnection.Owner {
    private final UpstreamConnection connection;
    private final Octets name;
    private final long bindNumber;

    private Resting(UpstreamConnection connection, Octets name, long bindNumber) {
      this.connection = connection;
      this.name = name;
      this.bindNumber = bindNumber;
    }

    /** Returns the DN as which the connection acts. */
    String identity() {
      return new String(name.array(), StandardCharsets.UTF_8);
    }

    private boolean canServe(ClientSession client) {
      return bindNumber >= clients().bindNumber(client) && !connection.isDraining();
    }

    /** Returns the clients that the connection serves. */
    private List<ClientSession> users() {
      return clients().boundUpTo(name, bindNumber);
    }

    private @Nullable Credentials credentials() {
      return clients().kept(name, pool.backend().isExposed());
    }

    /** True if a stored password can bind another connection. */
    boolean canBeBoundAgain() {
      return credentials() != null;
    }

    /** True if that password is certainly not for one bind only. */
    private boolean isRenewable() {
      Credentials stored = credentials();
      return stored != null && !(stored.mayBeOneTime() && stored.isFresh(System.nanoTime()));
    }

    /** Makes room if other pools need it, as an idle connection of a group does. */
    @Override
    public void onRoom(UpstreamConnection same) {
      if (pool.backend().isContended() && connection.isIdle()) {
        if (isRenewable()) {
          connection.close();
        } else {
          pool.onIdleWanted();
        }
      }
    }

    @Override
    public void onClosed(UpstreamConnection same) {
      if (byName.remove(name, this)) {
        disconnectUnserved();
      }
    }

    /** Disconnects clients that cannot be bound again and have lost their last connection. */
    private void disconnectUnserved() {
      List<ClientSession> lost = users().stream().filter(pool::isUnserved).toList();
      if (!lost.isEmpty()) {
        pool.loop().execute(() -> lost.forEach(this::disconnectUnserved));
      }
    }

    private void disconnectUnserved(ClientSession user) {
      if (user.identity().name().equals(name) && pool.isUnserved(user)) {
        user.disconnect(Rejection.STATE_LOST);
      }
    }

    @Override
    public void onUnanswered(Operation operation) {
      throw new IllegalStateException("a resting connection has no operation");
    }

    @Override
    public void onHeldUp(Operation operation) {
      throw new IllegalStateException("a resting connection has no operation");
    }

    @Override
    public void onNotification(UpstreamConnection same, LdapMessage notification) {
      notification.release();
      connection.onServerLeaving();
    }
  }

  private BoundClients clients() {
    return pool.settings().clients();
  }
}
