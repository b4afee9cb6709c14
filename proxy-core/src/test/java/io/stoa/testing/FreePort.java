// SPDX-License-Identifier: Apache-2.0
package io.stoa.testing;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.SocketException;
import java.net.UnknownHostException;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Ports of 127.0.0.1 that nobody uses, for servers whose port must be known before they listen, or
 * stay theirs while they are down. The system gives them to no connection, for they are below those
 * that it chooses from; nor does another JVM of tests take them, for who takes one keeps the UDP
 * port of that number, on an address where nobody listens, until it ends. Thread-safe.
 */
public final class FreePort {
  private static final int LOWEST = 10_240;

  /** From here on Linux chooses by itself. */
  private static final int CHOSEN_BY_THE_SYSTEM = 32_768;

  private static final int COUNT = CHOSEN_BY_THE_SYSTEM - LOWEST;
  private static final byte[] CLAIMS = {127, 99, 99, 99};
  private static final Set<DatagramSocket> CLAIMED = ConcurrentHashMap.newKeySet();
  private static final AtomicInteger NEXT =
      new AtomicInteger(ThreadLocalRandom.current().nextInt(COUNT));

  private FreePort() {}

  /** One that was not given before. */
  public static int next() {
    for (int i = 0; i < COUNT; i++) {
      int port = LOWEST + NEXT.getAndIncrement() % COUNT;
      if (claims(port) && isFree(port)) {
        return port;
      }
    }
    throw new AssertionError("all ports are in use");
  }

  private static boolean claims(int port) {
    try {
      return CLAIMED.add(
          new DatagramSocket(new InetSocketAddress(InetAddress.getByAddress(CLAIMS), port)));
    } catch (SocketException claimedBySomebody) {
      return false;
    } catch (UnknownHostException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static boolean isFree(int port) {
    try (ServerSocket socket = new ServerSocket(port, 1, InetAddress.getLoopbackAddress())) {
      return socket.isBound();
    } catch (IOException inUse) {
      return false;
    }
  }
}
