// SPDX-License-Identifier: Apache-2.0
package io.stoa.feed.connection;

import java.io.IOException;
import java.net.Socket;
import java.util.List;
import java.util.function.Consumer;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.SSLSocketFactory;

/**
 * TLS settings for a server of a feed.
 *
 * <p>Threading: immutable.
 *
 * @param contexts the source of TLS contexts, with certificates as in their files now
 * @param protocols the enabled TLS versions
 * @param ciphers the names of cipher suites; empty for those of the Java runtime
 * @param verifyHost true if the server's certificate must contain its configured name
 * @param startTls true to begin TLS by StartTLS on a plain connection
 */
public record FeedTls(
    Contexts contexts,
    List<String> protocols,
    List<String> ciphers,
    boolean verifyHost,
    boolean startTls) {
  /** The JDK's name of the server identity check of RFC 4513, section 3.1.3. */
  private static final String LDAP_NAMES = "LDAPS";

  public FeedTls {
    protocols = List.copyOf(protocols);
    ciphers = List.copyOf(ciphers);
  }

  /** Source of TLS contexts. */
  public interface Contexts {
    /**
     * Returns a context for the next connection.
     *
     * @throws IOException if its files cannot be used
     */
    SSLContext get() throws IOException;
  }

  /**
   * Returns the socket factory of the next connection.
   *
   * @param socketListener receives each socket
   */
  SSLSocketFactory sockets(Consumer<Socket> socketListener) throws IOException {
    Consumer<Socket> configure = this::configure;
    return new WatchedSockets(contexts.get().getSocketFactory(), configure.andThen(socketListener));
  }

  private void configure(Socket socket) {
    if (socket instanceof SSLSocket tls) {
      SSLParameters parameters = tls.getSSLParameters();
      parameters.setProtocols(protocols.toArray(String[]::new));
      if (!ciphers.isEmpty()) {
        parameters.setCipherSuites(ciphers.toArray(String[]::new));
      }
      parameters.setEndpointIdentificationAlgorithm(verifyHost ? LDAP_NAMES : null);
      tls.setSSLParameters(parameters);
    }
  }
}
