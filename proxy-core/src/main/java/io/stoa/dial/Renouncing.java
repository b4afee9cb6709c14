// SPDX-License-Identifier: Apache-2.0
package io.stoa.dial;

import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.util.concurrent.Future;
import io.stoa.codec.HandlerNames;
import io.stoa.ldap.BerReader;
import io.stoa.ldap.BerWriter;
import io.stoa.ldap.Envelope;
import io.stoa.ldap.LdapMessage;
import io.stoa.ldap.OpType;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.TimeUnit;

/**
 * Makes a connection on which Stoa has shown its certificate one of nobody: Active Directory takes
 * it for bound already, as the account of the certificate (MS-ADTS, section 5.1.1.2), and requests
 * of anonymous clients would be done as that. An anonymous bind ends this, whether or not the
 * server agrees to it (RFC 4511, section 4.2.1). Event-loop confined.
 */
final class Renouncing extends ChannelInboundHandlerAdapter implements Dialer.Outcome {
  private static final int MESSAGE_ID = 1;
  private static final int VERSION = 3;
  private static final int SIMPLE = 0x80;
  private static final byte[] ANONYMOUS_BIND = anonymousBind();

  private final String closed;
  private final Channel channel;
  private final Dialer.Outcome outcome;
  private final Future<?> deadline;
  private boolean ended;

  /**
   * Begins to wait.
   *
   * @param closed what it means if the server closes the connection instead of answering
   * @param patience how long TLS and the bind may take
   */
  Renouncing(String closed, Duration patience, Channel channel, Dialer.Outcome outcome) {
    this.closed = closed;
    this.channel = channel;
    this.outcome = outcome;
    String late = "it did not answer an anonymous bind within " + patience.toMillis() + " ms";
    this.deadline =
        channel
            .eventLoop()
            .schedule(
                () -> fail(new IOException(late)), patience.toMillis(), TimeUnit.MILLISECONDS);
  }

  private static byte[] anonymousBind() {
    BerWriter request = new BerWriter();
    int op = request.begin(OpType.BIND_REQUEST.tag());
    request.integer(BerReader.INTEGER, VERSION);
    request.octets(BerReader.OCTET_STRING, new byte[0]).octets(SIMPLE, new byte[0]);
    return request.end(op).toByteArray();
  }

  @Override
  public void connected(Channel secured) {
    channel.pipeline().addLast(HandlerNames.CONNECTION, this);
    ByteBuf request = channel.alloc().directBuffer();
    Envelope.write(request, MESSAGE_ID, ANONYMOUS_BIND);
    channel.writeAndFlush(request);
  }

  @Override
  public void failed(Throwable cause) {
    fail(cause);
  }

  @Override
  public void channelRead(ChannelHandlerContext ctx, Object received) {
    LdapMessage message = (LdapMessage) received;
    boolean answer = message.type() == OpType.BIND_RESPONSE && message.messageId() == MESSAGE_ID;
    message.release();
    if (!answer) {
      fail(new IOException("its answer to an anonymous bind is none"));
    } else if (end()) {
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

  @Override
  public void channelInactive(ChannelHandlerContext ctx) {
    fail(new IOException(closed));
  }

  @Override
  public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
    fail(cause);
  }
}
