// SPDX-License-Identifier: Apache-2.0
package io.stoa.server.config;

import io.stoa.client.listener.ListenerConfig;
import org.jspecify.annotations.Nullable;

/**
 * Address of the management listener.
 *
 * <p>Threading: immutable.
 *
 * @param listener the address; null for no management listener
 * @param anyPort true if a free port is used when the port of {@code listener} is in use
 */
public record ManagementConfig(@Nullable ListenerConfig listener, boolean anyPort) {
  /**
   * Default: a port of the loopback address, or a free one if it is in use, so that it never
   * prevents the start.
   */
  public static final ManagementConfig DEFAULT =
      new ManagementConfig(new ListenerConfig("127.0.0.1", 9389), true);

  /** No management listener. */
  public static final ManagementConfig NONE = new ManagementConfig(null, false);

  private static final String NONE_TEXT = "none";

  /**
   * Parses {@code ADDRESS:PORT}, whose port must be free, or {@code none}.
   *
   * @throws IllegalArgumentException if the text has another form
   */
  public static ManagementConfig parse(String text) {
    if (text.equals(NONE_TEXT)) {
      return NONE;
    }
    ListenerConfig listener = ListenerConfig.parse(text);
    if (listener.kind() != ListenerConfig.Protocol.LDAP) {
      throw new IllegalArgumentException("'" + text + "' must have the form ADDRESS:PORT");
    }
    return new ManagementConfig(listener, false);
  }

  @Override
  public String toString() {
    return listener == null ? NONE_TEXT : listener.toString();
  }
}
