// SPDX-License-Identifier: Apache-2.0
package io.stoa.upstream.connect;

import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.handler.codec.DecoderException;
import io.netty.handler.ssl.NotSslRecordException;
import io.stoa.upstream.server.ServerAddress;
import java.io.IOException;
import java.nio.channels.ClosedChannelException;
import java.security.cert.CertPathValidatorException;
import java.security.cert.CertificateException;
import java.security.cert.CertificateExpiredException;
import java.util.Locale;
import javax.net.ssl.SSLException;
import org.jspecify.annotations.Nullable;

/**
 * Says of an error of TLS what went wrong and what can be done about it, in one line, wherever on a
 * connection it occurs: a server refuses a client's certificate only after the handshake.
 * Event-loop confined.
 */
final class UpstreamTlsFailure extends ChannelInboundHandlerAdapter {
  /** Many servers only close the connection of a client that shows none. */
  private static final String CLIENT_CERTIFICATE =
      "; if it wants a client certificate, set upstream.tls.certificate and upstream.tls.key";

  private final ServerAddress server;

  UpstreamTlsFailure(ServerAddress server) {
    this.server = server;
  }

  @Override
  public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
    boolean ofTls = cause instanceof DecoderException && find(cause, SSLException.class) != null;
    ctx.fireExceptionCaught(ofTls ? explain(server, cause) : cause);
  }

  /** What can be done about a server that closes a connection instead of answering. */
  static String remedyForClosing(UpstreamTransport transport, ServerAddress server) {
    return transport.encrypts(server) && transport.tls().certificate() == null
        ? CLIENT_CERTIFICATE
        : "";
  }

  /** The error in words; its message is one line. */
  static IOException explain(ServerAddress server, Throwable cause) {
    return new IOException(text(server, cause).replaceAll("\\s+", " "), cause);
  }

  private static String text(ServerAddress server, Throwable cause) {
    if (find(cause, NotSslRecordException.class) != null) {
      return "it does not speak TLS there; check the port, or use ldap:// with upstream.startTls";
    }
    CertificateException certificate = find(cause, CertificateException.class);
    if (certificate != null || find(cause, CertPathValidatorException.class) != null) {
      return ofCertificate(server, cause);
    }
    if (find(cause, ClosedChannelException.class) != null) {
      return "it closed the connection during the TLS handshake" + CLIENT_CERTIFICATE;
    }
    String reason = String.valueOf(innermost(cause).getMessage());
    return aboutOurs(reason)
        ? "it does not accept Stoa's certificate ("
            + reason
            + "); set upstream.tls.certificate and"
            + " upstream.tls.key"
        : "TLS failed: " + reason + "; see upstream.tls.protocols and upstream.tls.ciphers";
  }

  private static String ofCertificate(ServerAddress server, Throwable cause) {
    String reason = String.valueOf(innermost(cause).getMessage());
    if (find(cause, CertificateExpiredException.class) != null) {
      return "its certificate has expired: " + reason;
    }
    if (find(cause, CertPathValidatorException.class) == null && aboutName(reason)) {
      return "its certificate is not for "
          + server.host()
          + ": "
          + reason
          + "; give the server by a name that its certificate bears, or set upstream.tls.verifyHost"
          + " to false";
    }
    return "its certificate is not trusted: " + reason + "; set upstream.tls.ca";
  }

  private static boolean aboutName(String reason) {
    return reason.startsWith("No subject alternative") || reason.startsWith("No name matching");
  }

  /**
   * What servers tell of a certificate that they do not like or do not get (RFC 8446, section 6).
   */
  private static boolean aboutOurs(String reason) {
    String folded = reason.toLowerCase(Locale.ROOT).replace('_', ' ');
    return (folded.contains("alert") && folded.contains("certificate"))
        || folded.contains("unknown ca");
  }

  private static <T extends Throwable> @Nullable T find(Throwable thrown, Class<T> type) {
    for (Throwable cause = thrown; cause != null; cause = cause.getCause()) {
      if (type.isInstance(cause)) {
        return type.cast(cause);
      }
    }
    return null;
  }

  private static Throwable innermost(Throwable thrown) {
    Throwable cause = thrown;
    while (cause.getCause() != null) {
      cause = cause.getCause();
    }
    return cause;
  }
}
