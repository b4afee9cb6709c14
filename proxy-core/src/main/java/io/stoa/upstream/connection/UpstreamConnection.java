// SPDX-License-Identifier: Apache-2.0
package io.stoa.upstream.connection;

import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.stoa.ldap.protocol.LdapMessage;
import io.stoa.ldap.protocol.LdapProtocolException;
import io.stoa.ldap.protocol.OpType;
import io.stoa.net.codec.FlushQueue;
import io.stoa.net.codec.MessageWriter;
import io.stoa.operation.CancelValue;
import io.stoa.operation.Operation;
import io.stoa.operation.OperationState;
import io.stoa.operation.Rejection;
import io.stoa.upstream.connection.RequestWriter.OwnRequest;
import io.stoa.upstream.server.Backend;
import java.io.IOException;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * One connection to a directory server. Operations are forwarded with the octets of their bodies
 * unchanged.
 *
 * <p>Threading: event loop.
 */
public final class UpstreamConnection extends ChannelInboundHandlerAdapter {
  private final Backend backend;
  private final Channel channel;
  private final RequestWriter outlet;
  private final PendingOperations inFlight = new PendingOperations();
  private final Congestion congestion;
  private final ResponseReader incoming;
  private final ResponseTimeout silence;
  private Owner owner;
  private ConnectionState state = ConnectionState.CONNECTING;

  private @Nullable OwnRequest ownRequest;
  private final ConnectionLifetime account = new ConnectionLifetime(this, inFlight);
  private @Nullable IOException failure;
  private boolean endedByServer;
  private final boolean counted;

  /** True if the connection has become usable: bound, or not in need of a bind by Stoa. */
  private boolean living;

  /**
   * Wraps a connected channel.
   *
   * @param vigil response time-outs; null for health-check connections, which do not count against
   *     the server's connection limit
   */
  UpstreamConnection(
      Backend backend,
      Channel channel,
      FlushQueue flushes,
      Owner owner,
      @Nullable ResponseWatchdog vigil) {
    this.counted = vigil != null;
    this.backend = backend;
    this.channel = channel;
    this.outlet = new RequestWriter(new MessageWriter(channel, flushes));
    this.congestion = new Congestion(this, channel, inFlight);
    this.incoming = new ResponseReader(this, inFlight, congestion);
    this.silence = new ResponseTimeout(this, inFlight, incoming, congestion, vigil);
    this.owner = owner;
  }

  /**
   * Uses an upstream connection and is notified of its events.
   *
   * <p>Threading: event loop.
   */
  public interface Owner {
    /** Called when an operation has ended, so that there may be room for another. */
    void room(UpstreamConnection connection);

    /** Called when the connection has ended. */
    void closed(UpstreamConnection connection);

    /** Called when an operation that was sent will not be answered on the connection. */
    void unanswered(Operation operation);

    /**
     * Called when an operation that was sent is held up by a slow client and must be sent
     * elsewhere.
     */
    void held(Operation operation);

    /** Called for a notification that answers no request. Takes ownership. */
    void unsolicited(UpstreamConnection connection, LdapMessage notification);
  }

  // Sending

  /**
   * True if the connection takes another operation with at most {@code mostOutstanding} in flight.
   */
  public boolean hasRoom(int mostOutstanding) {
    return state == ConnectionState.READY
        && !congestion.paused()
        && channel.isWritable()
        && inFlight.places() < mostOutstanding;
  }

  /**
   * True if an operation would wait behind responses of others that take long. A dedicated
   * connection is never slow in this sense: its client would wait anywhere.
   */
  public boolean slow() {
    return !inFlight.keepsClientsIds() && (incoming.midMessage() || inFlight.anySlow());
  }

  /** Returns the number of operations sent and not answered. */
  public int outstanding() {
    return inFlight.size();
  }

  /** Forwards an operation. */
  public void send(Operation operation) {
    if (state != ConnectionState.READY) {
      throw new IllegalStateException("sent on a connection that is " + state);
    }
    if (operation.isCancel() && !outlet.isService() && !inFlight.keepsClientsIds()) {
      cancelNothing(operation);
    } else if (!outlet.request(operation, accepted -> enter(accepted).messageId())) {
      operation.sink().reject(Rejection.AUTHORIZATION_DENIED);
    }
  }

  private PendingOperation enter(Operation operation) {
    PendingOperation exchange = inFlight.enter(this, operation);
    silence.begins();
    if (operation.type() == OpType.BIND_REQUEST) {
      moveTo(ConnectionState.BINDING);
      backend.bindSent(counted);
    }
    exchange.begin(backend, counted);
    operation.sent();
    operation.moveTo(OperationState.FORWARDED);
    operation.cancellation(exchange);
    return exchange;
  }

  /**
   * Binds the connection for its owner. The callback receives the response; null if none arrives.
   */
  public void bind(
      ByteBuf bindRequest, long timeoutMillis, Consumer<@Nullable LdapMessage> outcome) {
    moveTo(ConnectionState.BINDING);
    backend.bindSent(false);
    outlet.bind(PendingOperations.OWN_ID, bindRequest);
    await(timeoutMillis, outcome);
  }

  /** Sends a small search, so that the server does not close the connection as idle. */
  public void keepAlive(long timeoutMillis) {
    ask(OwnRequest.KEEP_ALIVE, timeoutMillis, answer -> {});
  }

  /** Sends a request of Stoa's own. The callback receives the response; null if none arrives. */
  void ask(byte[] op, long timeoutMillis, Consumer<@Nullable LdapMessage> outcome) {
    outlet.own(PendingOperations.OWN_ID, op);
    await(timeoutMillis, outcome);
  }

  private void await(long timeoutMillis, Consumer<@Nullable LdapMessage> outcome) {
    ownRequest = new OwnRequest(channel.eventLoop(), timeoutMillis, this::close, outcome);
    silence.asked();
  }

  /**
   * Gives up an operation that is not a change: abandons it at the server and frees its messageID.
   */
  void abandon(PendingOperation exchange) {
    if (inFlight.holds(exchange)) {
      outlet.own(inFlight.freshId(), exchange.abandonRequest());
      inFlight.abandoned(exchange);
      remove(exchange);
      owner.room(this);
    }
  }

  /** Sends a Cancel request for an operation. Returns false if it is not in flight here. */
  boolean cancel(PendingOperation target, Operation cancelRequest) {
    boolean held = inFlight.holds(target);
    if (held) {
      outlet.cancel(enter(cancelRequest), target.messageId());
    }
    return held;
  }

  /**
   * Sends a Cancel request for an operation that is not in flight, or for itself, so that the
   * server answers it. The client's messageID must not be sent: here it may be that of another
   * client's operation.
   */
  private void cancelNothing(Operation cancelRequest) {
    PendingOperation exchange = enter(cancelRequest);
    boolean itself = CancelValue.namesItself(cancelRequest);
    outlet.cancel(exchange, itself ? exchange.messageId() : inFlight.freshId());
  }

  // Receiving

  @Override
  public void channelRead(ChannelHandlerContext ctx, Object received) {
    silence.heard();
    incoming.received(received);
  }

  /**
   * Called when the socket's buffer has drained or filled. If the server reads again, there is
   * room.
   */
  @Override
  public void channelWritabilityChanged(ChannelHandlerContext ctx) {
    if (channel.isWritable() && state != ConnectionState.CLOSED) {
      room();
    }
  }

  /** Called when an operation has its final response, before its sink receives it. */
  void answered(PendingOperation exchange, int code) {
    exchange.tell(
        backend, code, counted); // while it still holds its place, which a refusal counts
    remove(exchange);
    inFlight.answered(exchange);
    if (exchange.operation().type() == OpType.BIND_REQUEST && state == ConnectionState.BINDING) {
      moveTo(ConnectionState.READY);
    }
  }

  /** Called when there may be room for more operations, or nothing is left to do. */
  void room() {
    if (account.isLeaving(state)) {
      drain();
    } else {
      owner.room(this);
    }
  }

  /**
   * Called with the response to Stoa's own request; null if there will be none. Takes ownership.
   */
  void ownRequestAnswered(@Nullable LdapMessage answer) {
    OwnRequest asked = ownRequest;
    ownRequest = null;
    silence.askedNoMore(answer != null);
    account.rests();
    if (state == ConnectionState.BINDING) {
      ready();
    }
    if (asked != null) {
      asked.answered(answer);
    } else if (answer != null) {
      answer.release();
    }
    if (account.isLeaving(state)) {
      drain();
    }
  }

  /**
   * Gives an operation that can be restarted back to the owner, since a slow client holds it up.
   */
  void sendElsewhere(PendingOperation held) {
    abandon(held);
    owner.held(held.operation());
  }

  /** Called when reading resumes after a slow client has paused it. */
  void resumed() {
    incoming.resumed(System.nanoTime());
    owner.room(this);
  }

  // Closing

  /** Marks the connection as usable. */
  public void ready() {
    moveTo(ConnectionState.READY);
    if (counted && !living) {
      living = true;
      backend.lives();
    }
  }

  /**
   * Called when the server announces that it will close the connection. Operations in flight may
   * still be answered. A bind is not waited for.
   */
  public void leaving() {
    if (state == ConnectionState.BINDING) {
      close();
    } else {
      drain();
    }
  }

  /** Takes no more operations, and closes when those in flight are answered. */
  public void drain() {
    if (state == ConnectionState.READY) {
      moveTo(ConnectionState.DRAINING);
    }
    if (withoutWork() && ownRequest == null) {
      close();
    }
  }

  /**
   * Closes the connection after an invalid response.
   *
   * @param exchange the operation to which the response was sent; null if none
   */
  void broken(@Nullable PendingOperation exchange) {
    if (exchange != null) {
      remove(exchange);
      exchange.operation().sink().reject(Rejection.UPSTREAM_BROKEN);
    }
    if (state != ConnectionState.CLOSED) {
      failure = CloseReasons.invalid(backend, counted);
      close();
    }
  }

  /** Closes the connection. The owner is notified of each unanswered operation. */
  public void close() {
    if (state == ConnectionState.CLOSED) {
      return;
    }
    moveTo(ConnectionState.CLOSED);
    List<PendingOperation> unanswered = inFlight.end();
    List<PendingOperation> unsent = unanswered.stream().filter(PendingOperation::unsent).toList();
    unanswered.forEach(this::remove);
    backend.closed(unanswered.size(), counted);
    if (unsent.isEmpty()) {
      outlet.sayGoodbye(inFlight.freshId(), channel.isActive());
    } // requests still in the buffer must not be sent now: they go to another connection
    channel.close();
    if (counted) {
      backend.release(living);
    }
    unsent.forEach(exchange -> exchange.operation().notSent());
    incoming.cutOff();
    owner.closed(this);
    unanswered.forEach(exchange -> owner.unanswered(exchange.operation()));
    ownRequestAnswered(null);
  }

  /**
   * True if a response is due and the server has sent nothing for {@code nanos}, or if the server
   * is down and silent.
   */
  public boolean silent(long now, long nanos) {
    return silence.lasts(now, nanos) || silence.dead(now);
  }

  /** Hands unanswered reads and binds to another server, since this one may not respond. */
  public void handOver() {
    if (state == ConnectionState.BINDING) {
      close(); // its identity is uncertain, so no one else may use the connection
    } else {
      silence.handOver(operation -> owner.unanswered(operation));
    }
  }

  /** Gives up operations that have had no response for longer than {@code mostNanos}. */
  public void giveUpOverdue(long now, long mostNanos) {
    if (inFlight.expire(now)) {
      owner.room(this);
    }
    silence.end(now, mostNanos);
  }

  @Override
  public void channelInactive(ChannelHandlerContext ctx) {
    endedByServer = state != ConnectionState.CLOSED;
    lost();
    close();
  }

  @Override
  public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
    if (cause instanceof LdapProtocolException) {
      broken(null);
    }
    failure = CloseReasons.ofPeer(cause, backend);
    if (failure != null) {
      lost();
    }
    close();
  }

  private void lost() {
    if (counted) {
      account.endedByServer();
    }
  }

  private void remove(PendingOperation exchange) {
    inFlight.remove(exchange);
    exchange.operation().cancellation(null);
    exchange.end(backend, counted);
    if (withoutWork()) {
      account.rests();
      if (state == ConnectionState.DRAINING) {
        close();
      }
    }
  }

  private void moveTo(ConnectionState next) {
    assert channel.eventLoop().inEventLoop() : "moved outside its event loop";
    state = state.then(next);
  }

  // Queries

  /** True if the server or the network ended the connection, and not Stoa. */
  public boolean endedByServer() {
    return endedByServer || failure != null;
  }

  /** Returns the writer of requests. */
  public RequestWriter outlet() {
    return outlet;
  }

  /** Returns the owner. */
  public Owner owner() {
    return owner;
  }

  /** Returns age, number and status of the connection. */
  public ConnectionLifetime account() {
    return account;
  }

  ConnectionState state() {
    return state;
  }

  /** Returns the server at the other end. */
  public Backend backend() {
    return backend;
  }

  /** Returns the Netty channel. */
  public Channel channel() {
    return channel;
  }

  /** Gives the connection to another owner. */
  public void owner(Owner next) {
    owner = next;
  }

  /** Dedicates the connection to one client. From now on it keeps that client's messageIDs. */
  public void makeExclusive() {
    inFlight.keepClientsIds();
  }

  /** Returns the network or TLS failure that ended the connection; null if there was none. */
  @Nullable IOException failure() {
    return failure;
  }

  /** True if the connection has ended. */
  public boolean closed() {
    return state == ConnectionState.CLOSED;
  }

  /** True if the connection closes as soon as it has nothing to do. */
  public boolean ending() {
    return state == ConnectionState.DRAINING;
  }

  /** True if the connection is usable and has nothing to do. */
  public boolean idle() {
    return state == ConnectionState.READY && withoutWork() && ownRequest == null;
  }

  private boolean withoutWork() {
    return inFlight.isEmpty() && !incoming.midMessage();
  }

  /**
   * True if the connection is due for replacement.
   *
   * @param mostAge maximum age in ns
   */
  public boolean outdated(long now, long mostAge) {
    return state == ConnectionState.READY && account.isOver(now, mostAge);
  }

  /** Returns since when the connection has been idle, as {@link System#nanoTime}. */
  public long idleSince() {
    return account.idleSince();
  }
}
