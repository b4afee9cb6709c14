// SPDX-License-Identifier: Apache-2.0
package io.stoa.frontend;

/**
 * An address on which clients are accepted. Immutable.
 *
 * @param host address or host name to bind
 * @param port TCP port; 0 lets the system choose a free one
 */
public record ListenerConfig(String host, int port) {
  public ListenerConfig {
    if (host.isBlank()) {
      throw new IllegalArgumentException("a listener needs an address, such as 127.0.0.1:389");
    }
    if (port < 0 || port > 65_535) {
      throw new IllegalArgumentException("port " + port + " is not within 0 and 65535");
    }
  }

  /**
   * Reads {@code HOST:PORT}, {@code [IPv6]:PORT} or {@code :PORT} (all addresses).
   *
   * @throws IllegalArgumentException if the text has another form
   */
  public static ListenerConfig parse(String text) {
    int colon = text.lastIndexOf(':');
    if (colon < 0) {
      throw new IllegalArgumentException("'" + text + "' is not ADDRESS:PORT");
    }
    String host = text.substring(0, colon);
    if (host.startsWith("[") && host.endsWith("]")) {
      host = host.substring(1, host.length() - 1);
    }
    try {
      return new ListenerConfig(
          host.isEmpty() ? "0.0.0.0" : host, Integer.parseInt(text.substring(colon + 1)));
    } catch (NumberFormatException e) {
      throw new IllegalArgumentException("'" + text + "' is not ADDRESS:PORT", e);
    }
  }
}
