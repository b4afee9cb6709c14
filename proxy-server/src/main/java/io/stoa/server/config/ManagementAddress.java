// SPDX-License-Identifier: Apache-2.0
package io.stoa.server.config;

import io.netty.util.NetUtil;
import io.stoa.client.listener.ListenerConfig;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * Address of the management listener.
 *
 * <p>Threading: immutable.
 *
 * @param listener the address; null for no management listener
 * @param anyPort true if a free port is used when the port of {@code listener} is in use
 */
public record ManagementAddress(@Nullable ListenerConfig listener, boolean anyPort) {
  /**
   * Default: a port of the loopback address, or a free one if it is in use, so that it never
   * prevents the start.
   */
  public static final ManagementAddress DEFAULT =
      new ManagementAddress(new ListenerConfig("127.0.0.1", 9389), true);

  /** No management listener. */
  public static final ManagementAddress NONE = new ManagementAddress(null, false);

  private static final String NONE_TEXT = "none";
  private static final String LOCALHOST = "localhost";

  /**
   * Parses {@code ADDRESS:PORT}, whose port must be free, or {@code none}.
   *
   * @throws IllegalArgumentException if the text has another form
   */
  public static ManagementAddress parse(String text) {
    if (text.equals(NONE_TEXT)) {
      return NONE;
    }
    ListenerConfig listener = ListenerConfig.parse(text);
    if (listener.kind() != ListenerConfig.Protocol.LDAP) {
      throw new IllegalArgumentException("'" + text + "' must have the form ADDRESS:PORT");
    }
    return new ManagementAddress(listener, false);
  }

  /**
   * True if only processes of this host reach the listener. A name other than localhost counts as
   * reachable, since its address may change.
   */
  public boolean isLocal() {
    return listener == null || isLoopback(listener.host());
  }

  private static boolean isLoopback(String host) {
    byte[] address = NetUtil.createByteArrayFromIpAddressString(host);
    if (address == null) {
      return host.toLowerCase(Locale.ROOT).equals(LOCALHOST);
    }
    try {
      return InetAddress.getByAddress(address).isLoopbackAddress();
    } catch (UnknownHostException e) {
      throw new IllegalStateException("an address has 4 or 16 octets", e);
    }
  }

  @Override
  public String toString() {
    return listener == null ? NONE_TEXT : listener.toString();
  }
}
