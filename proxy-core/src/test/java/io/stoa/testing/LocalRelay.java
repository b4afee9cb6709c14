// SPDX-License-Identifier: Apache-2.0
package io.stoa.testing;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;

/**
 * A port of 127.0.0.1 from which connections go on to a socket of the file system, so that every
 * client of the tests can use one. The user there is that of the tests. Thread-safe.
 */
public final class LocalRelay implements AutoCloseable {
  private static final int SIZE = 1 << 16;

  private final Path path;
  private final ServerSocket listener;

  private LocalRelay(Path path) throws IOException {
    this.path = path;
    this.listener = new ServerSocket(0, 0, InetAddress.getLoopbackAddress());
    start(this::accept);
  }

  public static LocalRelay to(Path socket) {
    try {
      return new LocalRelay(socket);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  public RawLdapClient client() {
    return RawLdapClient.connect(
        new InetSocketAddress(InetAddress.getLoopbackAddress(), listener.getLocalPort()));
  }

  private static void start(Runnable body) {
    Thread thread = new Thread(body, "local-relay");
    thread.setDaemon(true);
    thread.start();
  }

  private void accept() {
    try {
      while (!listener.isClosed()) {
        Socket near = listener.accept();
        near.setTcpNoDelay(true);
        SocketChannel far = SocketChannel.open(StandardProtocolFamily.UNIX);
        far.connect(UnixDomainSocketAddress.of(path));
        start(() -> there(near, far));
        start(() -> back(near, far));
      }
    } catch (IOException closed) {
      // close() ends accept().
      return;
    }
  }

  /** From the client; when one direction ends both do. */
  private static void there(Socket near, SocketChannel far) {
    byte[] octets = new byte[SIZE];
    try (near;
        far) {
      InputStream in = near.getInputStream();
      for (int count = in.read(octets); count > 0; count = in.read(octets)) {
        far.write(ByteBuffer.wrap(octets, 0, count)); // blocks until all is written
      }
    } catch (IOException gone) {
      // So has the other end, or will.
      return;
    }
  }

  /** To the client. The streams of a channel would keep both directions from going on at once. */
  private static void back(Socket near, SocketChannel far) {
    ByteBuffer octets = ByteBuffer.allocate(SIZE);
    try (near;
        far) {
      OutputStream out = near.getOutputStream();
      while (far.read(octets.clear()) > 0) {
        out.write(octets.array(), 0, octets.position());
      }
    } catch (IOException gone) {
      // So has the other end, or will.
      return;
    }
  }

  @Override
  public void close() {
    try {
      listener.close();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
