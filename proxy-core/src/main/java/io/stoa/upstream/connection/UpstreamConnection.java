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
import io.stoa.net.codec.LdapFrameDecoder;
import io.stoa.net.codec.MessageWriter;
import io.stoa.net.transport.DescribedException;
import io.stoa.net.transport.FailureText;
import io.stoa.operation.CancelValue;
import io.stoa.operation.Operation;
import io.stoa.operation.OperationState;
import io.stoa.operation.OperationTrace;
import io.stoa.operation.Rejection;
import io.stoa.upstream.connection.RequestWriter.OwnRequest;
import io.stoa.upstream.server.Backend;
import java.io.IOException;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One connection to a directory server. Operations are forwarded with the octets of their bodies
 * unchanged.
 *
 * <p>Threading: event loop.
 */
public final class UpstreamConnection extends ChannelInboundHandlerAdapter {
  private static final Logger LOG = LoggerFactory.getLogger(UpstreamConnection.class);

  private final Backend backend;
  private final Channel channel;
  private final LdapFrameDecoder frames;
  private final RequestWriter requestWriter;
  private final PendingOperations inFlight = new PendingOperations();
  private final Congestion congestion;
  private final ResponseReader responseReader;
  private final ResponseTimeout responseTimeout;
  private Owner owner;
  private ConnectionState state = ConnectionState.CONNECTING;

  private @Nullable OwnRequest ownRequest;
  private final ConnectionLifetime lifetime = new ConnectionLifetime(this, inFlight);
  private @Nullable IOException failure;
  private boolean endedByServer;
  private final boolean counted;

  /** True if the connection has become usable: bound, or not in need of a bind by Stoa. */
  private boolean usable;

  /**
   * Wraps a connected channel.
   *
   * @param watchdog checks the response time-outs; null for health-check connections, which do not
   *     count against the server's connection limit
   */
  UpstreamConnection(
      Backend backend,
      Channel channel,
      FlushQueue flushes,
      Owner owner,
      @Nullable Consumer<ResponseTimeout> watchdog) {
    this.counted = watchdog != null;
    this.backend = backend;
    this.channel = channel;
    this.frames = channel.pipeline().get(LdapFrameDecoder.class);
    this.requestWriter = new RequestWriter(new MessageWriter(channel, flushes));
    this.congestion = new Congestion(this, channel, inFlight);
    this.responseReader = new ResponseReader(this, inFlight, congestion);
    this.responseTimeout =
        new ResponseTimeout(this, inFlight, responseReader, congestion, watchdog);
    this.owner = owner;
  }

  /**
   * Uses an upstream connection and is notified of its events.
   *
   * <p>Threading: event loop.
   */
  public interface Owner {
    /** Called when an operation has ended, so that there may be room for another. */
    void onRoom(UpstreamConnection connection);

    /** Called when the connection has ended. */
    void onClosed(UpstreamConnection connection);

    /** Called when an operation that was sent will not be answered on the connection. */
    void onUnanswered(Operation operation);

    /**
     * Called when the server has refused an operation as busy or unavailable. The operation is no
     * longer in flight.
     *
     * @return true if the owner takes it back for a retry; else its sink receives the response
     */
    default boolean onRefused(Operation operation) {
      return false;
    }

    /**
     * Called when an operation that was sent is held up by a slow client and must be sent
     * elsewhere.
     */
    void onHeldUp(Operation operation);

    /** Called for a notification that answers no request. Takes ownership. */
    void onNotification(UpstreamConnection connection, LdapMessage notification);
  }

  // Sending

  /**
   * True if the connection takes another operation with at most {@code maxOutstanding} in flight.
   */
  public boolean hasRoom(int maxOutstanding) {
    return state == ConnectionState.READY
        && !congestion.isPaused()
        && channel.isWritable()
        && inFlight.occupiedPlaces() < maxOutstanding;
  }

  /**
   * True if an operation would wait behind responses of others that take long. A dedicated
   * connection is never slow in this sense: its client would wait anywhere.
   */
  public boolean isSlow() {
    return !inFlight.isDedicated() && (responseReader.isMidMessage() || inFlight.hasSlowClient());
  }

  /** Returns the number of operations sent and not answered. */
  public int outstanding() {
    return inFlight.size();
  }

  /** Forwards an operation. */
  public void send(Operation operation) {
    if (state != ConnectionState.READY) {
      throw new IllegalStateException("cannot send: the connection is " + state);
    }
    if (operation.isCancel() && !requestWriter.isService() && !inFlight.isDedicated()) {
      sendCancelOfUnknown(operation);
    } else if (!requestWriter.request(operation, accepted -> enter(accepted).messageId())) {
      operation.sink().reject(Rejection.AUTHORIZATION_DENIED);
    }
  }

  private PendingOperation enter(Operation operation) {
    PendingOperation pending = inFlight.add(this, operation);
    responseTimeout.onRequest();
    if (operation.type() == OpType.BIND_REQUEST) {
      moveTo(ConnectionState.BINDING);
      backend.onBindSent(counted);
    }
    pending.begin();
    OperationTrace trace = operation.trace();
    if (trace != null) {
      trace.onSent(pending.sending());
    }
    operation.countSending();
    operation.moveTo(OperationState.FORWARDED);
    operation.setCancellation(pending);
    return pending;
  }

  /**
   * Binds the connection for its owner. The callback receives the response; null if none arrives.
   */
  public void bind(
      ByteBuf bindRequest, long timeoutMillis, Consumer<@Nullable LdapMessage> outcome) {
    moveTo(ConnectionState.BINDING);
    backend.onBindSent(false);
    requestWriter.bind(PendingOperations.OWN_ID, bindRequest);
    await(timeoutMillis, outcome);
  }

  /** Sends a small search, so that the server does not close the connection as idle. */
  public void sendKeepAlive(long timeoutMillis) {
    sendOwn(OwnRequest.KEEP_ALIVE, timeoutMillis, answer -> {});
  }

  /** Sends a request of Stoa's own. The callback receives the response; null if none arrives. */
  void sendOwn(byte[] op, long timeoutMillis, Consumer<@Nullable LdapMessage> outcome) {
    requestWriter.writeOwn(PendingOperations.OWN_ID, op);
    await(timeoutMillis, outcome);
  }

  private void await(long timeoutMillis, Consumer<@Nullable LdapMessage> outcome) {
    ownRequest = new OwnRequest(channel.eventLoop(), timeoutMillis, this::close, outcome);
    responseTimeout.onOwnRequest();
  }

  /**
   * Gives up an operation that is not a change: abandons it at the server and frees its messageID.
   */
  void abandon(PendingOperation pending) {
    if (inFlight.contains(pending)) {
      requestWriter.writeOwn(inFlight.freshId(), pending.abandonRequest());
      inFlight.onAbandoned(pending);
      remove(pending);
      owner.onRoom(this);
    }
  }

  /** Sends a Cancel request for an operation. Returns false if it is not in flight here. */
  boolean cancel(PendingOperation target, Operation cancelRequest) {
    boolean isInFlight = inFlight.contains(target);
    if (isInFlight) {
      requestWriter.cancel(enter(cancelRequest), target.messageId());
    }
    return isInFlight;
  }

  /**
   * Sends a Cancel request for an operation that is not in flight, or for itself, so that the
   * server answers it. The client's messageID must not be sent: here it may be that of another
   * client's operation.
   */
  private void sendCancelOfUnknown(Operation cancelRequest) {
    PendingOperation pending = enter(cancelRequest);
    boolean itself = CancelValue.namesItself(cancelRequest);
    requestWriter.cancel(pending, itself ? pending.messageId() : inFlight.freshId());
  }

  // Receiving

  @Override
  public void channelRead(ChannelHandlerContext ctx, Object received) {
    long now = frames.receivedNanos();
    responseTimeout.onReceived(now);
    responseReader.receive(received, now);
  }

  /**
   * Called when the socket's buffer has drained or filled. If the server reads again, there is
   * room.
   */
  @Override
  public void channelWritabilityChanged(ChannelHandlerContext ctx) {
    if (channel.isWritable() && state != ConnectionState.CLOSED) {
      onRoom();
    }
  }

  /** Called when an operation has its final response, before its sink receives it. */
  void onAnswered(PendingOperation pending, int code, long now) {
    pending.reportResult(code, now); // while it still holds its place, which a refusal counts
    remove(pending);
    inFlight.onAnswered(pending);
    if (pending.operation().type() == OpType.BIND_REQUEST && state == ConnectionState.BINDING) {
      moveTo(ConnectionState.READY);
    }
  }

  /** Called when there may be room for more operations, or nothing is left to do. */
  void onRoom() {
    if (lifetime.isLeaving(state)) {
      drain();
    } else {
      owner.onRoom(this);
    }
  }

  /**
   * Called with the response to Stoa's own request; null if there will be none. Takes ownership.
   */
  void onOwnResponse(@Nullable LdapMessage answer) {
    OwnRequest request = ownRequest;
    ownRequest = null;
    responseTimeout.onOwnRequestEnded(answer != null);
    lifetime.onIdle();
    if (state == ConnectionState.BINDING) {
      markReady();
    }
    if (request != null) {
      request.onResponse(answer);
    } else if (answer != null) {
      answer.release();
    }
    if (lifetime.isLeaving(state)) {
      drain();
    }
  }

  /**
   * Gives an operation that can be restarted back to the owner, since a slow client holds it up.
   */
  void sendElsewhere(PendingOperation pending) {
    abandon(pending);
    owner.onHeldUp(pending.operation());
  }

  /** Called when reading resumes after a slow client has paused it. */
  void onReadResumed() {
    responseReader.onReadResumed(System.nanoTime());
    owner.onRoom(this);
  }

  // Closing

  /** Marks the connection as usable. */
  public void markReady() {
    moveTo(ConnectionState.READY);
    if (counted && !usable) {
      usable = true;
      backend.onConnectionUsable();
    }
  }

  /**
   * Called when the server announces that it will close the connection. Operations in flight may
   * still be answered. A bind is not waited for.
   */
  public void onServerLeaving() {
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
    if (hasNoWork() && ownRequest == null) {
      close();
    }
  }

  /**
   * Closes the connection after an invalid response.
   *
   * @param pending the operation to which the response was sent; null if none
   */
  void onInvalidResponse(@Nullable PendingOperation pending) {
    if (pending != null) {
      remove(pending);
      pending.operation().sink().reject(Rejection.UPSTREAM_BROKEN);
    }
    if (state != ConnectionState.CLOSED) {
      if (counted) {
        LOG.warn("upstream {} sent an invalid LDAP response; connection closed", backend.address());
      } else {
        failure = new DescribedException("invalid LDAP response"); // logged as the server goes down
      }
      close();
    }
  }

  /** Closes the connection. The owner is notified of each unanswered operation. */
  public void close() {
    if (state == ConnectionState.CLOSED) {
      return;
    }
    moveTo(ConnectionState.CLOSED);
    List<PendingOperation> unanswered = inFlight.close();
    List<PendingOperation> unsent = unanswered.stream().filter(PendingOperation::isUnsent).toList();
    unanswered.forEach(this::remove);
    backend.onConnectionClosed(unanswered.size(), counted ? unanswered.size() : 0);
    if (unsent.isEmpty()) {
      requestWriter.finish(inFlight.freshId(), channel.isActive());
    } // requests still in the buffer must not be sent now: they go to another connection
    channel.close();
    if (counted) {
      backend.release(usable);
    }
    unsent.forEach(exchange -> exchange.operation().uncountSending());
    responseReader.cutOff();
    owner.onClosed(this);
    unanswered.forEach(exchange -> owner.onUnanswered(exchange.operation()));
    onOwnResponse(null);
  }

  /**
   * True if a response is due and the server has sent nothing for {@code nanos}, or if the server
   * is down and silent.
   */
  public boolean isSilent(long now, long nanos) {
    return responseTimeout.isSilent(now, nanos) || responseTimeout.isServerDead(now);
  }

  /** Hands unanswered reads and binds to another server, since this one may not respond. */
  public void handOver() {
    if (state == ConnectionState.BINDING) {
      close(); // its identity is uncertain, so no one else may use the connection
    } else {
      responseTimeout.handOver(operation -> owner.onUnanswered(operation));
    }
  }

  /** Gives up operations that have had no response for longer than {@code maxNanos}. */
  public void giveUpOverdue(long now, long maxNanos) {
    if (inFlight.expire(now)) {
      owner.onRoom(this);
    }
    responseTimeout.expire(now, maxNanos);
  }

  @Override
  public void channelInactive(ChannelHandlerContext ctx) {
    endedByServer = state != ConnectionState.CLOSED;
    reportLost();
    close();
  }

  @Override
  public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
    if (cause instanceof LdapProtocolException) {
      onInvalidResponse(null);
    }
    failure = failureOfPeer(cause);
    if (failure != null) {
      reportLost();
    }
    close();
  }

  /**
   * Returns the cause if it is a network or TLS failure; else null. A failure of Stoa itself is
   * logged.
   */
  private @Nullable IOException failureOfPeer(Throwable cause) {
    if (cause instanceof IOException ofPeer) {
      return ofPeer;
    }
    if (cause instanceof OutOfMemoryError) {
      LOG.warn(
          "connection to upstream {} closed: out of memory: {}",
          backend.address(),
          FailureText.of(cause));
    } else if (!(cause instanceof LdapProtocolException)) { // which is reported already
      LOG.error("connection to upstream {} closed: internal error", backend.address(), cause);
    }
    return null;
  }

  private void reportLost() {
    if (counted) {
      lifetime.onEndedByServer();
    }
  }

  private void remove(PendingOperation pending) {
    inFlight.remove(pending);
    pending.operation().setCancellation(null);
    pending.end();
    if (hasNoWork()) {
      lifetime.onIdle();
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
  public boolean isEndedByServer() {
    return endedByServer || failure != null;
  }

  /** Returns the writer of requests. */
  public RequestWriter requestWriter() {
    return requestWriter;
  }

  /** Returns the owner. */
  public Owner owner() {
    return owner;
  }

  /** Returns age, number and status of the connection. */
  public ConnectionLifetime lifetime() {
    return lifetime;
  }

  ConnectionState state() {
    return state;
  }

  /** False for a health-check connection: it does not count in the server's load and statistics. */
  boolean isCounted() {
    return counted;
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
  public void setOwner(Owner next) {
    owner = next;
  }

  /** Dedicates the connection to one client. From now on it keeps that client's messageIDs. */
  public void makeExclusive() {
    inFlight.makeDedicated();
  }

  /** Returns the network or TLS failure that ended the connection; null if there was none. */
  @Nullable IOException failure() {
    return failure;
  }

  /** True if the connection has ended. */
  public boolean isClosed() {
    return state == ConnectionState.CLOSED;
  }

  /** True if the connection closes as soon as it has nothing to do. */
  public boolean isDraining() {
    return state == ConnectionState.DRAINING;
  }

  /** True if the connection is usable and has nothing to do. */
  public boolean isIdle() {
    return state == ConnectionState.READY && hasNoWork() && ownRequest == null;
  }

  private boolean hasNoWork() {
    return inFlight.isEmpty() && !responseReader.isMidMessage();
  }

  /**
   * True if the connection is due for replacement.
   *
   * @param maxAgeNanos maximum age in ns
   */
  public boolean isDueForRenewal(long now, long maxAgeNanos) {
    return state == ConnectionState.READY && lifetime.isDueForRenewal(now, maxAgeNanos);
  }

  /** Returns since when the connection has been idle, as {@link System#nanoTime}. */
  public long idleSince() {
    return lifetime.idleSince();
  }
}
