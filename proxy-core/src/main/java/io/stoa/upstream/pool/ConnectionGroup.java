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
 * The connections to one server that act as one identity: one, and a further one only while each
 * has as many operations outstanding as it may. Or the one connection that serves one client alone.
 * What finds no room waits here. Event-loop confined.
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
   * Whether a connection that a client has bound then is to be taken over, and not one for many
   * later.
   */
  boolean wants(long at) {
    boolean keeps =
        pool.settings().config().keepPasswords() && !pool.settings().clients().isOneTime(name);
    boolean may = connections.mayGrow() || !keeps;
    return needsConnection() || (connections.isFresh(at) && may);
  }

  /** Takes over a connection that a client has just bound; older ones are given up. */
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

  /** What no client needs any more may be bound anew. */
  private void retire() {
    if (only == null) {
      pool.unused(this, connections.spent());
    }
  }

  Backend backend() {
    return pool.backend();
  }

  /** Whether a connection that acts as the identity would be of use. */
  boolean needsConnection() {
    return connections.isEmpty() && opening == null;
  }

  /** Whether one of its connections can serve the client. */
  boolean canServe(ClientSession client) {
    return connections.canServe(since(client));
  }

  /** Those that it has. */
  GroupConnections connections() {
    return connections;
  }

  /** A connection without any operation that can serve a client, or any client; null if none is. */
  @Nullable UpstreamConnection idleConnection(@Nullable ClientSession client) {
    return connections.idle(client == null ? 0 : since(client));
  }

  /** Whether no client acts as the identity any more, and nothing is under way for one. */
  boolean abandoned() {
    return users.isEmpty() && opening == null && waiting.isEmpty();
  }

  private void enter(ClientSession session) {
    if (only == null && ofClient() && users.add(session)) {
      connections.need(since(session));
      session.onReset(() -> left(session));
    }
  }

  /** When the client bound, if that is of interest to what serves it. */
  private long since(ClientSession session) {
    return ofClient() ? pool.settings().clients().since(session) : 0;
  }

  /** Whether the connections are bound with what a client has bound with. */
  private boolean ofClient() {
    return service == null && name.length() > 0;
  }

  /** A client has gone or is somebody else now. */
  private void left(ClientSession session) {
    users.remove(session);
    if (users.isEmpty()) {
      pool.unused(this, connections.all());
    }
  }

  /** The only client has gone or is somebody else now. */
  void giveUp() {
    given = true;
    waiting.drain().forEach(operation -> operation.sink().reject(Rejection.STATE_LOST));
    login.reconsider();
    connections.all().forEach(UpstreamConnection::drain);
  }

  /** A connection of the group is given to another use. */
  void giveAway(UpstreamConnection connection) {
    connections.remove(connection);
  }

  private boolean mayGrow() {
    boolean keeps = pool.settings().config().keepPasswords();
    return !pool.backend().starving() && (!ofClient() || (keeps && credentials() != null));
  }

  /** Sends what waits, as far as there is room; grows if there is not. */
  private void serve() {
    queue.serve();
    login.reconsider();
    grow();
  }

  /** There is a place at the server for one operation of a client of this owner, if any is left. */
  private void turn(Object owner) {
    queue.sendNext(owner);
    serve();
  }

  /** Whose turns clients use: where an account acts for all, those of the name they act as. */
  private static Function<ClientSession, Object> owners(
      Octets name, @Nullable ServiceAccount service) {
    return service == null ? any -> name : client -> client.identity().name();
  }

  // Growing

  /** Opens one more connection if something waits. */
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
      return; // until one of the same holder has ended, which is looked for at each tick
    } else if (pool.reserve(connections.isEmpty())) {
      opening = pool.openings().begin(this, only, this);
    } else {
      share.giveBack();
      pool.starved(this);
    }
  }

  /**
   * No connection of the group can serve the client, and no other can be bound as it. A read goes
   * to the server where a connection serves the client. What cannot go there is refused. A client
   * that no connection serves is disconnected, and so is one that writes while Stoa keeps no
   * passwords at all: it can bind where writes are taken.
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

  /** Clients that cannot be bound again, and lose their last connection, are disconnected. */
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

  /** True if a connection can be made again: its password is not one that may be for one bind. */
  boolean renewable() {
    Credentials left = ease.renewable() && ofClient() ? credentials() : null;
    boolean once = left != null && left.mayBeOneTime() && left.isFresh(System.nanoTime());
    return ease.renewable() && !once;
  }

  /** Which of its connections may end. */
  IdlePolicy ease() {
    return ease;
  }

  /** Whose connection it is to be, if it is for one client alone. */
  @Nullable Holder holder() {
    return share.holder();
  }

  /**
   * What binds as the group's identity again; null if there is nothing. If it is refused, that
   * should be to the cost of a client that waits, and not of one that needs nothing.
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

  /** What is not to wait here any more. A server that did not bind is not asked to at once. */
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

  /** What waits is for another server, and not for what is in the making. */
  private List<Operation> unsent() {
    List<Operation> unsent = waiting.drain();
    if (opening != null) {
      opening.forgo();
      opening = null;
      share.giveBack();
    }
    return unsent;
  }

  // What the connections tell

  @Override
  public void room(UpstreamConnection connection) {
    if (!waiting.isEmpty()) {
      serve();
    }
    retire();
    rest(connection);
  }

  /** A connection without work makes room for others, if there are any that need it. */
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

  /** Another connection, which can be made again, ends in the place of one that cannot. */
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

  // A server that may not answer

  /** What the server has not answered on these, or not been asked yet, goes to another. */
  void handOver(Predicate<UpstreamConnection> which) {
    List<Operation> unsent = unsent();
    connections.all().stream().filter(which).forEach(UpstreamConnection::handOver);
    unsent.forEach(pool::unanswered);
  }

  // What an administrator changes

  /** The server is taken out of use. */
  void withdraw() {
    if (ease.renewable()) {
      List<Operation> unsent = unsent();
      login.reconsider();
      connections.all().forEach(UpstreamConnection::drain);
      unsent.forEach(pool::unanswered);
    }
  }

  // Time

  /** Ends what has waited too long, or was silent too long, and connections no longer needed. */
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
