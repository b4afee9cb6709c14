// SPDX-License-Identifier: Apache-2.0
package io.stoa.feed.connection;

import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.util.function.Consumer;
import javax.net.SocketFactory;
import javax.net.ssl.SSLSocketFactory;

/**
 * Socket factory that reports each socket it creates. The methods for TLS require a wrapped factory
 * of TLS sockets.
 *
 * <p>Threading: thread-safe if the factory and the listener are.
 */
final class WatchedSockets extends SSLSocketFactory {
  private final SocketFactory sockets;
  private final Consumer<Socket> socketListener;

  WatchedSockets(SocketFactory sockets, Consumer<Socket> socketListener) {
    this.sockets = sockets;
    this.socketListener = socketListener;
  }

  private SSLSocketFactory tlsSockets() {
    return (SSLSocketFactory) sockets;
  }

  @Override
  public String[] getDefaultCipherSuites() {
    return tlsSockets().getDefaultCipherSuites();
  }

  @Override
  public String[] getSupportedCipherSuites() {
    return tlsSockets().getSupportedCipherSuites();
  }

  private Socket notifyListener(Socket socket) {
    socketListener.accept(socket);
    return socket;
  }

  @Override
  public Socket createSocket() throws IOException {
    return notifyListener(sockets.createSocket());
  }

  @Override
  public Socket createSocket(Socket underlying, String host, int port, boolean close)
      throws IOException {
    return notifyListener(tlsSockets().createSocket(underlying, host, port, close));
  }

  @Override
  public Socket createSocket(String host, int port) throws IOException {
    return notifyListener(sockets.createSocket(host, port));
  }

  @Override
  public Socket createSocket(String host, int port, InetAddress localAddress, int localPort)
      throws IOException {
    return notifyListener(sockets.createSocket(host, port, localAddress, localPort));
  }

  @Override
  public Socket createSocket(InetAddress host, int port) throws IOException {
    return notifyListener(sockets.createSocket(host, port));
  }

  @Override
  public Socket createSocket(InetAddress host, int port, InetAddress localAddress, int localPort)
      throws IOException {
    return notifyListener(sockets.createSocket(host, port, localAddress, localPort));
  }
}
