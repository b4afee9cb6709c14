// SPDX-License-Identifier: Apache-2.0
package io.stoa.server.clients;

import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import javax.net.SocketFactory;
import javax.net.ssl.SSLContext;

/** What JNDI, which wants the name of a class, makes its TLS connections with. Thread-safe. */
public final class TrustingSocketFactory extends SocketFactory {
  private static volatile SSLContext context;

  private TrustingSocketFactory() {}

  /** The trust of connections from now on. */
  static void trust(SSLContext trusted) {
    context = trusted;
  }

  /** Called by JNDI. */
  public static SocketFactory getDefault() {
    return new TrustingSocketFactory();
  }

  private static SocketFactory factory() {
    return context.getSocketFactory();
  }

  @Override
  public Socket createSocket() throws IOException {
    return factory().createSocket();
  }

  @Override
  public Socket createSocket(String host, int port) throws IOException {
    return factory().createSocket(host, port);
  }

  @Override
  public Socket createSocket(String host, int port, InetAddress local, int localPort)
      throws IOException {
    return factory().createSocket(host, port, local, localPort);
  }

  @Override
  public Socket createSocket(InetAddress host, int port) throws IOException {
    return factory().createSocket(host, port);
  }

  @Override
  public Socket createSocket(InetAddress host, int port, InetAddress local, int localPort)
      throws IOException {
    return factory().createSocket(host, port, local, localPort);
  }
}
