// SPDX-License-Identifier: Apache-2.0
package io.stoa.server;

import java.net.InetSocketAddress;

/** Formats addresses as {@code HOST:PORT}, with brackets around IPv6. Threading: stateless. */
final class AddressText {
  private AddressText() {}

  static String of(InetSocketAddress address) {
    return of(address.getAddress().getHostAddress(), address.getPort());
  }

  private static String of(String host, int port) {
    return (host.indexOf(':') < 0 ? host : "[" + host + "]") + ":" + port;
  }
}
