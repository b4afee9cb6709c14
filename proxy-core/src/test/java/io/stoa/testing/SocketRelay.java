// SPDX-License-Identifier: Apache-2.0
package io.stoa.testing;

import java.io.Closeable;
import java.io.IOException;
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
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLServerSocket;

/**
 * Passes octets unread from a free port of 127.0.0.1 to somewhere else, and back: lets a fixture
 * that knows TCP only come in by another way. Two threads per connection; thread-safe.
 */
public final class SocketRelay implements AutoCloseable {
  private static final int BUFFER = 1 << 16;

  /** Makes the far half of a connection. */
  @FunctionalInterface
  private interface Far {
    End connect() throws IOException;
  }

  private interface End extends Closeable {
    int read(byte[] octets) throws IOException;

    void write(byte[] octets, int count) throws IOException;
  }

  private final ServerSocket listener;
  private final Far far;
  private final Set<End> open = ConcurrentHashMap.newKeySet();

  private SocketRelay(ServerSocket listener, Far far) {
    this.listener = listener;
    this.far = far;
    start(this::accept);
  }

  /** From TCP to a socket of the file system. */
  public static SocketRelay to(Path socket) {
    return new SocketRelay(
        listen(null),
        () -> {
          SocketChannel channel = SocketChannel.open(StandardProtocolFamily.UNIX);
          channel.connect(UnixDomainSocketAddress.of(socket));
          return new Channel(channel);
        });
  }

  /** From TLS, in which clients may show a certificate, to plain TCP. */
  public static SocketRelay tls(SSLContext context, int port) {
    return new SocketRelay(
        listen(context), () -> new Tcp(new Socket(InetAddress.getLoopbackAddress(), port)));
  }

  private static ServerSocket listen(SSLContext context) {
    try {
      ServerSocket socket =
          context == null
              ? new ServerSocket()
              : context.getServerSocketFactory().createServerSocket();
      if (socket instanceof SSLServerSocket tls) {
        tls.setWantClientAuth(true);
      }
      socket.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
      return socket;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private record Tcp(Socket socket) implements End {
    @Override
    public int read(byte[] octets) throws IOException {
      return socket.getInputStream().read(octets);
    }

    @Override
    public void write(byte[] octets, int count) throws IOException {
      socket.getOutputStream().write(octets, 0, count);
    }

    @Override
    public void close() throws IOException {
      socket.close();
    }
  }

  private record Channel(SocketChannel channel) implements End {
    @Override
    public int read(byte[] octets) throws IOException {
      return channel.read(ByteBuffer.wrap(octets));
    }

    @Override
    public void write(byte[] octets, int count) throws IOException {
      ByteBuffer rest = ByteBuffer.wrap(octets, 0, count);
      while (rest.hasRemaining()) {
        channel.write(rest);
      }
    }

    @Override
    public void close() throws IOException {
      channel.close();
    }
  }

  private static void start(Runnable body) {
    Thread thread = new Thread(body, "relay");
    thread.setDaemon(true);
    thread.start();
  }

  private void accept() {
    try {
      while (!listener.isClosed()) {
        Socket socket = listener.accept();
        socket.setTcpNoDelay(true);
        End here = new Tcp(socket);
        End there = far.connect();
        open.add(here);
        open.add(there);
        start(() -> pass(here, there));
        start(() -> pass(there, here));
      }
    } catch (IOException closed) {
      // close() closes the socket under accept(); a server that is gone is not come by either.
      return;
    }
  }

  private void pass(End from, End to) {
    byte[] octets = new byte[BUFFER];
    try {
      for (int count = from.read(octets); count >= 0; count = from.read(octets)) {
        to.write(octets, count);
      }
    } catch (IOException gone) {
      // The other direction is of no use either.
    } finally {
      close(from);
      close(to);
    }
  }

  private void close(End end) {
    open.remove(end);
    try {
      end.close();
    } catch (IOException gone) {
      // There is nothing left to close.
      return;
    }
  }

  /** Where it is come to, if that is by TLS. */
  public String url() {
    return "ldaps://127.0.0.1:" + listener.getLocalPort();
  }

  public RawLdapClient client() {
    return RawLdapClient.connect(address());
  }

  public InetSocketAddress address() {
    return (InetSocketAddress) listener.getLocalSocketAddress();
  }

  @Override
  public void close() {
    try {
      listener.close();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    Set.copyOf(open).forEach(this::close);
  }
}
