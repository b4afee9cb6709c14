// SPDX-License-Identifier: Apache-2.0
package io.stoa.server.load;

import io.stoa.testing.RawRequest;
import io.stoa.testing.Requests;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import java.util.Arrays;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * An attack: connections that send most of a large request, or many complete ones, or nothing, and
 * stall. One that the server ends is opened again. Run by one thread; the count is thread-safe.
 */
final class StalledClients implements AutoCloseable {
  private static final Duration BETWEEN_ROUNDS = Duration.ofMillis(20);

  private final InetSocketAddress source;
  private final InetSocketAddress target;
  private final byte[] first;
  private final byte[] request;
  private final @Nullable SocketChannel[] connections;
  private final AtomicLong opened = new AtomicLong();

  /**
   * Given the number of connections.
   *
   * @param host the address of this machine from which the clients come
   * @param first what is sent and answered before the request; empty for nothing
   * @param octets octets of the request that are sent
   */
  StalledClients(String host, InetSocketAddress target, int count, byte[] first, int octets) {
    this.source = new InetSocketAddress(host, 0);
    this.target = target;
    this.first = first;
    this.connections = new SocketChannel[count];
    this.request = Arrays.copyOf(large(octets).encode(2), octets);
  }

  private StalledClients(InetSocketAddress target, int count, byte[] requests) {
    this.source = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
    this.target = target;
    this.first = new byte[0];
    this.connections = new SocketChannel[count];
    this.request = requests;
  }

  /**
   * Clients that send complete requests, and take no answer.
   *
   * @param requests how many each connection sends
   * @param octets about the size of a request
   */
  static StalledClients complete(InetSocketAddress target, int count, int requests, int octets) {
    ByteArrayOutputStream all = new ByteArrayOutputStream();
    for (int id = 1; id <= requests; id++) {
      all.writeBytes(large(octets).encode(id));
    }
    return new StalledClients(target, count, all.toByteArray());
  }

  /** A request that is larger than the octets that are sent. */
  private static RawRequest large(int octets) {
    return Requests.compare("dc=x", "description", "x".repeat(octets + 4096));
  }

  /** Keeps all connections at what they do. */
  void run(BooleanSupplier goOn) {
    while (goOn.getAsBoolean()) {
      for (int i = 0; i < connections.length && goOn.getAsBoolean(); i++) {
        reopenIfEnded(i);
      }
      LockSupport.parkNanos(BETWEEN_ROUNDS.toNanos());
    }
  }

  private void reopenIfEnded(int number) {
    SocketChannel connection = connections[number];
    if (connection == null || hasEnded(connection)) {
      end(connection);
      connections[number] = open();
    }
  }

  private static boolean hasEnded(SocketChannel connection) {
    try {
      int count;
      do {
        count = connection.read(ByteBuffer.allocate(512));
      } while (count > 0);
      return count < 0;
    } catch (IOException reset) {
      return true;
    }
  }

  private @Nullable SocketChannel open() {
    SocketChannel connection = null;
    try {
      connection = SocketChannel.open();
      connection.setOption(StandardSocketOptions.SO_LINGER, 0);
      connection.bind(source);
      connection.connect(target);
      opened.incrementAndGet();
      if (first.length > 0) {
        connection.write(ByteBuffer.wrap(first));
        connection.read(ByteBuffer.allocate(512));
      }
      connection.configureBlocking(false);
      send(connection);
      return connection;
    } catch (IOException ended) {
      end(connection);
      return null;
    }
  }

  /** Gives up on a server that takes nothing for some time: it may do so. */
  private void send(SocketChannel connection) throws IOException {
    ByteBuffer rest = ByteBuffer.wrap(request);
    for (int tries = 0; rest.hasRemaining() && tries < 1_000; tries++) {
      if (connection.write(rest) == 0) {
        LockSupport.parkNanos(1_000_000);
      }
    }
  }

  private static void end(@Nullable SocketChannel connection) {
    try {
      if (connection != null) {
        connection.close();
      }
    } catch (IOException ignored) {
      // it has ended anyway
    }
  }

  /** Returns how many connections were opened so far. */
  long opened() {
    return opened.get();
  }

  /** Returns how many connections the attack keeps. */
  int count() {
    return connections.length;
  }

  /** Returns the octets that each connection sends. */
  int octets() {
    return request.length;
  }

  @Override
  public void close() {
    for (SocketChannel connection : connections) {
      end(connection);
    }
  }
}
