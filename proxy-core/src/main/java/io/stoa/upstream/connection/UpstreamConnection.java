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
 * One connection to a directory server. Operations travel on it with the octets of their bodies
 * unchanged. Event-loop confined.
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

  /** It has been bound, or needs no bind of Stoa's own. */
  private boolean living;

  /**
   * Makes it of a channel.
   *
   * @param vigil looks after it while something is to be answered; null if it is not one of those
   *     that the server may have
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

  /** What uses an upstream connection, and hears what becomes of it. Event-loop confined. */
  public interface Owner {
    /** An operation has ended, so that there is room for another. */
    void room(UpstreamConnection connection);

    /** The connection has ended. */
    void closed(UpstreamConnection connection);

    /** An operation that was sent on the connection will not be answered there. */
    void unanswered(Operation operation);

    /** An operation that was sent is held up by a slow client: it is to go another way. */
    void held(Operation operation);

    /** A server's notification that is not the answer to anything. Takes ownership. */
    void unsolicited(UpstreamConnection connection, LdapMessage notification);
  }

  // What is sent

  /** Whether it takes operations, up to so many outstanding. */
  public boolean hasRoom(int mostOutstanding) {
    return state == ConnectionState.READY
        && !congestion.paused()
        && channel.isWritable()
        && inFlight.places() < mostOutstanding;
  }

  /**
   * Whether an operation would have to wait for answers of others that take long. On a connection
   * of one client alone it would have to wait for them anywhere.
   */
  public boolean slow() {
    return !inFlight.keepsClientsIds() && (incoming.midMessage() || inFlight.anySlow());
  }

  /** Operations sent and not answered. */
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

  /** Binds the connection for its owner, which hears the answer, or null if none came in time. */
  public void bind(
      ByteBuf bindRequest, long timeoutMillis, Consumer<@Nullable LdapMessage> outcome) {
    moveTo(ConnectionState.BINDING);
    backend.bindSent(false);
    outlet.bind(PendingOperations.OWN_ID, bindRequest);
    await(timeoutMillis, outcome);
  }

  /** Sends a small request, so that a server that ends idle connections does not end this one. */
  public void keepAlive(long timeoutMillis) {
    ask(OwnRequest.KEEP_ALIVE, timeoutMillis, answer -> {});
  }

  /** Asks the server something for Stoa itself; the outcome hears null if no answer comes. */
  void ask(byte[] op, long timeoutMillis, Consumer<@Nullable LdapMessage> outcome) {
    outlet.own(PendingOperations.OWN_ID, op);
    await(timeoutMillis, outcome);
  }

  private void await(long timeoutMillis, Consumer<@Nullable LdapMessage> outcome) {
    ownRequest = new OwnRequest(channel.eventLoop(), timeoutMillis, this::close, outcome);
    silence.asked();
  }

  /** Gives up an operation that only asks. */
  void abandon(PendingOperation exchange) {
    if (inFlight.holds(exchange)) {
      outlet.own(inFlight.freshId(), exchange.abandonRequest());
      inFlight.abandoned(exchange);
      remove(exchange);
      owner.room(this);
    }
  }

  /** Sends a Cancel request after an operation in flight here; false if it is not. */
  boolean cancel(PendingOperation target, Operation cancelRequest) {
    boolean held = inFlight.holds(target);
    if (held) {
      outlet.cancel(enter(cancelRequest), target.messageId());
    }
    return held;
  }

  /**
   * Lets the server say what it says to a Cancel of an operation that is not in flight, or of
   * itself. On no account may the client's messageID go there: it may be that of another client's
   * operation.
   */
  private void cancelNothing(Operation cancelRequest) {
    PendingOperation exchange = enter(cancelRequest);
    boolean itself = CancelValue.namesItself(cancelRequest);
    outlet.cancel(exchange, itself ? exchange.messageId() : inFlight.freshId());
  }

  // What is received

  @Override
  public void channelRead(ChannelHandlerContext ctx, Object received) {
    silence.heard();
    incoming.received(received);
  }

  /** The server reads again: what it had not taken may be followed by more. */
  @Override
  public void channelWritabilityChanged(ChannelHandlerContext ctx) {
    if (channel.isWritable() && state != ConnectionState.CLOSED) {
      room();
    }
  }

  /** An operation has its final response, which its sink is about to get. */
  void answered(PendingOperation exchange, int code) {
    exchange.tell(
        backend, code, counted); // before its place is free: what a refusal says of others counts
    remove(exchange);
    inFlight.answered(exchange);
    if (exchange.operation().type() == OpType.BIND_REQUEST && state == ConnectionState.BINDING) {
      moveTo(ConnectionState.READY);
    }
  }

  /** There may be room for more, or nothing left to be done. */
  void room() {
    if (account.isLeaving(state)) {
      drain();
    } else {
      owner.room(this);
    }
  }

  /** The answer to the request of Stoa's own, or null if there will be none. Takes ownership. */
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

  /** An operation that can begin again is held up by a slow client. */
  void sendElsewhere(PendingOperation held) {
    abandon(held);
    owner.held(held.operation());
  }

  /** Reading goes on after a slow client has held it up. */
  void resumed() {
    incoming.resumed(System.nanoTime());
    owner.room(this);
  }

  // The end

  /** The connection is made, and may be used. */
  public void ready() {
    moveTo(ConnectionState.READY);
    if (counted && !living) {
      living = true;
      backend.lives();
    }
  }

  /** The server is about to end it: what is under way may still be answered, a bind need not be. */
  public void leaving() {
    if (state == ConnectionState.BINDING) {
      close();
    } else {
      drain();
    }
  }

  /** Takes no more operations, and ends when those in flight are answered. */
  public void drain() {
    if (state == ConnectionState.READY) {
      moveTo(ConnectionState.DRAINING);
    }
    if (withoutWork() && ownRequest == null) {
      close();
    }
  }

  /** What the server sends is not an answer to what was asked, or to anything. */
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

  /** Ends it; what was not answered is told to its owner. */
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
    } // what has not left must not do so now: it is for another connection
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
   * Whether nothing has come for so long although something is to be answered, or nothing is to be
   * expected of the server.
   */
  public boolean silent(long now, long nanos) {
    return silence.lasts(now, nanos) || silence.dead(now);
  }

  /** The server may not answer: reads that can begin again, and binds, are for another. */
  public void handOver() {
    if (state == ConnectionState.BINDING) {
      close(); // whatever the server makes of it, nobody else may use the connection
    } else {
      silence.handOver(operation -> owner.unanswered(operation));
    }
  }

  /** Gives up operations on which the server has been silent for too long. */
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

  // What its owner asks

  /** Whether the server has ended it, or the network, and not Stoa. */
  public boolean endedByServer() {
    return endedByServer || failure != null;
  }

  /** The way out for what is sent here. */
  public RequestWriter outlet() {
    return outlet;
  }

  /** What uses it. */
  public Owner owner() {
    return owner;
  }

  /** What can be told of it. */
  public ConnectionLifetime account() {
    return account;
  }

  ConnectionState state() {
    return state;
  }

  /** The server to which it is. */
  public Backend backend() {
    return backend;
  }

  /** Where its octets travel. */
  public Channel channel() {
    return channel;
  }

  /** Gives it to another owner. */
  public void owner(Owner next) {
    owner = next;
  }

  /** From now on it serves one client alone, under the client's messageIDs. */
  public void makeExclusive() {
    inFlight.keepClientsIds();
  }

  /** What ended the connection, if it was an error of the network or of TLS. */
  @Nullable IOException failure() {
    return failure;
  }

  /** Whether it has ended. */
  public boolean closed() {
    return state == ConnectionState.CLOSED;
  }

  /** Whether it ends as soon as it has nothing to do. */
  public boolean ending() {
    return state == ConnectionState.DRAINING;
  }

  /** Whether it may be used and has nothing to do. */
  public boolean idle() {
    return state == ConnectionState.READY && withoutWork() && ownRequest == null;
  }

  private boolean withoutWork() {
    return inFlight.isEmpty() && !incoming.midMessage();
  }

  /**
   * Whether it is to be replaced by another.
   *
   * @param mostAge how old it may become, in nanoseconds
   */
  public boolean outdated(long now, long mostAge) {
    return state == ConnectionState.READY && account.isOver(now, mostAge);
  }

  /** Since when it has been idle, in the time of {@link System#nanoTime}. */
  public long idleSince() {
    return account.idleSince();
  }
}
