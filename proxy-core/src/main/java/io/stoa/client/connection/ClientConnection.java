// SPDX-License-Identifier: Apache-2.0
package io.stoa.client.connection;

import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.util.concurrent.EventExecutor;
import io.stoa.client.listener.Listener;
import io.stoa.ldap.protocol.LdapMessage;
import io.stoa.ldap.protocol.LdapProtocolException;
import io.stoa.ldap.protocol.ProtocolError;
import io.stoa.net.codec.LdapFrameDecoder;
import io.stoa.net.codec.MessageWriter;
import io.stoa.net.peer.Peer;
import io.stoa.net.transport.FailureText;
import io.stoa.operation.ClientIdentity;
import io.stoa.operation.ClientSession;
import io.stoa.operation.CompletedOperation;
import io.stoa.operation.Operation;
import io.stoa.operation.OperationCounters;
import io.stoa.operation.OperationTable;
import io.stoa.operation.Rejection;
import io.stoa.operation.ResponseSink;
import io.stoa.operation.Restriction;
import io.stoa.operation.event.ClientEvent;
import io.stoa.operation.event.ClientTimeout;
import java.io.IOException;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One client connection: its state, and the parts that belong to it.
 *
 * <p>Requests that may not be processed yet wait in order. The reasons are a bind under way, too
 * many operations in flight, or a client that does not read its responses. Reading pauses
 * meanwhile, so the queue never holds more than one read.
 *
 * <p>Threading: event loop.
 */
final class ClientConnection extends ChannelInboundHandlerAdapter implements ClientSession {
  private static final Logger LOG = LoggerFactory.getLogger(ClientConnection.class);

  private final Channel channel;
  private final LdapFrameDecoder frames;
  private final FrontendConfig config;
  private final MessageWriter writer;
  private final StallDetector stalls;
  private final AnswerDurations durations;
  private final OperationTable operations = new OperationTable();
  private final AuthorizationState authorization = new AuthorizationState();
  private final SaslClient sasl;
  private final OutboundBuffer outbound;
  private final ClientTls tls;
  private final ReadController reads;
  private final AccessReporter accessReporter;

  /** Creates the sink of an operation; one object for all of them. */
  private final Function<Operation, ResponseSink> sinks = this::sink;

  private ClientState state = ClientState.READY;

  /** True once a draining client has been sent its Notice of Disconnection. */
  private boolean notified;

  /** Key that does not hold the connection, so that it can be remembered without it. */
  private final Object key = new Object();

  ClientConnection(
      Channel channel,
      LdapFrameDecoder frames,
      EventLoopContext loop,
      FrontendConfig config,
      Listener openListener) {
    this.channel = channel;
    this.frames = frames;
    this.config = config;
    this.writer = new MessageWriter(channel, loop.flushes());
    this.outbound =
        new OutboundBuffer(channel, writer, config.limits().writeBuffer(), config.waiting());
    this.stalls = new StallDetector(this, config);
    this.durations = new AnswerDurations(this, config.counters().latencies(), loop.hits());
    this.sasl = new SaslClient(this, authorization, config);
    frames.setTakeoverCheck(sasl::onNonLdap);
    this.reads = new ReadController(this, config, new RequestDispatch(this, config, loop.chain()));
    this.accessReporter = new AccessReporter(this, config.accessLog());
    this.tls = new ClientTls(this, openListener, config.limits().requestTimeout());
  }

  // Requests

  @Override
  public void channelRead(ChannelHandlerContext ctx, Object message) {
    LdapMessage request = (LdapMessage) message;
    if (state == ClientState.CLOSED || state == ClientState.DRAINING) {
      request.wipeAndRelease(); // never processed: the client gets the notice instead of an answer
      return;
    }
    stalls.onRequest();
    durations.onRead();
    sasl.exchange().onPlainLdap();
    reads.add(request);
  }

  @Override
  public void channelReadComplete(ChannelHandlerContext ctx) {
    durations.onReadComplete();
    ctx.fireChannelReadComplete();
  }

  /** Sets the recipient of reports about the memory of the client's requests. */
  void reportMemoryTo(HeldRequests requests) {
    reads.reportTo(requests);
    frames.onUnfinished(requests::setUnfinished);
  }

  private ResponseSink sink(Operation operation) {
    return new ClientSink(this, operation);
  }

  /**
   * Creates the operation of a request; null if its messageID is in use, and then the caller ends
   * the connection.
   */
  @Nullable Operation begin(LdapMessage message) {
    Operation operation =
        new Operation(this, message, config.decoder(), frames.receivedNanos(), sinks);
    accessReporter.begin(operation);
    return operations.add(operation) ? operation : null;
  }

  /** Called when an operation has been answered. */
  void onCompleted(Operation operation) {
    operations.remove(operation.messageId());
    reads.reportMemory();
    if (!operation.isLongLived()) {
      durations.add(operation);
    }
    stalls.onAnswered(operation);
    if (state == ClientState.DRAINING || !channel.config().isAutoRead()) {
      proceed();
    }
  }

  /** Reports an operation to the access logs, before its request is released. */
  void reportCompleted(Operation operation, int resultCode) {
    accessReporter.onCompleted(operation, resultCode);
    durations.addSearch(operation, resultCode);
  }

  /** Reports the connection to the access logs, once its address is known. */
  void announce() {
    accessReporter.announce();
  }

  /** Returns the reporter to the access logs. */
  AccessReporter accessReporter() {
    return accessReporter;
  }

  /** Abandons an operation of this connection. */
  void abandon(Operation operation) {
    drop(operation);
    reads.reportMemory();
    proceed();
  }

  private void drop(Operation operation) {
    operations.remove(operation.messageId());
    accessReporter.onAbandoned(operation);
    durations.addSearch(operation, CompletedOperation.ABANDONED);
    operation.abandon();
    stalls.onUnanswered(operation);
  }

  /** Continues with waiting requests, or ends a draining connection after its last response. */
  void proceed() {
    boolean answered = operations.size() == operations.longLived() && !writer.isMidMessage();
    if (state == ClientState.DRAINING) {
      if (answered) {
        endDrained();
      }
    } else {
      reads.take();
    }
  }

  // Binds

  /**
   * Called when a bind begins. The client becomes anonymous, and all state of the former identity
   * ends, unless the bind continues a SASL exchange.
   *
   * @param continues true if the bind continues a SASL exchange, whose upstream connection is kept
   */
  void onBindStart(boolean continues) {
    moveTo(ClientState.BINDING);
    if (!continues) {
      sasl.reset();
    }
  }

  /**
   * Called when a bind, or a step of a SASL bind, has ended, also in failure. Waiting requests are
   * processed after the response.
   *
   * @param identity the new identity; anonymous after a SASL bind, until {@code SaslClient} knows
   *     the identity, and before the next request is processed
   */
  void onBindEnd(ClientIdentity identity) {
    if (state != ClientState.BINDING) {
      AuthorizationState.release(identity);
      return;
    }
    authorization.setIdentity(identity);
    ClientLimits limits = config.limits();
    frames.setMaxFrameSize(
        identity.isAnonymous() ? limits.frameBeforeBind() : limits.frameAfterBind());
    moveTo(ClientState.READY);
  }

  /** Called when a bind has failed: the client is anonymous. */
  void onBindFailed() {
    sasl.reset();
    onBindEnd(ClientIdentity.ANONYMOUS);
  }

  /**
   * Starts to pass octets through unread; returns false if the client is in another state than
   * READY.
   */
  boolean becomeTunnel() {
    boolean ready = state == ClientState.READY;
    if (ready) {
      moveTo(ClientState.TUNNEL);
    }
    return ready;
  }

  // TLS

  /**
   * Called when StartTLS is accepted. Requests received so far are discarded and the client becomes
   * anonymous: an attacker may have sent them or bound on the connection.
   */
  void onStartTls() {
    moveTo(ClientState.STARTING_TLS);
    sasl.reset();
    frames.setMaxFrameSize(config.limits().frameBeforeBind());
    reads.clear();
    frames.discard();
  }

  /** Called when the handshake has succeeded. */
  void onTlsEstablished(Peer established) {
    accessReporter.onTls(established);
    if (state == ClientState.STARTING_TLS) {
      moveTo(ClientState.READY);
      proceed();
    }
  }

  // The end

  /** Ends the connection with a Notice of Disconnection that names the protocol error. */
  void endWithProtocolError(ProtocolError error) {
    if (isOpen()) {
      config.counters().protocolErrors().increment(error);
      accessReporter.setReason(error.name());
      RefusalLog.logDisconnect(this, error.name(), error.text());
      end(NoticeOfDisconnection.protocolError(error));
    }
  }

  @Override
  public void disconnect(Rejection reason) {
    if (state != ClientState.CLOSED) {
      accessReporter.setReason(reason.name());
      RefusalLog.logDisconnect(this, reason.name(), reason.diagnostic());
      end(reason);
    }
  }

  /** Ends the connection to free the memory of its requests. */
  void giveUpRequest() {
    if (isOpen()) {
      config.counters().events().increment(ClientEvent.REQUEST_GIVEN_UP);
      channel.config().setAutoRead(false); // no memory is counted any more while TLS ends
      end(Rejection.REQUEST_MEMORY);
    }
  }

  @Override
  public void onConnectionLost(boolean byServer) {
    if (!byServer) {
      disconnect(Rejection.STATE_LOST);
    } else if (state == ClientState.TUNNEL) {
      sasl.endTunnel();
    } else {
      accessReporter.setReason(Rejection.UPSTREAM_LOST.name());
      close();
    }
  }

  /** Ends the connection for a time-out. A client that does not read gets no notice. */
  void onTimeout(ClientTimeout timeout) {
    config.counters().timeouts().increment(timeout);
    accessReporter.setReason(timeout.name());
    RefusalLog.logDisconnect(this, timeout.name(), Rejection.NO_PROGRESS.diagnostic());
    if (timeout == ClientTimeout.WRITE) {
      outbound.onGivenUp();
      close();
    } else {
      end(Rejection.NO_PROGRESS);
    }
  }

  /**
   * Accepts no new requests, and ends the connection when those in flight are answered. New ones
   * are received and discarded: the kernel resets a connection that is closed with unread octets,
   * and responses on their way could be lost.
   */
  void drain() {
    if (state == ClientState.TUNNEL) {
      close();
    } else if (isOpen() && state != ClientState.DRAINING) {
      moveTo(ClientState.DRAINING);
      channel.config().setAutoRead(true);
      proceed();
    }
  }

  /** Sends the notice behind all responses, and closes the connection when they are sent. */
  private void endDrained() {
    if (!notified) {
      notified = true;
      accessReporter.setReason(Rejection.SHUTTING_DOWN.name());
      sasl.sendIfReadable(NoticeOfDisconnection.of(Rejection.SHUTTING_DOWN));
      writer.flush();
      channel.writeAndFlush(Unpooled.EMPTY_BUFFER).addListener(sent -> close());
    }
  }

  void end(Rejection reason) {
    if (isOpen()) {
      accessReporter.setReason(reason.name());
      end(NoticeOfDisconnection.of(reason));
    }
  }

  private void end(NoticeOfDisconnection notice) {
    if (state == ClientState.TUNNEL) {
      sasl.endTunnel();
    } else {
      if (!notified) {
        sasl.sendIfReadable(notice);
      }
      close();
    }
  }

  /** Ends the connection. Messages already written are still sent. */
  void close() {
    if (state == ClientState.CLOSED) {
      return;
    }
    moveTo(ClientState.CLOSED);
    operations.waitingFirst().forEach(this::drop);
    reads.clear();
    sasl.reset();
    outbound.close();
    stalls.reportOctets();
    accessReporter.onDisconnected();
    channel.close();
    config.counters().connections().add(network(), stalls.requests());
  }

  private void moveTo(ClientState next) {
    assert channel.eventLoop().inEventLoop() : "moved outside its event loop";
    if (!state.mayBecome(next)) {
      throw new IllegalStateException(state + " may not become " + next);
    }
    state = next;
  }

  // Channel events

  @Override
  public void channelInactive(ChannelHandlerContext ctx) {
    close();
  }

  @Override
  public void channelWritabilityChanged(ChannelHandlerContext ctx) {
    if (channel.isWritable() && state != ClientState.CLOSED) {
      outbound.onDrained();
      proceed();
    }
  }

  /** Called when a message that is written in pieces is complete. */
  void onMessageEnd() {
    outbound.onMessageEnd();
    proceed();
  }

  @Override
  public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
    if (cause instanceof LdapProtocolException error) {
      endWithProtocolError(error.reason());
    } else {
      if (cause instanceof OutOfMemoryError) {
        RefusalLog.logDisconnect(this, "NO_MEMORY", FailureText.of(cause));
      } else if (!(cause instanceof IOException)) {
        accessReporter.setReason("INTERNAL_ERROR");
        LOG.error("client {} disconnected: internal error", clientTls().origin(), cause);
      }
      close();
    }
  }

  // Accessors

  MessageWriter writer() {
    return writer;
  }

  OperationCounters counters() {
    return config.counters();
  }

  ClientState state() {
    return state;
  }

  OperationTable operations() {
    return operations;
  }

  Channel channel() {
    return channel;
  }

  LdapFrameDecoder frames() {
    return frames;
  }

  @Override
  public SaslClient sasl() {
    return sasl;
  }

  StallDetector stalls() {
    return stalls;
  }

  /** True if a request is unfinished or waits for its turn. */
  boolean hasWaitingRequests() {
    return reads.hasWaiting() || frames.isMidFrame();
  }

  OutboundBuffer outbound() {
    return outbound;
  }

  ClientTls clientTls() {
    return tls;
  }

  @Override
  public ClientIdentity identity() {
    return authorization.identity();
  }

  @Override
  public EventExecutor executor() {
    return channel.eventLoop();
  }

  @Override
  public Peer peer() {
    return tls.peer();
  }

  @Override
  public boolean mayStartTls() {
    return tls.mayStart();
  }

  @Override
  public boolean isOpen() {
    return state != ClientState.CLOSED;
  }

  @Override
  public Restriction restriction() {
    return sasl.exchange().isActive() ? Restriction.EXCLUSIVE : authorization.restriction();
  }

  @Override
  public void restrict(Restriction stronger) {
    authorization.restrict(stronger);
  }

  @Override
  public Doubt doubt() {
    return authorization.doubt();
  }

  @Override
  public Object key() {
    return key;
  }

  @Override
  public void onReset(Runnable action) {
    authorization.onReset(action);
  }

  @Override
  public boolean admitLongLived(Operation operation) {
    return operations.markLongLived(operation, config.limits().longLivedSearches());
  }

  @Override
  public boolean reserve(int octets) {
    return outbound.reserve(octets);
  }

  @Override
  public void giveBack(int octets) {
    outbound.giveBack(octets);
  }

  @Override
  public void notify(LdapMessage unsolicited) {
    boolean last = NoticeOfDisconnection.isNotice(unsolicited);
    if (isOpen()) {
      config.counters().events().increment(ClientEvent.OTHER_SENT);
      writer.write(NoticeOfDisconnection.UNSOLICITED_ID, unsolicited);
    } else {
      unsolicited.release();
    }
    if (last) {
      close();
    }
  }
}
