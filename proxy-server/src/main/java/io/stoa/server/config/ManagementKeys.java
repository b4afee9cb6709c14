// SPDX-License-Identifier: Apache-2.0
package io.stoa.server.config;

import io.stoa.server.config.value.ValueType.Scalar;

/** The key of the section {@code management}. Threading: immutable. */
final class ManagementKeys {
  static final KeySection KEYS = new KeySection("management.");

  static final ConfigKey<ManagementConfig> LISTEN =
      KEYS.key(
          "listen",
          new Scalar<>("ADDRESS:PORT or none", ManagementConfig::parse, ManagementConfig::toString),
          ManagementConfig.DEFAULT,
          "Address of the management listener (/metrics, /livez, /readyz), or none. If the key is"
              + " not set and the port is in use, a free port is used.");

  private ManagementKeys() {}
}
