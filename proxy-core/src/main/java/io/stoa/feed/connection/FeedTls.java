// SPDX-License-Identifier: Apache-2.0
package io.stoa.feed.connection;

import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.util.List;
import java.util.function.Consumer;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.SSLSocketFactory;

/**
 * How a server of a feed is spoken to inside TLS. Immutable.
 *
 * @param contexts certificates as their files hold them now
 * @param protocols versions that are spoken
 * @param ciphers names of cipher suites; empty for those of the Java runtime
 * @param verifyHost whether the server's certificate must bear the name by which it is given
 * @param startTls whether TLS is begun on a connection that is plain at first
 */
public record FeedTls(
    Contexts contexts,
    List<String> protocols,
    List<String> ciphers,
    boolean verifyHost,
    boolean startTls) {
  /** RFC 4513, section 3.1.3, as the JDK calls it. */
  private static final String LDAP_NAMES = "LDAPS";

  public FeedTls {
    protocols = List.copyOf(protocols);
    ciphers = List.copyOf(ciphers);
  }

  /** Where a context comes from. */
  public interface Contexts {
    /**
     * A context for the next connection.
     *
     * @throws IOException if its files cannot be used
     */
    SSLContext get() throws IOException;
  }

  /**
   * Makes the sockets of the next connection.
   *
   * @param made is told of each
   */
  SSLSocketFactory sockets(Consumer<Socket> made) throws IOException {
    return new Sockets(contexts.get().getSocketFactory(), this, made);
  }

  private void keepTo(Socket socket) {
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

  /** Sockets that keep to what is configured. Thread-safe. */
  private static final class Sockets extends SSLSocketFactory {
    private final SSLSocketFactory plain;
    private final FeedTls terms;
    private final Consumer<Socket> made;

    Sockets(SSLSocketFactory plain, FeedTls terms, Consumer<Socket> made) {
      this.plain = plain;
      this.terms = terms;
      this.made = made;
    }

    private Socket strict(Socket socket) {
      terms.keepTo(socket);
      made.accept(socket);
      return socket;
    }

    @Override
    public String[] getDefaultCipherSuites() {
      return plain.getDefaultCipherSuites();
    }

    @Override
    public String[] getSupportedCipherSuites() {
      return plain.getSupportedCipherSuites();
    }

    @Override
    public Socket createSocket() throws IOException {
      return strict(plain.createSocket());
    }

    @Override
    public Socket createSocket(Socket under, String host, int port, boolean close)
        throws IOException {
      return strict(plain.createSocket(under, host, port, close));
    }

    @Override
    public Socket createSocket(String host, int port) throws IOException {
      return strict(plain.createSocket(host, port));
    }

    @Override
    public Socket createSocket(String host, int port, InetAddress own, int ownPort)
        throws IOException {
      return strict(plain.createSocket(host, port, own, ownPort));
    }

    @Override
    public Socket createSocket(InetAddress host, int port) throws IOException {
      return strict(plain.createSocket(host, port));
    }

    @Override
    public Socket createSocket(InetAddress host, int port, InetAddress own, int ownPort)
        throws IOException {
      return strict(plain.createSocket(host, port, own, ownPort));
    }
  }
}
