// SPDX-License-Identifier: Apache-2.0
package io.stoa.upstream.connect;

import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.handler.ssl.SslHandler;
import io.netty.handler.ssl.SslHandshakeCompletionEvent;
import io.stoa.ldap.protocol.Envelope;
import io.stoa.ldap.protocol.LdapMessage;
import io.stoa.net.codec.HandlerNames;
import io.stoa.net.codec.LdapFrameDecoder;
import io.stoa.net.tls.TlsContext;
import io.stoa.net.transport.DescribedException;
import io.stoa.upstream.server.ServerAddress;
import java.time.Duration;

/**
 * Starts TLS on a new connection: sends StartTLS if the server listens in cleartext, then performs
 * the handshake. Until then it is the last handler of the pipeline, and any other message ends the
 * connection.
 *
 * <p>Threading: event loop.
 */
final class TlsHandshake extends ChannelInboundHandlerAdapter {
  private final ServerAddress server;
  private final TlsContext tls;
  private final Duration timeout;
  private final Channel channel;
  private final ConnectStep step;
  private String phase = "StartTLS";
  private boolean handshaking;

  /**
   * Starts the time-out.
   *
   * @param timeout time-out of StartTLS and the handshake together
   */
  TlsHandshake(
      ServerAddress server,
      TlsContext tls,
      Duration timeout,
      Channel channel,
      Dialer.DialListener outcome) {
    this.server = server;
    this.tls = tls;
    this.timeout = timeout;
    this.channel = channel;
    this.step = new ConnectStep(channel, outcome);
    step.startTimeout(timeout.toNanos(), this::timeoutMessage);
  }

  /** Sends StartTLS, or starts the handshake at once. */
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
    phase = "the TLS handshake";
    handshaking = true;
    SslHandler handler = tls.connect(channel.alloc(), server.host(), server.port());
    channel.pipeline().addFirst(new UpstreamTlsFailure(server)).addFirst(HandlerNames.TLS, handler);
  }

  /** Accepts only the response to StartTLS, with nothing behind it (RFC 4511, section 4.14.2). */
  @Override
  public void channelRead(ChannelHandlerContext ctx, Object received) {
    LdapMessage message = (LdapMessage) received;
    try {
      if (step.isEnded()) {
        return;
      }
      String refusal =
          handshaking ? "server sent LDAP before TLS" : StartTlsAnswer.refusal(message);
      if (!refusal.isEmpty()) {
        step.fail(new DescribedException(refusal));
      } else if (frames().isMidFrame()) {
        step.fail(new DescribedException("server sent data between its StartTLS response and TLS"));
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
        step.succeed(this);
      } else {
        step.fail(UpstreamTlsFailure.explain(server, handshake.cause()));
      }
    } else {
      ctx.fireUserEventTriggered(event);
    }
  }

  private String timeoutMessage() {
    return "no response to " + phase + " within " + timeout.toMillis() + " ms";
  }

  @Override
  public void channelInactive(ChannelHandlerContext ctx) {
    step.fail(new DescribedException("connection closed during " + phase));
  }

  @Override
  public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
    step.fail(ConnectPhaseHandler.asServerFault(cause));
  }
}
