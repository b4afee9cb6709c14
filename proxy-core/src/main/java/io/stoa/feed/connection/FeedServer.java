// SPDX-License-Identifier: Apache-2.0
package io.stoa.feed.connection;

import java.nio.file.Path;
import javax.net.SocketFactory;
import org.jspecify.annotations.Nullable;

/**
 * A server that a feed may come from. Immutable.
 *
 * @param name what people call it
 * @param host its host name or address
 * @param port its TCP port
 * @param tls null if it is spoken to in plain
 * @param socket where it listens in the file system; null if it does for TCP
 */
public record FeedServer(
    String name, String host, int port, @Nullable FeedTls tls, @Nullable Path socket) {
  /** A server that listens for TCP. */
  public static FeedServer tcp(String name, String host, int port, @Nullable FeedTls tls) {
    return new FeedServer(name, host, port, tls, null);
  }

  /** A server that listens on a socket of the file system. */
  public static FeedServer local(String name, Path socket) {
    return new FeedServer(name, "localhost", 389, null, socket);
  }

  /** Whether it is the same one, however it is spoken to. */
  public boolean is(@Nullable FeedServer other) {
    return other != null && name.equals(other.name);
  }

  /** Makes sockets that are plain at first. */
  SocketFactory sockets() {
    return socket == null ? SocketFactory.getDefault() : new LocalSockets(socket);
  }

  @Override
  public String toString() {
    return name;
  }
}
