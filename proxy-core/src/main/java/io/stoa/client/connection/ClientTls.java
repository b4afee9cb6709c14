// SPDX-License-Identifier: Apache-2.0
package io.stoa.client.connection;

import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.handler.ssl.SslCloseCompletionEvent;
import io.netty.handler.ssl.SslHandler;
import io.netty.handler.ssl.SslHandshakeCompletionEvent;
import io.netty.handler.ssl.SslHandshakeTimeoutException;
import io.netty.util.NetUtil;
import io.stoa.client.listener.ClientOrigin;
import io.stoa.client.listener.Listener;
import io.stoa.client.listener.ListenerConfig.Protocol;
import io.stoa.ldap.protocol.BerReader;
import io.stoa.ldap.protocol.BerWriter;
import io.stoa.ldap.protocol.EncodedResponse;
import io.stoa.ldap.protocol.Oids;
import io.stoa.ldap.protocol.OpType;
import io.stoa.ldap.protocol.RequestOp.ExtendedOp;
import io.stoa.net.codec.HandlerNames;
import io.stoa.net.peer.ClientTlsFailure;
import io.stoa.net.peer.LocalUser;
import io.stoa.net.peer.Peer;
import io.stoa.net.peer.SubjectName;
import io.stoa.net.peer.TlsStart;
import io.stoa.net.tls.TlsContext;
import io.stoa.net.tls.TlsGate;
import io.stoa.net.transport.FailureText;
import io.stoa.operation.Operation;
import io.stoa.operation.Rejection;
import java.net.InetSocketAddress;
import java.nio.channels.ClosedChannelException;
import java.nio.charset.StandardCharsets;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.util.Locale;
import java.util.Objects;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLPeerUnverifiedException;
import javax.net.ssl.SSLSession;
import org.jspecify.annotations.Nullable;

/**
 * TLS of one client connection, from its first octet or from a StartTLS on (RFC 4511, section
 * 4.14).
 *
 * <p>Threading: event loop.
 */
final class ClientTls extends ChannelInboundHandlerAdapter {
  /** Tag of the responseName, [10]. Its value is the OID of the request. */
  private static final int RESPONSE_NAME = 0x8a;

  private static final EncodedResponse ACCEPTED = accepted();

  private final ClientConnection client;
  private final Listener listener;
  private final Duration timeout;
  private final ClientOrigin origin;
  private boolean begun;
  private Peer peer;

  ClientTls(ClientConnection client, Listener listener, Duration timeout) {
    this.client = client;
    this.listener = listener;
    this.timeout = timeout;
    this.origin = new ClientOrigin(client.channel());
    this.peer = peer(null, null, origin.user());
  }

  private Peer peer(
      @Nullable String tlsVersion, @Nullable String subject, @Nullable LocalUser user) {
    return new Peer(origin.endpoint(), tlsVersion, subject, user, listener.listener().toString());
  }

  private static EncodedResponse accepted() {
    BerWriter response = new BerWriter();
    int op = response.begin(OpType.EXTENDED_RESPONSE.tag());
    response.octets(BerReader.ENUMERATED, new byte[1]);
    response.octets(BerReader.OCTET_STRING, new byte[0]);
    response.octets(BerReader.OCTET_STRING, new byte[0]);
    response.octets(RESPONSE_NAME, Oids.START_TLS.getBytes(StandardCharsets.US_ASCII));
    return new EncodedResponse(response.end(op).toByteArray());
  }

  /** Returns the URL of the listener that accepted the client. */
  String listener() {
    String scheme = listener.kind().name().toLowerCase(Locale.ROOT) + "://";
    return client.channel().localAddress() instanceof InetSocketAddress local
        ? scheme + NetUtil.toSocketAddressString(local)
        : scheme;
  }

  /** Returns the client's address or local user. */
  ClientOrigin origin() {
    return origin;
  }

  /** Sets the client's address from a load balancer's PROXY header. */
  void setForwarded(InetSocketAddress address) {
    origin.setForwarded(address);
    peer = peer(null, null, null);
    client.announce();
  }

  /** Returns the facts that the connection proves about the client. */
  Peer peer() {
    return peer;
  }

  /** True if a password may be accepted from the client. */
  boolean isConfidential() {
    return peer.tls() || listener.isLocal() || !listener.requireTls();
  }

  /** True if StartTLS is possible on the connection. */
  boolean mayStart() {
    return !begun && listener.tls() != null && listener.kind() == Protocol.LDAP;
  }

  /** Accepts only TLS, from the next octet on. */
  void begin() {
    begun = true;
    Channel channel = client.channel();
    TlsContext context = Objects.requireNonNull(listener.tls());
    SslHandler handler = context.accept(channel.alloc(), timeout);
    channel.pipeline().addFirst(HandlerNames.TLS, handler).addFirst(new TlsGate());
  }

  /**
   * Answers a StartTLS request, and begins TLS if it is allowed. Octets that the client has sent
   * after the request are discarded: they were unprotected, and may come from an attacker.
   */
  void start(Operation operation, ExtendedOp request) {
    Rejection refusal = refusal(request);
    if (refusal != null) {
      operation.sink().reject(refusal);
      return;
    }
    client.onStartTls();
    operation.sink().complete(ACCEPTED);
    client.writer().flush();
    begin();
  }

  /**
   * True if an operation is outstanding. The rest of an abandoned large response counts, since it
   * would be sent unprotected.
   */
  private boolean hasOutstanding() {
    return client.operations().size() > 1
        || client.sasl().exchange().isActive()
        || client.writer().isMidMessage();
  }

  /** Returns why StartTLS is refused, or null. The checks have the order of slapd. */
  private @Nullable Rejection refusal(ExtendedOp request) {
    if (request.valueLength() >= 0) {
      return Rejection.VALUE_UNEXPECTED;
    }
    if (begun) {
      return Rejection.TLS_STARTED;
    }
    if (!mayStart()) {
      return Rejection.START_TLS_UNSUPPORTED;
    }
    return hasOutstanding() ? Rejection.START_TLS_OUTSTANDING : null;
  }

  @Override
  public void userEventTriggered(ChannelHandlerContext ctx, Object event) {
    if (event instanceof SslHandshakeCompletionEvent handshake && client.isOpen()) {
      onHandshakeEnd(handshake);
    } else if (event instanceof SslCloseCompletionEvent) {
      client.close(); // nothing can follow without TLS
    }
  }

  /** Ends the connection on a TLS error. A failed handshake has already been reported. */
  @Override
  public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
    if (cause.getCause() instanceof SSLException) {
      client.close();
    } else {
      ctx.fireExceptionCaught(cause);
    }
  }

  private void onHandshakeEnd(SslHandshakeCompletionEvent handshake) {
    if (handshake.isSuccess()) {
      SSLSession session = client.channel().pipeline().get(SslHandler.class).engine().getSession();
      peer = peer(session.getProtocol(), subjectOf(session), null);
      client.counters().handshakes().increment(start());
      client.onTlsEstablished(peer);
    } else {
      onHandshakeFailure(handshake.cause());
    }
  }

  private TlsStart start() {
    return listener.kind() == Protocol.LDAPS ? TlsStart.LDAPS : TlsStart.STARTTLS;
  }

  private static @Nullable String subjectOf(SSLSession session) {
    try {
      return session.getPeerCertificates()[0] instanceof X509Certificate certificate
          ? SubjectName.of(certificate.getSubjectX500Principal())
          : null;
    } catch (SSLPeerUnverifiedException ignored) {
      return null;
    }
  }

  private void onHandshakeFailure(Throwable cause) {
    ClientTlsFailure failure = failure(cause);
    client.counters().tlsFailures().increment(failure);
    if (failure != ClientTlsFailure.CLOSED) {
      RefusalLog.logDisconnect(client, "TLS_" + failure, reason(failure, cause));
    }
    // Closes in a task, after the TLS alert to the client has been sent.
    client.executor().execute(client::close);
  }

  private static ClientTlsFailure failure(Throwable cause) {
    if (cause instanceof TlsGate.NotTlsException) {
      return ClientTlsFailure.NOT_TLS;
    }
    if (cause instanceof SslHandshakeTimeoutException) {
      return ClientTlsFailure.TIMEOUT;
    }
    return cause instanceof ClosedChannelException
        ? ClientTlsFailure.CLOSED
        : ClientTlsFailure.REFUSED;
  }

  /** Returns the text for logs. */
  private static String reason(ClientTlsFailure failure, Throwable cause) {
    return failure == ClientTlsFailure.REFUSED ? FailureText.of(cause) : "the handshake failed";
  }
}
