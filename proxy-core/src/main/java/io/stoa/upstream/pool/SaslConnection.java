// SPDX-License-Identifier: Apache-2.0
package io.stoa.upstream.pool;

import io.netty.util.concurrent.EventExecutor;
import io.stoa.ldap.protocol.LdapMessage;
import io.stoa.ldap.protocol.LdapResult;
import io.stoa.ldap.protocol.Octets;
import io.stoa.ldap.protocol.OpType;
import io.stoa.net.codec.LdapFrameDecoder;
import io.stoa.net.codec.OctetRelay;
import io.stoa.operation.ClientSession;
import io.stoa.operation.ForwardingSink;
import io.stoa.operation.Operation;
import io.stoa.operation.OperationState;
import io.stoa.operation.Rejection;
import io.stoa.operation.ResponseSink;
import io.stoa.operation.Restriction;
import io.stoa.upstream.admission.FairQueue;
import io.stoa.upstream.connection.UpstreamConnection;
import io.stoa.upstream.pool.ConnectionOpener.Opening;
import io.stoa.upstream.server.Backend;
import io.stoa.upstream.server.DedicatedQuotas;
import io.stoa.upstream.server.DedicatedQuotas.Holder;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Objects;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The one connection on which a client binds by SASL, and does everything else afterwards: nobody
 * but the client could bind another as it. It is opened once. If it ends after an answer, the
 * client is disconnected: it would take the next one for a continuation. Event-loop confined.
 */
final class SaslConnection
    implements UpstreamConnection.Owner, ConnectionOpener.Outcome, ClientSession.Tunnel {
  private static final int SUCCESS = 0;
  private static final int SASL_BIND_IN_PROGRESS = 14;

  private final UpstreamPool pool;
  private final ClientSession session;
  private final SaslConnections all;
  private final FairQueue waiting;
  private final DedicatedQuotas.Share share;
  private @Nullable UpstreamConnection connection;
  private @Nullable Opening opening;
  private boolean given;

  /** The client has got an answer on this connection. */
  private boolean answered;

  /** A step of the bind is on its way to the server, or waits for the connection. */
  private boolean stepping;

  /** The client is to send the next step, since a time of {@link System#nanoTime}. */
  private boolean clientsTurn;

  private long clientsTurnSince;

  /** Nanoseconds that the client has taken for its steps until now. */
  private long spent;

  /** Makes it for a client's first step. */
  SaslConnection(UpstreamPool pool, ClientSession session, SaslConnections all) {
    this.pool = pool;
    this.session = session;
    this.all = all;
    this.waiting = new FairQueue(pool.settings().queueBound());
    this.share = backend().shares().of(new Holder(session.network(), Octets.EMPTY));
  }

  UpstreamPool pool() {
    return pool;
  }

  Backend backend() {
    return pool.backend();
  }

  /** The DN as which the client has bound; empty if it has none, or has left. */
  String identity() {
    byte[] dn = given ? null : session.identity().dn();
    return dn == null ? "" : new String(dn, StandardCharsets.UTF_8);
  }

  EventExecutor loop() {
    return session.executor();
  }

  /** Whether one more for where the client comes from is within the share, which is taken then. */
  boolean takeShare() {
    return share.take();
  }

  /** Sends the operation, now or when there is room; false if it is refused. */
  boolean submit(Operation operation) {
    if (operation.type() == OpType.BIND_REQUEST) {
      spent += clientsTurn ? System.nanoTime() - clientsTurnSince : 0;
      clientsTurn = false;
      stepping = true;
      operation.sink(new Outcome(operation));
    }
    if (waiting.isEmpty() && hasRoom()) {
      connected().send(operation);
    } else if (waiting.add(operation, System.nanoTime())) {
      operation.moveTo(OperationState.WAITING);
    } else {
      operation.sink().reject(Rejection.QUEUE_FULL);
      return false;
    }
    return true;
  }

  private boolean hasRoom() {
    UpstreamConnection own = connection;
    return own != null && own.hasRoom(pool.mostOutstanding());
  }

  private UpstreamConnection connected() {
    return Objects.requireNonNull(connection, "not connected");
  }

  private void serve() {
    Operation next = hasRoom() ? waiting.poll() : null;
    while (next != null) {
      connected().send(next);
      next = hasRoom() ? waiting.poll() : null;
    }
  }

  /** Opens the connection, for which the right has been taken. */
  void connect() {
    opening = pool.openings().begin(this, session, this);
  }

  @Override
  public void connected(Opening made, UpstreamConnection opened) {
    opening = null;
    made.end();
    connection = opened;
    opened.makeExclusive();
    opened.ready();
    if (given) {
      opened.close();
    } else {
      serve();
    }
  }

  @Override
  public void failed(Opening unmade) {
    opening = null;
    share.giveBack();
    all.ended(session, this);
    waiting.drain().forEach(pool::unanswered);
  }

  /** Looks at the answer to a step on its way back. */
  private final class Outcome extends ForwardingSink {
    private final Operation bind;

    Outcome(Operation bind) {
      super(unwrapped(bind.sink()));
      this.bind = bind;
    }

    /** A sink that was wrapped for a server that did not answer is unwrapped. */
    private static ResponseSink unwrapped(ResponseSink sink) {
      return sink instanceof Outcome earlier ? earlier.next : sink;
    }

    @Override
    public void complete(LdapMessage response) {
      int code = LdapResult.codeOf(response.body());
      answered = true;
      stepping = false;
      if (code == SASL_BIND_IN_PROGRESS) {
        clientsTurn = true;
        clientsTurnSince = System.nanoTime();
      } else {
        all.settled(SaslConnection.this);
      }
      if (code == SUCCESS) {
        succeeded(bind, response);
      }
      next.complete(response);
    }
  }

  private void succeeded(Operation bind, LdapMessage response) {
    connected().outlet().becomeOpaque();
    frames().otherwise(session.sasl()::layered);
    if (bind.ended()) {
      return;
    }
    if (BindOutcome.policyState(response)) {
      session.restrict(Restriction.EXCLUSIVE);
    }
    if (!pool.settings().provesStoa(backend().address())) {
      session.sasl().over(this);
    }
  }

  private LdapFrameDecoder frames() {
    return connected().channel().pipeline().get(LdapFrameDecoder.class);
  }

  @Override
  public End open(End client) {
    OctetRelay relay = new OctetRelay(connected().channel(), client::take);
    relay.begin();
    return relay::send;
  }

  // The end

  /** The client has gone or binds anew. */
  void giveUp() {
    given = true;
    all.settled(this);
    waiting.drain().forEach(operation -> operation.sink().reject(Rejection.STATE_LOST));
    UpstreamConnection own = connection;
    if (own != null) {
      own.drain();
    } else if (opening == null) {
      share.giveBack();
    }
  }

  void close(Rejection reason) {
    given = true;
    waiting.drain().forEach(operation -> operation.sink().reject(reason));
    UpstreamConnection own = connection;
    if (own != null) {
      own.close();
    }
  }

  boolean closed() {
    return opening == null && (connection == null || connection.closed());
  }

  // What the connection tells

  @Override
  public void room(UpstreamConnection ready) {
    if (given) {
      ready.drain(); // which a bind under way has put off
    } else {
      serve();
    }
  }

  @Override
  public void closed(UpstreamConnection ended) {
    share.giveBack();
    all.ended(session, this);
    if (answered && !given && !stepping) {
      session.lost(ended.endedByServer());
    }
  }

  /** No other server knows what has been agreed here; a first step may begin with another. */
  @Override
  public void unanswered(Operation operation) {
    if (answered) {
      operation.sink().reject(Rejection.UPSTREAM_LOST);
    } else {
      pool.unanswered(operation);
    }
  }

  /** The server is down: what waits for it, or is not answered there, ends. */
  void handOver(Predicate<UpstreamConnection> which) {
    UpstreamConnection own = connection;
    if (own != null && which.test(own)) {
      waiting.drain().forEach(operation -> operation.sink().reject(Rejection.NO_UPSTREAM));
      own.handOver();
    }
  }

  /** Nothing has been agreed with the server yet: the bind may begin with another. */
  void leave() {
    if (answered || given) {
      return;
    }
    given = true;
    List<Operation> unsent = waiting.drain();
    all.left(session, this);
    if (connection != null) {
      connection.handOver();
      connection.drain();
    } else {
      share.giveBack();
    }
    if (opening != null) {
      opening.forgo();
      opening = null;
    }
    unsent.forEach(pool::unanswered);
  }

  @Override
  public void held(Operation operation) {
    submit(operation);
  }

  @Override
  public void unsolicited(UpstreamConnection from, LdapMessage notification) {
    session.notify(notification);
  }

  // Time

  void tick(long now) {
    waiting.expire(now, pool.settings().queueNanos(), pool.settings().operationNanos());
    if (connection == null && waiting.isEmpty()) {
      leave(); // nothing is left for which it would be made
    }
    UpstreamConnection own = connection;
    if (own != null && !own.closed()) {
      own.giveUpOverdue(now, pool.settings().operationNanos());
      keepAlive(own, now);
    }
  }

  /** Servers end connections that are idle, and this one cannot be made again. */
  private void keepAlive(UpstreamConnection own, long now) {
    boolean idle = own.idle() && now - own.idleSince() > pool.settings().idleNanos();
    if (idle && !clientsTurn && !own.outlet().isOpaque()) {
      own.keepAlive(pool.settings().connectMillis());
    }
  }

  /** Ends the client's connection if its steps take longer than this in all; whether they do. */
  boolean hurry(long now, long mostNanos) {
    boolean late = clientsTurn && spent + now - clientsTurnSince > mostNanos;
    if (late) {
      session.disconnect(Rejection.NO_PROGRESS);
    }
    return late;
  }
}
