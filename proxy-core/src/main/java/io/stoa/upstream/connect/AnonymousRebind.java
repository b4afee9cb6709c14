// SPDX-License-Identifier: Apache-2.0
package io.stoa.upstream.connect;

import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.stoa.ldap.protocol.BerReader;
import io.stoa.ldap.protocol.BerWriter;
import io.stoa.ldap.protocol.Envelope;
import io.stoa.ldap.protocol.LdapMessage;
import io.stoa.ldap.protocol.LdapProtocolException;
import io.stoa.ldap.protocol.LdapResult;
import io.stoa.ldap.protocol.Oids;
import io.stoa.ldap.protocol.OpType;
import io.stoa.net.codec.HandlerNames;
import io.stoa.net.transport.DescribedException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;

/**
 * Makes a connection anonymous on which Stoa has shown its certificate. Active Directory treats
 * such a connection as already bound, as the account of the certificate (MS-ADTS, section 5.1.1.2).
 * Requests of anonymous clients would run as that account.
 *
 * <ol>
 *   <li>Stoa sends an anonymous bind. The connection is anonymous then, whether or not the server
 *       accepts the bind (RFC 4511, section 4.2.1).
 *   <li>Stoa sends Who Am I (RFC 4532). A server that still reports an identity is not used. For
 *       instance, 389-ds can be configured to treat each simple bind as EXTERNAL where a
 *       certificate was shown: each client would be Stoa, whatever its password.
 * </ol>
 *
 * <p>Threading: event loop.
 */
final class AnonymousRebind extends ChannelInboundHandlerAdapter implements Dialer.DialListener {
  private static final int BIND_ID = 1;
  private static final int QUESTION_ID = 2;
  private static final int VERSION = 3;
  private static final int SIMPLE = 0x80;
  private static final int REQUEST_NAME = 0x80;
  private static final String DN_FORM = "dn:";
  private static final String STILL_IDENTIFIED =
      "server treats an anonymous bind as the account of Stoa's certificate, and "
          + "would treat clients' binds alike; disable that (389-ds: "
          + "nsslapd-force-sasl-external), or do not set upstream.tls.certificate";

  private static final byte[] ANONYMOUS_BIND = anonymousBind();
  private static final byte[] QUESTION = whoAmI();

  private final String closed;
  private final Channel channel;
  private final Duration timeout;
  private final long began = System.nanoTime();
  private final ConnectStep step;
  private boolean bound;

  /**
   * Creates the step.
   *
   * @param closed error message if the server closes the connection instead of responding
   * @param timeout time-out of TLS and the bind together
   */
  AnonymousRebind(String closed, Duration timeout, Channel channel, Dialer.DialListener outcome) {
    this.closed = closed;
    this.channel = channel;
    this.timeout = timeout;
    this.step = new ConnectStep(channel, outcome);
  }

  private static byte[] anonymousBind() {
    BerWriter request = new BerWriter();
    int op = request.begin(OpType.BIND_REQUEST.tag());
    request.integer(BerReader.INTEGER, VERSION);
    request.octets(BerReader.OCTET_STRING, new byte[0]).octets(SIMPLE, new byte[0]);
    return request.end(op).toByteArray();
  }

  private static byte[] whoAmI() {
    BerWriter request = new BerWriter();
    int op = request.begin(OpType.EXTENDED_REQUEST.tag());
    request.octets(REQUEST_NAME, Oids.WHO_AM_I.getBytes(StandardCharsets.US_ASCII));
    return request.end(op).toByteArray();
  }

  @Override
  public void onConnected(Channel secured) {
    channel.pipeline().addLast(HandlerNames.CONNECTION, this);
    step.startTimeout(timeout.toNanos() - (System.nanoTime() - began), this::timeoutMessage);
    send(BIND_ID, ANONYMOUS_BIND);
  }

  private void send(int messageId, byte[] op) {
    ByteBuf request = channel.alloc().directBuffer();
    Envelope.write(request, messageId, op);
    channel.writeAndFlush(request);
  }

  @Override
  public void onFailed(Throwable cause) {
    step.fail(cause);
  }

  @Override
  public void channelRead(ChannelHandlerContext ctx, Object received) {
    LdapMessage message = (LdapMessage) received;
    try {
      onReceived(message);
    } finally {
      message.release();
    }
  }

  private void onReceived(LdapMessage message) {
    if (!isExpected(message)) {
      step.fail(new DescribedException("unexpected response to the anonymous bind"));
    } else if (!bound) {
      bound = true;
      send(QUESTION_ID, QUESTION);
    } else if (namesIdentity(message.body())) {
      step.fail(new DescribedException(STILL_IDENTIFIED));
    } else {
      step.succeed(this);
    }
  }

  private boolean isExpected(LdapMessage message) {
    return bound
        ? message.type() == OpType.EXTENDED_RESPONSE && message.messageId() == QUESTION_ID
        : message.type() == OpType.BIND_RESPONSE && message.messageId() == BIND_ID;
  }

  /** True if the response names an identity. A server that does not support Who Am I names none. */
  private static boolean namesIdentity(ByteBuf answer) {
    try {
      byte[] authzId = LdapResult.responseValue(answer);
      return authzId != null && namesIdentity(authzId);
    } catch (LdapProtocolException e) {
      return true;
    }
  }

  private static boolean namesIdentity(byte[] authzId) {
    String text = new String(authzId, StandardCharsets.UTF_8).strip();
    return !text.isEmpty() && !text.equals(DN_FORM);
  }

  private String timeoutMessage() {
    return "anonymous bind and Who Am I timed out after " + timeout.toMillis() + " ms";
  }

  @Override
  public void channelInactive(ChannelHandlerContext ctx) {
    step.fail(new DescribedException(closed));
  }

  @Override
  public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
    step.fail(ConnectPhaseHandler.asServerFault(cause));
  }
}
