// SPDX-License-Identifier: Apache-2.0
package io.stoa.trace;

import io.stoa.testing.RawMessage;
import io.stoa.testing.Received;
import io.stoa.testing.Tlv;
import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Stands between Stoa and a directory, passes everything, and counts the reads of each identity.
 * Two threads per connection; thread-safe.
 */
final class UpstreamTap implements AutoCloseable {
  private static final Set<Integer> READS = Set.of(Received.SEARCH, Received.COMPARE);

  private final InetSocketAddress directory;
  private final ServerSocket listener;
  private final Set<Socket> open = ConcurrentHashMap.newKeySet();
  private final Map<String, Long> reads = new ConcurrentHashMap<>();

  /** The two directions of a connection. */
  @FunctionalInterface
  private interface Direction {
    void pass() throws IOException;
  }

  UpstreamTap(InetSocketAddress directory) {
    this.directory = directory;
    try {
      this.listener = new ServerSocket(0, 0, InetAddress.getLoopbackAddress());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    start(this::accept);
  }

  int port() {
    return listener.getLocalPort();
  }

  /** How many reads of each name have reached the directory. */
  Map<String, Long> reads() {
    return reads;
  }

  private static void start(Runnable body) {
    Thread thread = new Thread(body, "tap");
    thread.setDaemon(true);
    thread.start();
  }

  private void accept() {
    try {
      while (!listener.isClosed()) {
        Socket here = listener.accept();
        Socket there = new Socket(directory.getAddress(), directory.getPort());
        there.setTcpNoDelay(true);
        here.setTcpNoDelay(true);
        open.addAll(Set.of(here, there));
        start(() -> until(here, there, () -> requests(here, there)));
        start(
            () ->
                until(
                    here, there, () -> there.getInputStream().transferTo(here.getOutputStream())));
      }
    } catch (IOException closed) {
      // close() closes the socket under accept().
      return;
    }
  }

  private void requests(Socket here, Socket there) throws IOException {
    InputStream in = new BufferedInputStream(here.getInputStream());
    OutputStream out = there.getOutputStream();
    String identity = "";
    for (byte[] octets = Tlv.read(in); octets.length > 0; octets = Tlv.read(in)) {
      RawMessage message = RawMessage.parse(octets);
      if (message.opTag() == Received.BIND) {
        identity = message.decoded().getBindRequestProtocolOp().getBindDN();
      } else if (READS.contains(message.opTag())) {
        reads.merge(identity, 1L, Long::sum);
      }
      out.write(octets);
    }
  }

  private void until(Socket here, Socket there, Direction direction) {
    try (here;
        there) {
      direction.pass();
    } catch (IOException gone) {
      // The other direction ends as well: both are closed.
      return;
    } finally {
      open.removeAll(Set.of(here, there));
    }
  }

  @Override
  public void close() {
    try {
      listener.close();
      for (Socket socket : open) {
        socket.close();
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
