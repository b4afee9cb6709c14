// SPDX-License-Identifier: Apache-2.0
package io.stoa.feed.connection;

import java.nio.file.Path;
import javax.net.SocketFactory;
import org.jspecify.annotations.Nullable;

/**
 * A server that a feed may connect to.
 *
 * <p>Threading: immutable.
 *
 * @param name the name shown to administrators
 * @param host its host name or address
 * @param port its TCP port
 * @param tls the TLS settings; null for plain text
 * @param socket the path of its Unix domain socket; null for TCP
 */
public record FeedServer(
    String name, String host, int port, @Nullable FeedTls tls, @Nullable Path socket) {
  /** Creates a server that listens on TCP. */
  public static FeedServer tcp(String name, String host, int port, @Nullable FeedTls tls) {
    return new FeedServer(name, host, port, tls, null);
  }

  /** Creates a server that listens on a Unix domain socket. */
  public static FeedServer local(String name, Path socket) {
    return new FeedServer(name, "localhost", 389, null, socket);
  }

  /** True if both name the same server, whatever the transport. */
  public boolean isSameAs(@Nullable FeedServer other) {
    return other != null && name.equals(other.name);
  }

  /** Returns a factory of sockets without TLS. */
  SocketFactory sockets() {
    return socket == null ? SocketFactory.getDefault() : new LocalSockets(socket);
  }

  @Override
  public String toString() {
    return name;
  }
}
