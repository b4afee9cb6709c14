// SPDX-License-Identifier: Apache-2.0
package io.stoa.cli.client;

import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.SSLSocketFactory;

/**
 * Creates TLS sockets that verify the host in the handshake itself, by the rules for LDAP (RFC
 * 4513, section 3.1.3). Threading: immutable.
 */
final class NamedSockets extends SSLSocketFactory {
  private final SSLSocketFactory sockets;

  NamedSockets(SSLSocketFactory sockets) {
    this.sockets = sockets;
  }

  private static Socket identifying(Socket socket) {
    SSLSocket tls = (SSLSocket) socket;
    SSLParameters parameters = tls.getSSLParameters();
    parameters.setEndpointIdentificationAlgorithm("LDAPS");
    tls.setSSLParameters(parameters);
    return tls;
  }

  @Override
  public Socket createSocket() throws IOException {
    return identifying(sockets.createSocket());
  }

  @Override
  public Socket createSocket(Socket under, String host, int port, boolean close)
      throws IOException {
    return identifying(sockets.createSocket(under, host, port, close));
  }

  @Override
  public Socket createSocket(String host, int port) throws IOException {
    return identifying(sockets.createSocket(host, port));
  }

  @Override
  public Socket createSocket(String host, int port, InetAddress local, int localPort)
      throws IOException {
    return identifying(sockets.createSocket(host, port, local, localPort));
  }

  @Override
  public Socket createSocket(InetAddress host, int port) throws IOException {
    return identifying(sockets.createSocket(host, port));
  }

  @Override
  public Socket createSocket(InetAddress host, int port, InetAddress local, int localPort)
      throws IOException {
    return identifying(sockets.createSocket(host, port, local, localPort));
  }

  @Override
  public String[] getDefaultCipherSuites() {
    return sockets.getDefaultCipherSuites();
  }

  @Override
  public String[] getSupportedCipherSuites() {
    return sockets.getSupportedCipherSuites();
  }
}
