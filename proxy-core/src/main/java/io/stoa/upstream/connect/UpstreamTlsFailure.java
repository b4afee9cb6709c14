// SPDX-License-Identifier: Apache-2.0
package io.stoa.upstream.connect;

import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.handler.codec.DecoderException;
import io.netty.handler.ssl.NotSslRecordException;
import io.stoa.net.transport.DescribedException;
import io.stoa.net.transport.FailureText;
import io.stoa.upstream.server.ServerAddress;
import io.stoa.upstream.server.ServerAddress.Scheme;
import java.io.IOException;
import java.nio.channels.ClosedChannelException;
import java.security.cert.CertPathValidatorException;
import java.security.cert.CertificateException;
import javax.net.ssl.SSLException;
import org.jspecify.annotations.Nullable;

/**
 * Turns a TLS error into one line that says what went wrong and what to do. TLS 1.3 servers refuse
 * a client certificate only after the handshake, so the handler stays in the pipeline.
 *
 * <p>Threading: event loop.
 */
final class UpstreamTlsFailure extends ChannelInboundHandlerAdapter {
  /** Remedy for a missing client certificate. Many servers only close the connection then. */
  private static final String CLIENT_CERTIFICATE =
      "; if the server requires a client certificate, set "
          + "upstream.tls.certificate and upstream.tls.key";

  /** Remedy for a plain connection to a port for TLS. Many servers only close it. */
  private static final String TLS_PORT = "; if the port is for TLS, use ldaps://";

  private final ServerAddress server;

  UpstreamTlsFailure(ServerAddress server) {
    this.server = server;
  }

  @Override
  public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
    boolean ofTls = cause instanceof DecoderException && find(cause, SSLException.class) != null;
    ctx.fireExceptionCaught(ofTls ? explain(server, cause) : cause);
  }

  /** Returns the remedy for a server that closes a connection instead of responding. */
  static String remedyForClosing(UpstreamTransport transport, ServerAddress server) {
    if (server.scheme() == Scheme.LDAP && !transport.encrypts(server)) {
      return TLS_PORT;
    }
    return transport.encrypts(server) && transport.tls().certificate() == null
        ? CLIENT_CERTIFICATE
        : "";
  }

  /** Returns the error as text. */
  static IOException explain(ServerAddress server, Throwable cause) {
    return new DescribedException(text(server, cause), cause);
  }

  private static String text(ServerAddress server, Throwable cause) {
    if (find(cause, NotSslRecordException.class) != null) {
      return "no TLS on this port; check the port, or use ldap:// with upstream.startTls";
    }
    CertificateException certificate = find(cause, CertificateException.class);
    if (certificate != null || find(cause, CertPathValidatorException.class) != null) {
      return ofCertificate(server, cause);
    }
    if (find(cause, ClosedChannelException.class) != null) {
      return "connection closed during the TLS handshake; check the port" + CLIENT_CERTIFICATE;
    }
    String reason = FailureText.of(cause);
    return isAboutOurCertificate(reason)
        ? "server rejects Stoa's client certificate ("
            + reason
            + "); set upstream.tls.certificate and"
            + " upstream.tls.key"
        : "TLS failed: " + reason + "; see upstream.tls.protocols and upstream.tls.ciphers";
  }

  private static String ofCertificate(ServerAddress server, Throwable cause) {
    String reason = FailureText.of(cause);
    return switch (reason) {
      case FailureText.UNTRUSTED -> "server " + reason + "; set upstream.tls.ca";
      case FailureText.OTHER_HOST ->
          "server certificate does not match host name "
              + server.host()
              + "; configure the server by a name in its certificate, or set "
              + "upstream.tls.verifyHost to false";
      default -> "server " + reason; // for example "certificate expired at …"
    };
  }

  /**
   * True if the alert is about Stoa's certificate, or about a missing one (RFC 8446, section 6).
   */
  private static boolean isAboutOurCertificate(String reason) {
    return reason.startsWith(FailureText.ALERT)
        && (reason.contains("certificate") || reason.endsWith("unknown_ca"));
  }

  private static <T extends Throwable> @Nullable T find(Throwable thrown, Class<T> type) {
    for (Throwable cause = thrown; cause != null; cause = cause.getCause()) {
      if (type.isInstance(cause)) {
        return type.cast(cause);
      }
    }
    return null;
  }
}
