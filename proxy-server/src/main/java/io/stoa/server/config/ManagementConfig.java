// SPDX-License-Identifier: Apache-2.0
package io.stoa.server.config;

import static io.stoa.net.transport.InvalidConfigException.refuse;

import io.stoa.client.listener.ListenerConfig;
import io.stoa.net.tls.TlsConfig;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * The management listener and its protection.
 *
 * <p>Threading: immutable.
 *
 * @param address the address
 * @param tls its certificate; null for no TLS
 * @param tokenFile file with the token that callers must send; null if none is required
 */
public record ManagementConfig(
    ManagementAddress address, @Nullable TlsConfig tls, @Nullable Path tokenFile) {
  /** Default: the loopback address, without TLS and token. */
  public static final ManagementConfig DEFAULT = of(ManagementAddress.DEFAULT);

  /** No management listener. */
  public static final ManagementConfig NONE = of(ManagementAddress.NONE);

  public ManagementConfig {
    refuse(
        !address.isLocal() && (tls == null || tokenFile == null),
        "listen",
        ": " + address + " is not a loopback address, so it requires ",
        "certificate",
        ", ",
        "key",
        " and ",
        "tokenFile",
        "");
  }

  /** Creates a listener on the loopback address, without TLS and token. */
  public ManagementConfig(ListenerConfig listener, boolean anyPort) {
    this(new ManagementAddress(listener, anyPort), null, null);
  }

  private static ManagementConfig of(ManagementAddress address) {
    return new ManagementConfig(address, null, null);
  }

  /**
   * Parses a loopback address and port, or {@code none}.
   *
   * @throws IllegalArgumentException if the text has another form, or the address another host
   */
  public static ManagementConfig parse(String text) {
    return of(ManagementAddress.parse(text));
  }

  /** Returns the address; null for no management listener. */
  public @Nullable ListenerConfig listener() {
    return address.listener();
  }

  @Override
  public String toString() {
    return address.toString();
  }
}
