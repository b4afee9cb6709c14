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
  private final Consumer<Socket> made;

  WatchedSockets(SocketFactory sockets, Consumer<Socket> made) {
    this.sockets = sockets;
    this.made = made;
  }

  private Socket reported(Socket socket) {
    made.accept(socket);
    return socket;
  }

  @Override
  public Socket createSocket() throws IOException {
    return reported(sockets.createSocket());
  }

  @Override
  public Socket createSocket(String host, int port) throws IOException {
    return reported(sockets.createSocket(host, port));
  }

  @Override
  public Socket createSocket(String host, int port, InetAddress own, int ownPort)
      throws IOException {
    return reported(sockets.createSocket(host, port, own, ownPort));
  }

  @Override
  public Socket createSocket(InetAddress host, int port) throws IOException {
    return reported(sockets.createSocket(host, port));
  }

  @Override
  public Socket createSocket(InetAddress host, int port, InetAddress own, int ownPort)
      throws IOException {
    return reported(sockets.createSocket(host, port, own, ownPort));
  }
}
