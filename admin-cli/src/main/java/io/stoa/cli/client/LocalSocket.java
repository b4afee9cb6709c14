// SPDX-License-Identifier: Apache-2.0
package io.stoa.cli.client;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.net.SocketAddress;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;
import javax.net.SocketFactory;

/**
 * A local socket as a {@link Socket}, as the SDK knows no other class. Options of TCP are ignored.
 *
 * <p>Threading: thread-safe for one reader and one writer, as any socket.
 */
final class LocalSocket extends Socket {
  private final Path path;
  private final SocketChannel channel;

  private LocalSocket(Path path) throws IOException {
    this.path = path;
    this.channel = SocketChannel.open(StandardProtocolFamily.UNIX);
  }

  /** Returns a factory of sockets to {@code path}. Hosts and ports are ignored. */
  static SocketFactory factory(Path path) {
    return new Factory(path);
  }

  /** Factory for one path. Threading: immutable. */
  private static final class Factory extends SocketFactory {
    private final Path path;

    Factory(Path path) {
      this.path = path;
    }

    @Override
    public Socket createSocket() throws IOException {
      return new LocalSocket(path);
    }

    @Override
    public Socket createSocket(String host, int port) throws IOException {
      return connected();
    }

    @Override
    public Socket createSocket(String host, int port, InetAddress local, int localPort)
        throws IOException {
      return connected();
    }

    @Override
    public Socket createSocket(InetAddress host, int port) throws IOException {
      return connected();
    }

    @Override
    public Socket createSocket(InetAddress host, int port, InetAddress local, int localPort)
        throws IOException {
      return connected();
    }

    private Socket connected() throws IOException {
      LocalSocket socket = new LocalSocket(path);
      socket.connect();
      return socket;
    }
  }

  private void connect() throws IOException {
    channel.connect(UnixDomainSocketAddress.of(path));
  }

  @Override
  public void connect(SocketAddress ignored) throws IOException {
    connect();
  }

  /**
   * Waits while the backlog of the listener is full; the timeout is ignored. Closing the socket
   * ends the wait.
   */
  @Override
  public void connect(SocketAddress ignored, int timeoutMillis) throws IOException {
    connect();
  }

  @Override
  public boolean isConnected() {
    return channel.isConnected();
  }

  @Override
  public boolean isClosed() {
    return !channel.isOpen();
  }

  @Override
  public synchronized void close() throws IOException {
    channel.close();
  }

  /**
   * Reads the channel directly. The streams of {@code Channels} share one lock between reader and
   * writer until JDK 19.
   */
  @Override
  public InputStream getInputStream() {
    return new InputStream() {
      @Override
      public int read() throws IOException {
        byte[] one = new byte[1];
        return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
      }

      @Override
      public int read(byte[] octets, int from, int length) throws IOException {
        return length == 0 ? 0 : channel.read(ByteBuffer.wrap(octets, from, length));
      }

      @Override
      public void close() throws IOException {
        channel.close();
      }
    };
  }

  @Override
  public OutputStream getOutputStream() {
    return new OutputStream() {
      @Override
      public void write(int octet) throws IOException {
        write(new byte[] {(byte) octet}, 0, 1);
      }

      @Override
      public void write(byte[] octets, int from, int length) throws IOException {
        ByteBuffer rest = ByteBuffer.wrap(octets, from, length);
        while (rest.hasRemaining()) {
          channel.write(rest);
        }
      }

      @Override
      public void close() throws IOException {
        channel.close();
      }
    };
  }

  // Options that the SDK sets on each connection

  @Override
  public void setKeepAlive(boolean on) {}

  @Override
  public void setReuseAddress(boolean on) {}

  @Override
  public void setSoLinger(boolean on, int seconds) {}

  @Override
  public void setTcpNoDelay(boolean on) {}

  /** Does nothing, as waits for answers have a deadline of their own. */
  @Override
  public void setSoTimeout(int millis) {}

  @Override
  public int getSoTimeout() {
    return 0;
  }
}
