// SPDX-License-Identifier: Apache-2.0
package io.stoa.dial;

import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.handler.ssl.SslHandler;
import io.netty.handler.ssl.SslHandshakeCompletionEvent;
import io.netty.util.concurrent.Future;
import io.stoa.backend.ServerAddress;
import io.stoa.codec.HandlerNames;
import io.stoa.codec.LdapFrameDecoder;
import io.stoa.codec.TlsContext;
import io.stoa.ldap.Envelope;
import io.stoa.ldap.LdapMessage;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.TimeUnit;

/**
 * Brings a fresh connection into TLS: asks the server to begin it if the server listens in plain,
 * then shakes hands. It is the last of the pipeline until then, and whatever arrives before is a
 * reason to end the connection. Event-loop confined.
 */
final class Securing extends ChannelInboundHandlerAdapter {
  private final ServerAddress server;
  private final TlsContext tls;
  private final Duration patience;
  private final Dialer.Outcome outcome;
  private final Channel channel;
  private final Future<?> deadline;
  private String step = "StartTLS";
  private boolean handshaking;
  private boolean ended;

  /**
   * Begins to wait.
   *
   * @param patience how long all of it may take
   */
  Securing(
      ServerAddress server,
      TlsContext tls,
      Duration patience,
      Channel channel,
      Dialer.Outcome outcome) {
    this.server = server;
    this.tls = tls;
    this.patience = patience;
    this.channel = channel;
    this.outcome = outcome;
    this.deadline =
        channel.eventLoop().schedule(this::late, patience.toMillis(), TimeUnit.MILLISECONDS);
  }

  /** Asks the server to begin TLS, or begins with it at once. */
  void begin(boolean ask) {
    channel.pipeline().addLast(HandlerNames.CONNECTION, this);
    if (ask) {
      ByteBuf request = channel.alloc().directBuffer();
      Envelope.write(request, StartTlsAnswer.MESSAGE_ID, StartTlsAnswer.request());
      channel.writeAndFlush(request);
    } else {
      shakeHands();
    }
  }

  private LdapFrameDecoder frames() {
    return channel.pipeline().get(LdapFrameDecoder.class);
  }

  private void shakeHands() {
    step = "the TLS handshake";
    handshaking = true;
    SslHandler handler = tls.connect(channel.alloc(), server.host(), server.port(), patience);
    channel.pipeline().addFirst(new TlsFailure(server)).addFirst(HandlerNames.TLS, handler);
  }

  /** Nothing but the answer to StartTLS may come, and nothing behind it (RFC 4511, 4.14.2). */
  @Override
  public void channelRead(ChannelHandlerContext ctx, Object received) {
    LdapMessage message = (LdapMessage) received;
    try {
      if (ended) {
        return;
      }
      String refusal = handshaking ? "sent LDAP before TLS" : StartTlsAnswer.refusal(message);
      if (!refusal.isEmpty()) {
        fail(new IOException(refusal));
      } else if (frames().isMidFrame()) {
        fail(new IOException("it sent something behind its answer to StartTLS, before TLS"));
      } else {
        shakeHands();
      }
    } finally {
      message.release();
    }
  }

  @Override
  public void userEventTriggered(ChannelHandlerContext ctx, Object event) {
    if (event instanceof SslHandshakeCompletionEvent handshake) {
      if (handshake.isSuccess()) {
        succeed();
      } else {
        fail(TlsFailure.explain(server, handshake.cause()));
      }
    } else {
      ctx.fireUserEventTriggered(event);
    }
  }

  private void succeed() {
    if (end()) {
      channel.pipeline().remove(this);
      outcome.connected(channel);
    }
  }

  private void fail(Throwable cause) {
    if (end()) {
      channel.close();
      outcome.failed(cause);
    }
  }

  /** Whether this is the first end. */
  private boolean end() {
    boolean first = !ended;
    ended = true;
    deadline.cancel(false);
    return first;
  }

  private void late() {
    fail(new IOException("it did not answer " + step + " within " + patience.toMillis() + " ms"));
  }

  @Override
  public void channelInactive(ChannelHandlerContext ctx) {
    fail(new IOException("it closed the connection during " + step));
  }

  @Override
  public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
    fail(Connecting.ofServer(cause));
  }
}
