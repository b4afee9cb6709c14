// SPDX-License-Identifier: Apache-2.0
package io.stoa.upstream.connect;

import io.stoa.net.tls.TlsConfig;
import io.stoa.upstream.server.ServerAddress;
import io.stoa.upstream.server.ServerAddress.Scheme;
import java.time.Duration;

/**
 * How connections to the directory servers are protected and kept. Immutable.
 *
 * @param startTls whether TLS is begun on connections to {@code ldap://} servers before anything
 *     else is sent on them (RFC 4511, section 4.14)
 * @param tls what is shown to servers, and which of them are trusted
 * @param verifyHost whether a server's certificate must bear the name by which the server is given
 * @param allowPlain whether what clients send by TLS may go to a server of another machine in plain
 * @param proxyProtocol whether connections over TCP begin with a header of the PROXY protocol
 * @param sessionTracking whether requests tell the server for whom they are sent
 * @param idleTimeout how long a connection may be without work before it is closed, or kept alive
 *     if it could not be made again; 0 leaves this to the servers
 * @param maxAge how old a connection may become before it is made anew; 0 for any age
 * @param maxConnecting how many connections to one server may be in the making at once
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
  /** No StartTLS; servers must show a certificate for their name that the Java runtime trusts. */
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
    if (idleTimeout.isNegative()) {
      throw new IllegalArgumentException("idleTimeout is negative; 0 switches it off");
    }
    if (maxAge.isNegative()) {
      throw new IllegalArgumentException("maxConnectionAge is negative; 0 switches it off");
    }
    if (maxConnecting < 1) {
      throw new IllegalArgumentException("maxConnecting " + maxConnecting + " is below 1");
    }
  }

  /** This with what of another one can change while Stoa runs. */
  public UpstreamTransport tuned(UpstreamTransport now) {
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

  /** Whether what is sent to the server is sent inside TLS. */
  public boolean encrypts(ServerAddress server) {
    return server.scheme() == Scheme.LDAPS || asks(server);
  }

  /** Whether a server takes the connection for protected, whatever those of clients are. */
  public boolean guards(ServerAddress server) {
    return encrypts(server) || server.scheme() == Scheme.LDAPI;
  }

  /**
   * Whether the server knows by the connection alone that it is Stoa's: whoever may bind by SASL
   * EXTERNAL on it would be Stoa.
   */
  public boolean provesStoa(ServerAddress server) {
    return server.scheme() == Scheme.LDAPI || (encrypts(server) && tls.certificate() != null);
  }

  /** Whether the server is asked to begin TLS. */
  public boolean asks(ServerAddress server) {
    return server.scheme() == Scheme.LDAP && startTls;
  }

  /** Why a server, as far as can be told, closed a connection instead of answering. */
  public String closedUnanswered(ServerAddress server) {
    return "it closed the connection without an answer"
        + UpstreamTlsFailure.remedyForClosing(this, server);
  }

  /** Whether nobody on the way to the server can read what is sent to it. */
  public boolean confidential(ServerAddress server) {
    return encrypts(server) || server.local();
  }
}
