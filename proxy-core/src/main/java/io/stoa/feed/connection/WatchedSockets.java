// SPDX-License-Identifier: Apache-2.0
package io.stoa.feed.connection;

import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.util.function.Consumer;
import javax.net.SocketFactory;

/**
 * Socket factory that reports each socket it creates.
 *
 * <p>Threading: thread-safe if the factory and the listener are.
 */
final class WatchedSockets extends SocketFactory {
  private final SocketFactory sockets;
  private final Consumer<Socket> socketListener;

  WatchedSockets(SocketFactory sockets, Consumer<Socket> socketListener) {
    this.sockets = sockets;
    this.socketListener = socketListener;
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
