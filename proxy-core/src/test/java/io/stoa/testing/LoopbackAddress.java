// SPDX-License-Identifier: Apache-2.0
package io.stoa.testing;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.UnknownHostException;
import java.util.concurrent.ThreadLocalRandom;

/** An address of 127.0.0.0/8 that nobody uses, for a server whose port cannot be chosen. */
final class LoopbackAddress {
  private static final int ATTEMPTS = 50;

  private LoopbackAddress() {}

  /** An address on which this port is free at this moment. */
  static InetSocketAddress next(int port) {
    IOException last = null;
    for (int i = 0; i < ATTEMPTS; i++) {
      InetAddress address = random();
      try (ServerSocket socket = new ServerSocket(port, 1, address)) {
        return new InetSocketAddress(address, socket.getLocalPort());
      } catch (IOException e) {
        last = e;
      }
    }
    throw new AssertionError(
        "port %d of no loopback address can be had: run the tests as root, and end what listens on it"
            .formatted(port),
        last);
  }

  private static InetAddress random() {
    ThreadLocalRandom random = ThreadLocalRandom.current();
    byte[] octets = {
      127, (byte) random.nextInt(1, 255), (byte) random.nextInt(255), (byte) random.nextInt(1, 255)
    };
    try {
      return InetAddress.getByAddress(octets);
    } catch (UnknownHostException e) {
      throw new AssertionError("four octets are an address", e);
    }
  }
}
