// SPDX-License-Identifier: Apache-2.0
package io.stoa.feed.connection;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.net.SocketAddress;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedSelectorException;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;
import java.util.function.IntSupplier;
import javax.net.SocketFactory;
import org.jspecify.annotations.Nullable;

/**
 * Factory of connections over a Unix domain socket, for a library that knows only TCP. The
 * requested host and port are ignored.
 *
 * <p>Threading: immutable.
 */
final class LocalSockets extends SocketFactory {
  private final Path path;

  LocalSockets(Path path) {
    this.path = path;
  }

  @Override
  public Socket createSocket() {
    return new ChannelSocket(path);
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
  public Socket createSocket(String host, int port, InetAddress localAddress, int localPort)
      throws IOException {
    return connected();
  }

  @Override
  public Socket createSocket(InetAddress host, int port) throws IOException {
    return connected();
  }

  @Override
  public Socket createSocket(InetAddress host, int port, InetAddress localAddress, int localPort)
      throws IOException {
    return connected();
  }

  /**
   * One connection. TCP options have no effect, except the read timeout.
   *
   * <p>Threading: one thread may read while another one writes. The streams of {@code Channels}
   * would not allow that.
   */
  private static final class ChannelSocket extends Socket {
    private final Path path;
    private volatile @Nullable Open open;
    private int timeoutMillis;

    /**
     * The channel of a connected socket.
     *
     * <p>Threading: thread-safe.
     */
    private record Open(SocketChannel channel, Wait reading, Wait writing) {
      static Open of(SocketChannel channel) throws IOException {
        channel.configureBlocking(false); // a timeout needs a selector
        Wait reading = new Wait(channel, SelectionKey.OP_READ);
        boolean whole = false;
        try {
          Open open = new Open(channel, reading, new Wait(channel, SelectionKey.OP_WRITE));
          whole = true;
          return open;
        } finally {
          if (!whole) {
            reading.close();
          }
        }
      }

      /** Closes the channel and wakes its waiting threads. */
      void close() throws IOException {
        try (writing;
            reading) {
          channel.close();
        }
      }
    }

    ChannelSocket(Path path) {
      this.path = path;
    }

    @Override
    public void connect(SocketAddress address, int timeout) throws IOException {
      connect(address);
    }

    @Override
    public void connect(SocketAddress address) throws IOException {
      SocketChannel connected = SocketChannel.open(UnixDomainSocketAddress.of(path));
      try {
        open = Open.of(connected);
      } finally {
        if (open == null) {
          connected.close();
        }
      }
    }

    private Open open() throws SocketException {
      Open present = open;
      if (present == null) {
        throw new SocketException("not connected");
      }
      return present;
    }

    @Override
    public InputStream getInputStream() throws IOException {
      Open present = open();
      return new Input(present.channel(), present.reading(), this::getSoTimeout);
    }

    @Override
    public OutputStream getOutputStream() throws IOException {
      Open present = open();
      return new Output(present.channel(), present.writing());
    }

    @Override
    public boolean isConnected() {
      return open != null;
    }

    @Override
    public boolean isClosed() {
      Open present = open;
      return present != null && !present.channel().isOpen();
    }

    @Override
    public synchronized void close() throws IOException {
      Open present = open;
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
    public synchronized void setSoTimeout(int millis) {
      timeoutMillis = millis;
    }

    @Override
    public synchronized int getSoTimeout() {
      return timeoutMillis;
    }

    @Override
    public void setReceiveBufferSize(int size) {}

    @Override
    public void setSendBufferSize(int size) {}
  }

  /**
   * Input stream of a channel.
   *
   * <p>Threading: reading thread.
   */
  private static final class Input extends InputStream {
    private final SocketChannel channel;
    private final Wait wait;
    private final IntSupplier timeoutMillis;

    Input(SocketChannel channel, Wait wait, IntSupplier timeoutMillis) {
      this.channel = channel;
      this.wait = wait;
      this.timeoutMillis = timeoutMillis;
    }

    @Override
    public int read() throws IOException {
      byte[] one = new byte[1];
      return read(one, 0, 1) < 0 ? -1 : one[0] & 0xFF;
    }

    @Override
    public int read(byte[] octets, int from, int count) throws IOException {
      ByteBuffer room = ByteBuffer.wrap(octets, from, count);
      int read = channel.read(room);
      while (read == 0 && count > 0) {
        if (!wait.await(timeoutMillis.getAsInt())) {
          throw new SocketTimeoutException("nothing was received in time");
        }
        read = channel.read(room);
      }
      return read;
    }
  }

  /**
   * Output stream of a channel.
   *
   * <p>Threading: thread-safe as the channel is.
   */
  private static final class Output extends OutputStream {
    private final SocketChannel channel;
    private final Wait wait;

    Output(SocketChannel channel, Wait wait) {
      this.channel = channel;
      this.wait = wait;
    }

    @Override
    public void write(int octet) throws IOException {
      write(new byte[] {(byte) octet}, 0, 1);
    }

    @Override
    public void write(byte[] octets, int from, int count) throws IOException {
      ByteBuffer remaining = ByteBuffer.wrap(octets, from, count);
      while (remaining.hasRemaining()) {
        if (channel.write(remaining) == 0) {
          wait.await(0);
        }
      }
    }
  }

  /**
   * Waits until the channel is readable, or writable.
   *
   * <p>Threading: thread-safe.
   */
  private static final class Wait implements AutoCloseable {
    private final Selector selector;

    Wait(SocketChannel channel, int interestOps) throws IOException {
      selector = Selector.open();
      boolean registered = false;
      try {
        channel.register(selector, interestOps);
        registered = true;
      } finally {
        if (!registered) {
          selector.close();
        }
      }
    }

    /**
     * Waits until the channel is ready or closed.
     *
     * @param millis the timeout in ms; 0 for none
     * @return false after the timeout
     */
    boolean await(int millis) throws IOException {
      try {
        return selector.select(ready -> {}, millis) > 0 || millis == 0;
      } catch (ClosedSelectorException e) {
        return true;
      }
    }

    @Override
    public void close() throws IOException {
      selector.close();
    }
  }
}
