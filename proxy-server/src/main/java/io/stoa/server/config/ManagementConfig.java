// SPDX-License-Identifier: Apache-2.0
package io.stoa.server.config;

import io.stoa.client.listener.ListenerConfig;
import org.jspecify.annotations.Nullable;

/**
 * Where the management listener stands. Immutable.
 *
 * @param listener its address; null for no management listener
 * @param anyPort whether a free port is taken where that of {@code listener} is in use
 */
public record ManagementConfig(@Nullable ListenerConfig listener, boolean anyPort) {
  /** Where nothing else is said: known to nobody but this host, and never a reason to fail. */
  public static final ManagementConfig DEFAULT =
      new ManagementConfig(new ListenerConfig("127.0.0.1", 9389), true);

  /** No management listener. */
  public static final ManagementConfig NONE = new ManagementConfig(null, false);

  private static final String NONE_TEXT = "none";

  /**
   * Reads {@code ADDRESS:PORT}, which then must be free, or {@code none}.
   *
   * @throws IllegalArgumentException if the text has another form
   */
  public static ManagementConfig parse(String text) {
    if (text.equals(NONE_TEXT)) {
      return NONE;
    }
    ListenerConfig listener = ListenerConfig.parse(text);
    if (listener.kind() != ListenerConfig.Kind.LDAP) {
      throw new IllegalArgumentException("'" + text + "' is not ADDRESS:PORT");
    }
    return new ManagementConfig(listener, false);
  }

  @Override
  public String toString() {
    return listener == null ? NONE_TEXT : listener.toString();
  }
}
