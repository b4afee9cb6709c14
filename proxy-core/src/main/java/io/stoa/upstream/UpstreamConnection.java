// SPDX-License-Identifier: Apache-2.0
package io.stoa.upstream;

import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.stoa.backend.Backend;
import io.stoa.codec.FlushQueue;
import io.stoa.codec.MessageWriter;
import io.stoa.ldap.LdapMessage;
import io.stoa.ldap.LdapProtocolException;
import io.stoa.ldap.OpType;
import io.stoa.operation.CancelValue;
import io.stoa.operation.Operation;
import io.stoa.operation.OperationState;
import io.stoa.operation.Rejection;
import java.io.IOException;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One connection to a directory server. Operations travel on it with the octets of their bodies
 * unchanged. Event-loop confined.
 */
final class UpstreamConnection extends ChannelInboundHandlerAdapter {
  private static final Logger LOG = LoggerFactory.getLogger(UpstreamConnection.class);

  /** RFC 4511, section 4.3. */
  private static final byte[] UNBIND_REQUEST = {0x42, 0};

  private final Backend backend;
  private final Channel channel;
  private final MessageWriter writer;
  private final InFlight inFlight = new InFlight();
  private Owner owner;
  private ConnectionState state = ConnectionState.CONNECTING;
  private boolean paused;
  private @Nullable OwnRequest ownRequest;
  private long idleSince = System.nanoTime();

  UpstreamConnection(Backend backend, Channel channel, FlushQueue flushes, Owner owner) {
    this.backend = backend;
    this.channel = channel;
    this.writer = new MessageWriter(channel, flushes);
    this.owner = owner;
  }

  /** What uses an upstream connection, and hears what becomes of it. Event-loop confined. */
  interface Owner {
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
  boolean hasRoom(int mostOutstanding) {
    return state == ConnectionState.READY && !paused && inFlight.places() < mostOutstanding;
  }

  int outstanding() {
    return inFlight.size();
  }

  /** Forwards an operation. */
  void send(Operation operation) {
    if (state != ConnectionState.READY) {
      throw new IllegalStateException("sent on a connection that is " + state);
    }
    if (inFlight.isTaken(operation)) {
      operation.sink().reject(Rejection.MESSAGE_ID_TAKEN);
      return;
    }
    Exchange exchange = enter(operation);
    if (operation.type() == OpType.BIND_REQUEST) {
      moveTo(ConnectionState.BINDING);
      backend.bindSent();
      writer.writeSecret(exchange.messageId(), operation.message().body());
    } else {
      writer.write(exchange.messageId(), operation.message().body());
    }
  }

  private Exchange enter(Operation operation) {
    Exchange exchange = inFlight.enter(this, operation);
    backend.sent();
    operation.sent();
    operation.moveTo(OperationState.FORWARDED);
    operation.cancellation(exchange);
    return exchange;
  }

  /** Binds the connection for its owner, which hears the answer, or null if none came in time. */
  void bind(ByteBuf bindRequest, long timeoutMillis, Consumer<@Nullable LdapMessage> outcome) {
    ready();
    moveTo(ConnectionState.BINDING);
    backend.bindSent();
    writer.writeSecret(InFlight.OWN_ID, bindRequest);
    ownRequest = new OwnRequest(channel.eventLoop(), timeoutMillis, this::close, outcome);
  }

  /** Gives up an operation that only asks. */
  void abandon(Exchange exchange) {
    if (inFlight.holds(exchange)) {
      writer.write(inFlight.freshId(), exchange.abandonRequest());
      remove(exchange);
      inFlight.abandoned(exchange);
      owner.room(this);
    }
  }

  /** Sends a Cancel request after an operation in flight here; false if it is not. */
  boolean cancel(Exchange target, Operation cancelRequest) {
    if (!inFlight.holds(target)) {
      return false;
    }
    ByteBuf body = CancelValue.translated(cancelRequest.message(), target.messageId());
    try {
      writer.write(enter(cancelRequest).messageId(), body);
    } finally {
      body.release();
    }
    return true;
  }

  // What is received

  @Override
  public void channelRead(ChannelHandlerContext ctx, Object received) {
    LdapMessage message = (LdapMessage) received;
    int id = message.messageId();
    Exchange exchange = inFlight.get(id);
    if (exchange != null) {
      answer(exchange, message);
    } else if (id == InFlight.OWN_ID) {
      ownRequestAnswered(message);
    } else if (id == 0) {
      owner.unsolicited(this, message);
    } else {
      message.release(); // for an operation that was abandoned, or for none
    }
  }

  private void answer(Exchange exchange, LdapMessage message) {
    OpType type = message.type();
    if (type == exchange.operation().type().response()) {
      complete(exchange, message);
    } else if (type.isFinalResponse() || type.isRequest()) {
      message.release();
      remove(exchange);
      exchange.operation().sink().reject(Rejection.UPSTREAM_BROKEN);
      broken();
    } else {
      respond(exchange, message);
    }
  }

  private void complete(Exchange exchange, LdapMessage message) {
    Operation operation = exchange.operation();
    remove(exchange);
    inFlight.answered(exchange);
    if (operation.type() == OpType.BIND_REQUEST && state == ConnectionState.BINDING) {
      moveTo(ConnectionState.READY);
    }
    operation.sink().complete(message);
    owner.room(this);
  }

  private void respond(Exchange exchange, LdapMessage message) {
    exchange.heard(System.nanoTime());
    exchange.operation().sink().respond(message);
    if (!paused && exchange.operation().sink().congested()) {
      pause(exchange.operation());
    }
  }

  private void ownRequestAnswered(@Nullable LdapMessage answer) {
    OwnRequest asked = ownRequest;
    ownRequest = null;
    if (state == ConnectionState.BINDING) {
      moveTo(ConnectionState.READY);
    }
    if (asked != null) {
      asked.answered(answer);
    } else if (answer != null) {
      answer.release();
    }
  }

  /**
   * One client does not take its answers: nothing more is read, and the operations of other clients
   * that have not been answered at all go elsewhere.
   */
  private void pause(Operation congested) {
    paused = true;
    channel.config().setAutoRead(false);
    for (Exchange other : inFlight.all()) {
      if (other.operation() != congested && other.operation().beginAgain()) {
        abandon(other);
        owner.held(other.operation());
      }
    }
    congested.sink().whenReady(this::resume);
  }

  private void resume() {
    if (paused && state != ConnectionState.CLOSED) {
      paused = false;
      inFlight.all().forEach(exchange -> exchange.heard(System.nanoTime()));
      channel.config().setAutoRead(true);
      owner.room(this);
    }
  }

  // The end

  /** The connection is made, and may be used. */
  void ready() {
    moveTo(ConnectionState.READY);
  }

  /** Takes no more operations, and ends when those in flight are answered. */
  void drain() {
    if (state == ConnectionState.READY) {
      moveTo(ConnectionState.DRAINING);
    }
    if (inFlight.isEmpty() && ownRequest == null) {
      close();
    }
  }

  /** What the server sends is no LDAP, or not an answer to what was asked. */
  private void broken() {
    LOG.warn("upstream {} sent an invalid answer; the connection is closed", backend.address());
    close();
  }

  void close() {
    if (state == ConnectionState.CLOSED) {
      return;
    }
    moveTo(ConnectionState.CLOSED);
    List<Exchange> unanswered = inFlight.all();
    unanswered.forEach(this::remove);
    backend.closed(unanswered.size());
    closeChannel();
    owner.closed(this);
    unanswered.forEach(exchange -> owner.unanswered(exchange.operation()));
    ownRequestAnswered(null);
  }

  private void closeChannel() {
    if (channel.isActive()) {
      writer.write(inFlight.freshId(), UNBIND_REQUEST);
    }
    writer.flush();
    channel.close();
    backend.release();
  }

  /** Gives up operations on which the server has been silent for too long. */
  void giveUpOverdue(long now, long mostNanos) {
    if (inFlight.expireAbandoned(now)) {
      owner.room(this);
    }
    for (Exchange exchange : inFlight.all()) {
      if (!paused && exchange.overdue(now, mostNanos)) {
        giveUp(exchange);
      }
    }
  }

  /** A change that was sent may still take effect, so its answer is waited for, for a while. */
  private void giveUp(Exchange exchange) {
    Operation operation = exchange.operation();
    LOG.warn("upstream {} was silent for too long on {}", backend.address(), exchange.describe());
    if (!operation.mayChange() && operation.type() != OpType.BIND_REQUEST) {
      abandon(exchange);
      operation.sink().reject(Rejection.UPSTREAM_TIMEOUT);
      if (inFlight.keepsClientsIds()) {
        drain(); // the client may use the messageID again, and an answer may still come
      }
    } else if (operation.ended()) {
      close();
    } else {
      operation.sink().reject(Rejection.UPSTREAM_TIMEOUT);
      exchange.heard(System.nanoTime());
      drain();
    }
  }

  @Override
  public void channelInactive(ChannelHandlerContext ctx) {
    close();
  }

  @Override
  public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
    if (cause instanceof LdapProtocolException) {
      broken();
    } else {
      if (!(cause instanceof IOException)) {
        LOG.error("upstream connection ended by a defect", cause);
      }
      close();
    }
  }

  private void remove(Exchange exchange) {
    inFlight.remove(exchange);
    exchange.operation().cancellation(null);
    backend.ended();
    if (inFlight.isEmpty()) {
      idleSince = System.nanoTime();
      if (state == ConnectionState.DRAINING) {
        close();
      }
    }
  }

  private void moveTo(ConnectionState next) {
    assert channel.eventLoop().inEventLoop() : "moved outside its event loop";
    if (!state.mayBecome(next)) {
      throw new IllegalStateException(state + " may not become " + next);
    }
    state = next;
  }

  // What its owner asks

  void owner(Owner next) {
    owner = next;
  }

  /** From now on it serves one client alone, under the client's messageIDs. */
  void makeExclusive() {
    inFlight.keepClientsIds();
  }

  boolean closed() {
    return state == ConnectionState.CLOSED;
  }

  boolean idle() {
    return state == ConnectionState.READY && inFlight.isEmpty();
  }

  /** Since when it has been idle, in the time of {@link System#nanoTime}. */
  long idleSince() {
    return idleSince;
  }
}
