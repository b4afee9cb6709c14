// SPDX-License-Identifier: Apache-2.0
package io.stoa.upstream.pool;

import io.netty.util.concurrent.EventExecutor;
import io.stoa.ldap.protocol.LdapMessage;
import io.stoa.ldap.protocol.LdapResult;
import io.stoa.ldap.protocol.Octets;
import io.stoa.ldap.protocol.OpType;
import io.stoa.ldap.protocol.Response;
import io.stoa.net.codec.LdapFrameDecoder;
import io.stoa.net.codec.OctetRelay;
import io.stoa.operation.ClientSession;
import io.stoa.operation.ForwardingSink;
import io.stoa.operation.Operation;
import io.stoa.operation.Rejection;
import io.stoa.operation.ResponseSink;
import io.stoa.operation.Restriction;
import io.stoa.upstream.admission.FairQueue;
import io.stoa.upstream.connection.Connector;
import io.stoa.upstream.connection.Connector.PendingConnection;
import io.stoa.upstream.connection.UpstreamConnection;
import io.stoa.upstream.server.Backend;
import io.stoa.upstream.server.DedicatedQuotas;
import io.stoa.upstream.server.DedicatedQuotas.Holder;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Objects;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The one connection on which a client binds by SASL and sends everything afterwards. Only the
 * client could bind another one.
 *
 * <ol>
 *   <li>The connection is opened once.
 *   <li>If it ends after a response, the client is disconnected. Otherwise the client would take a
 *       new connection for a continuation.
 * </ol>
 *
 * <p>Threading: event loop.
 */
final class SaslConnection implements Connector.ConnectListener, ClientSession.Tunnel {
  private static final int SUCCESS = 0;
  private static final int SASL_BIND_IN_PROGRESS = 14;

  private final UpstreamPool pool;
  private final ClientSession session;
  private final SaslConnections connections;
  private final FairQueue waiting;
  private final DedicatedQuotas.Share share;
  private @Nullable UpstreamConnection connection;
  private @Nullable PendingConnection opening;
  private boolean givenUp;

  /** True if the client has received a response on this connection. */
  private boolean answered;

  /** True while a step of the bind waits for the connection or for its response. */
  private boolean stepping;

  /** True if the next step is the client's. */
  private boolean clientsTurn;

  private long clientsTurnSince;

  /** Total time in ns that the client has taken for its steps so far. */
  private long spentNanos;

  /** Creates the connection record for a client's first step. */
  SaslConnection(UpstreamPool pool, ClientSession session, SaslConnections connections) {
    this.pool = pool;
    this.session = session;
    this.connections = connections;
    this.waiting = new FairQueue(pool.settings().queueBound());
    this.share = backend().dedicatedQuotas().newShare(new Holder(session.network(), Octets.EMPTY));
  }

  UpstreamPool pool() {
    return pool;
  }

  Backend backend() {
    return pool.backend();
  }

  /** Returns the DN as which the client has bound; empty if it has none or has left. */
  String identity() {
    byte[] dn = givenUp ? null : session.identity().dn();
    return dn == null ? "" : new String(dn, StandardCharsets.UTF_8);
  }

  EventExecutor loop() {
    return session.executor();
  }

  /** Claims a share of the network's quota. Returns false if the quota is used up. */
  boolean takeShare() {
    return share.take();
  }

  /** Sends the operation, now or when there is room. Returns false if it was rejected. */
  boolean submit(Operation operation) {
    if (operation.type() == OpType.BIND_REQUEST) {
      spentNanos += clientsTurn ? System.nanoTime() - clientsTurnSince : 0;
      clientsTurn = false;
      stepping = true;
      operation.setSink(new StepSink(operation));
    }
    if (waiting.isEmpty() && hasRoom()) {
      connected().send(operation);
      return true;
    }
    return waiting.addOrReject(operation);
  }

  private boolean hasRoom() {
    UpstreamConnection current = connection;
    return current != null && current.hasRoom(pool.maxOutstanding());
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

  /** Opens the connection, which the caller has reserved. */
  void connect() {
    opening = pool.open(session, this);
  }

  @Override
  public void onConnected(PendingConnection attempt, UpstreamConnection opened) {
    opening = null;
    attempt.end();
    connection = opened;
    opened.makeExclusive();
    opened.markReady();
    if (givenUp) {
      opened.close();
    } else {
      serve();
    }
  }

  @Override
  public void onFailed(PendingConnection attempt, Throwable cause, boolean internal) {
    opening = null;
    share.giveBack();
    connections.onEnded(session, this);
    waiting.drain().forEach(pool::onUnanswered);
  }

  /** Inspects the response to a step. */
  private final class StepSink extends ForwardingSink {
    private final Operation bind;

    StepSink(Operation bind) {
      super(unwrapped(bind.sink()));
      this.bind = bind;
    }

    /** Returns the sink beneath the wrapper of an earlier attempt. */
    private static ResponseSink unwrapped(ResponseSink sink) {
      return sink instanceof StepSink earlier ? earlier.next : sink;
    }

    @Override
    public void complete(Response response) {
      onAnswer(LdapMessage.ofBind(response));
      next.complete(response);
    }

    private void onAnswer(LdapMessage response) {
      int code = LdapResult.codeOf(response.body());
      answered = true;
      stepping = false;
      if (code == SASL_BIND_IN_PROGRESS) {
        clientsTurn = true;
        clientsTurnSince = System.nanoTime();
      } else {
        connections.onSettled(SaslConnection.this);
      }
      if (code == SUCCESS) {
        onSuccess(bind, response);
      }
    }
  }

  private void onSuccess(Operation bind, LdapMessage response) {
    connected().requestWriter().markMaybeProtected();
    frames().setTakeoverCheck(session.sasl()::onNonLdap);
    if (bind.hasEnded()) {
      return;
    }
    if (BindResultSink.policyState(response)) {
      session.restrict(Restriction.EXCLUSIVE);
    }
    if (!pool.settings().identifiesStoa(backend().address())) {
      session.sasl().onSuccess(this);
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

  // Closing

  /** Called when the client has disconnected or binds anew. */
  void giveUp() {
    givenUp = true;
    connections.onSettled(this);
    waiting.drain().forEach(operation -> operation.sink().reject(Rejection.STATE_LOST));
    UpstreamConnection current = connection;
    if (current != null) {
      current.drain();
    } else if (opening == null) {
      share.giveBack();
    }
  }

  void close(Rejection reason) {
    givenUp = true;
    waiting.drain().forEach(operation -> operation.sink().reject(reason));
    UpstreamConnection current = connection;
    if (current != null) {
      current.close();
    }
  }

  boolean isClosed() {
    return opening == null && (connection == null || connection.isClosed());
  }

  // Events of the connection

  @Override
  public void onRoom(UpstreamConnection ready) {
    if (givenUp) {
      ready.drain(); // a bind in flight had delayed this
    } else {
      serve();
    }
  }

  @Override
  public void onClosed(UpstreamConnection closed) {
    share.giveBack();
    connections.onEnded(session, this);
    if (answered && !givenUp && !stepping) {
      session.onConnectionLost(closed.isEndedByServer());
    }
  }

  /**
   * Retries a first step on another server. Later steps are rejected, since no other server knows
   * the exchange.
   */
  @Override
  public void onUnanswered(Operation operation) {
    if (answered) {
      operation.sink().reject(Rejection.UPSTREAM_LOST);
    } else {
      pool.onUnanswered(operation);
    }
  }

  /** Called when the server is down: rejects waiting operations and gives up unanswered ones. */
  void handOver(Predicate<UpstreamConnection> matching) {
    UpstreamConnection current = connection;
    if (current != null && matching.test(current)) {
      waiting.drain().forEach(operation -> operation.sink().reject(Rejection.NO_UPSTREAM));
      current.handOver();
    }
  }

  /** Leaves the server if no step has been answered, so that the bind can start at another one. */
  void leave() {
    if (answered || givenUp) {
      return;
    }
    givenUp = true;
    List<Operation> unsent = waiting.drain();
    connections.onLeft(session, this);
    if (connection != null) {
      connection.handOver();
      connection.drain();
    } else {
      share.giveBack();
    }
    if (opening != null) {
      opening.cancel();
      opening = null;
    }
    unsent.forEach(pool::onUnanswered);
  }

  @Override
  public void onHeldUp(Operation operation) {
    submit(operation);
  }

  @Override
  public void onNotification(UpstreamConnection source, LdapMessage notification) {
    session.notify(notification);
  }

  // Timer

  void tick(long now) {
    waiting.expire(now, pool.settings().queueNanos(), pool.settings().operationNanos());
    if (connection == null && waiting.isEmpty()) {
      leave(); // no operation is left that needs the connection
    }
    UpstreamConnection current = connection;
    if (current != null && !current.isClosed()) {
      current.giveUpOverdue(now, pool.settings().operationNanos());
      sendKeepAlive(current, now);
    }
  }

  /**
   * Sends a keep-alive request on an idle connection, which cannot be made again if the server
   * closes it.
   */
  private void sendKeepAlive(UpstreamConnection current, long now) {
    boolean idle = current.isIdle() && now - current.idleSince() > pool.settings().idleNanos();
    if (idle && !clientsTurn && !current.requestWriter().isMaybeProtected()) {
      current.sendKeepAlive(pool.settings().connectMillis());
    }
  }

  /**
   * Disconnects the client if its steps take longer than {@code maxNanos} in all. Returns true if
   * so.
   */
  boolean disconnectIfSlow(long now, long maxNanos) {
    boolean late = clientsTurn && spentNanos + now - clientsTurnSince > maxNanos;
    if (late) {
      session.disconnect(Rejection.NO_PROGRESS);
    }
    return late;
  }
}
