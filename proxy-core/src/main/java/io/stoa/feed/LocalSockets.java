// SPDX-License-Identifier: Apache-2.0
package io.stoa.feed;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.net.SocketAddress;
import java.net.SocketException;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;
import javax.net.SocketFactory;
import org.jspecify.annotations.Nullable;

/**
 * Makes connections over a socket of the file system, for a library that knows only those of TCP:
 * wherever it asks for, they go to that socket. Immutable.
 */
final class LocalSockets extends SocketFactory {
  private final Path path;

  LocalSockets(Path path) {
    this.path = path;
  }

  @Override
  public Socket createSocket() {
    return new LocalSocket(path);
  }

  private Socket connected() throws IOException {
    Socket socket = createSocket();
    socket.connect(UnixDomainSocketAddress.of(path));
    return socket;
  }

  @Override
  public Socket createSocket(String host, int port) throws IOException {
    return connected();
  }

  @Override
  public Socket createSocket(String host, int port, InetAddress own, int ownPort)
      throws IOException {
    return connected();
  }

  @Override
  public Socket createSocket(InetAddress host, int port) throws IOException {
    return connected();
  }

  @Override
  public Socket createSocket(InetAddress host, int port, InetAddress own, int ownPort)
      throws IOException {
    return connected();
  }

  /**
   * One connection. Options of TCP have no effect on it. One thread may read while another writes
   * (thread-safe so far); the streams of {@code Channels} would not let them.
   */
  private static final class LocalSocket extends Socket {
    private final Path path;
    private volatile @Nullable SocketChannel channel;

    LocalSocket(Path path) {
      this.path = path;
    }

    @Override
    public void connect(SocketAddress address, int timeout) throws IOException {
      connect(address);
    }

    @Override
    public void connect(SocketAddress address) throws IOException {
      channel = SocketChannel.open(UnixDomainSocketAddress.of(path));
    }

    private SocketChannel open() throws SocketException {
      SocketChannel present = channel;
      if (present == null) {
        throw new SocketException("not connected");
      }
      return present;
    }

    @Override
    public InputStream getInputStream() throws IOException {
      return new Input(open());
    }

    @Override
    public OutputStream getOutputStream() throws IOException {
      return new Output(open());
    }

    @Override
    public boolean isConnected() {
      return channel != null;
    }

    @Override
    public boolean isClosed() {
      SocketChannel present = channel;
      return present != null && !present.isOpen();
    }

    @Override
    public synchronized void close() throws IOException {
      SocketChannel present = channel;
      if (present != null) {
        present.close();
      }
    }

    @Override
    public InetAddress getInetAddress() {
      return InetAddress.getLoopbackAddress();
    }

    @Override
    public void setKeepAlive(boolean on) {}

    @Override
    public void setReuseAddress(boolean on) {}

    @Override
    public void setSoLinger(boolean on, int seconds) {}

    @Override
    public void setTcpNoDelay(boolean on) {}

    @Override
    public void setSoTimeout(int millis) {}

    @Override
    public int getSoTimeout() {
      return 0;
    }

    @Override
    public void setReceiveBufferSize(int size) {}

    @Override
    public void setSendBufferSize(int size) {}
  }

  /** What comes from a channel; confined to the thread that reads. */
  private static final class Input extends InputStream {
    private final SocketChannel channel;

    Input(SocketChannel channel) {
      this.channel = channel;
    }

    @Override
    public int read() throws IOException {
      byte[] one = new byte[1];
      return read(one, 0, 1) < 0 ? -1 : one[0] & 0xFF;
    }

    @Override
    public int read(byte[] octets, int from, int count) throws IOException {
      return count == 0 ? 0 : channel.read(ByteBuffer.wrap(octets, from, count));
    }
  }

  /** What goes to a channel. Thread-safe as the channel is. */
  private static final class Output extends OutputStream {
    private final SocketChannel channel;

    Output(SocketChannel channel) {
      this.channel = channel;
    }

    @Override
    public void write(int octet) throws IOException {
      write(new byte[] {(byte) octet}, 0, 1);
    }

    @Override
    public void write(byte[] octets, int from, int count) throws IOException {
      ByteBuffer rest = ByteBuffer.wrap(octets, from, count);
      while (rest.hasRemaining()) {
        channel.write(rest);
      }
    }
  }
}
