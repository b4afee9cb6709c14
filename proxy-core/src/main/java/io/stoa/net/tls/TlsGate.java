// SPDX-License-Identifier: Apache-2.0
package io.stoa.net.tls;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.handler.ssl.SslHandshakeCompletionEvent;
import javax.net.ssl.SSLException;

/**
 * Guards the TLS handler until the first octet has arrived, which must be that of a handshake
 * record. LDAP in clear, where TLS is expected, may hold a password. Netty's handler would put it
 * into the message of its exception; the gate zeroes it.
 *
 * <p>Threading: event loop.
 */
public final class TlsGate extends ChannelInboundHandlerAdapter {
  /** Content type of a handshake record (RFC 8446, section 5.1). */
  private static final int HANDSHAKE_RECORD = 22;

  private boolean shut;

  /**
   * The first octet is not TLS. Has no stack trace.
   *
   * <p>Threading: immutable.
   */
  public static final class NotTlsException extends SSLException {
    private static final long serialVersionUID = 1L;

    private NotTlsException() {
      super("not TLS");
    }

    @Override
    public synchronized Throwable fillInStackTrace() {
      return this;
    }
  }

  @Override
  public void channelRead(ChannelHandlerContext ctx, Object message) {
    ByteBuf octets = (ByteBuf) message;
    if (!octets.isReadable()) {
      octets.release();
    } else if (!shut && octets.getByte(octets.readerIndex()) == HANDSHAKE_RECORD) {
      ctx.fireChannelRead(octets);
      ctx.pipeline().remove(this);
    } else {
      octets.setZero(octets.readerIndex(), octets.readableBytes());
      octets.release();
      shut(ctx);
    }
  }

  private void shut(ChannelHandlerContext ctx) {
    if (!shut) {
      shut = true;
      ctx.fireUserEventTriggered(new SslHandshakeCompletionEvent(new NotTlsException()));
    }
  }
}
