// SPDX-License-Identifier: Apache-2.0
package io.stoa.upstream.connect;

import static io.stoa.net.transport.InvalidConfigException.requireAtLeast;
import static io.stoa.net.transport.InvalidConfigException.requireNotNegative;

import io.stoa.net.tls.TlsConfig;
import io.stoa.upstream.server.ServerAddress;
import io.stoa.upstream.server.ServerAddress.Scheme;
import java.time.Duration;

/**
 * Protection and lifetime of connections to the directory servers.
 *
 * <p>Threading: immutable.
 *
 * @param startTls true to start TLS on connections to {@code ldap://} servers before any other
 *     request (RFC 4511, section 4.14)
 * @param tls Stoa's certificate and the trusted authorities
 * @param verifyHost true if a server's certificate must match the host name in the configuration
 * @param allowPlain true if secrets that clients sent by TLS may go to a remote server in cleartext
 * @param proxyProtocol true to begin TCP connections with a PROXY protocol header
 * @param sessionTracking true to add a session tracking control to client requests
 * @param idleTimeout idle time after which a connection is closed, or kept alive if it cannot be
 *     made again; 0 disables this
 * @param maxAge age at which a connection is renewed; 0 disables this
 * @param maxConnecting maximum number of connections to one server being opened at once
 */
public record UpstreamTransport(
    boolean startTls,
    TlsConfig tls,
    boolean verifyHost,
    boolean allowPlain,
    boolean proxyProtocol,
    boolean sessionTracking,
    Duration idleTimeout,
    Duration maxAge,
    int maxConnecting) {
  /** Defaults: no StartTLS; the Java runtime must trust the server's certificate for its name. */
  public static final UpstreamTransport DEFAULTS =
      new UpstreamTransport(
          false,
          TlsConfig.DEFAULTS,
          true,
          false,
          false,
          false,
          Duration.ofMinutes(10),
          Duration.ZERO,
          32);

  public UpstreamTransport {
    requireNotNegative("idleTimeout", idleTimeout);
    requireNotNegative("maxConnectionAge", maxAge);
    requireAtLeast("maxConnecting", maxConnecting, 1);
  }

  /** Returns this configuration with those settings of {@code now} that can change at a reload. */
  public UpstreamTransport withReloadable(UpstreamTransport now) {
    return new UpstreamTransport(
        startTls,
        tls,
        verifyHost,
        allowPlain,
        proxyProtocol,
        sessionTracking,
        now.idleTimeout,
        now.maxAge,
        now.maxConnecting);
  }

  /** True if requests to the server are sent by TLS. */
  public boolean encrypts(ServerAddress server) {
    return server.scheme() == Scheme.LDAPS || usesStartTls(server);
  }

  /** True if a server treats the connection as protected, whatever those of clients are. */
  public boolean isProtected(ServerAddress server) {
    return encrypts(server) || server.scheme() == Scheme.LDAPI;
  }

  /**
   * True if the server identifies Stoa by the connection alone. A client that could bind by SASL
   * EXTERNAL on it would be Stoa.
   */
  public boolean identifiesStoa(ServerAddress server) {
    return server.scheme() == Scheme.LDAPI || (encrypts(server) && tls.certificate() != null);
  }

  /** True if the server is asked for StartTLS. */
  public boolean usesStartTls(ServerAddress server) {
    return server.scheme() == Scheme.LDAP && startTls;
  }

  /** Returns an error message for a server that closes a connection instead of responding. */
  public String closedMessage(ServerAddress server) {
    return "server closed the connection without a response"
        + UpstreamTlsFailure.remedyForClosing(this, server);
  }

  /** True if requests to the server cannot be read on the way. */
  public boolean isConfidential(ServerAddress server) {
    return encrypts(server) || server.isLocal();
  }
}
