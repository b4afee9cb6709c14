// SPDX-License-Identifier: Apache-2.0
package io.stoa.server.config;

import io.stoa.net.tls.ClientAuthentication;
import io.stoa.net.tls.TlsConfig;
import io.stoa.net.tls.TlsProvider;
import io.stoa.server.config.value.JsonSchema;
import io.stoa.server.config.value.ValueType.Scalar;
import io.stoa.server.config.value.ValueTypes;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/** The keys of the section {@code management}. Threading: immutable. */
final class ManagementKeys {
  static final KeySection KEYS = new KeySection("management.");

  static final ConfigKey<ManagementAddress> LISTEN =
      KEYS.key(
          "listen",
          new Scalar<>(
              "ADDRESS:PORT or none",
              JsonSchema.string("none|(?:" + JsonSchema.anyCase("ldap") + "://)?[^/]*:[+-]?\\d+"),
              ManagementAddress::parse,
              ManagementAddress::toString),
          ManagementAddress.DEFAULT,
          "Address of the management listener (/metrics, /livez, /readyz), or none. If the key is"
              + " not set and the port is in use, a free port is used. An address other than"
              + " loopback requires the keys below.");

  static final ConfigKey<Optional<Path>> CERTIFICATE =
      KEYS.key(
          "certificate",
          ValueTypes.FILE,
          Optional.empty(),
          "PEM file of the listener's certificate, followed by the intermediate certificates;"
              + " reloaded when it changes. With it the listener serves HTTPS only.");

  static final ConfigKey<Optional<Path>> KEY =
      KEYS.key(
          "key",
          ValueTypes.FILE,
          Optional.empty(),
          "PEM file of the certificate's private key (PKCS #8).");

  static final ConfigKey<Optional<Path>> KEY_PASSWORD_FILE =
      KEYS.key(
          "keyPasswordFile",
          ValueTypes.FILE,
          Optional.empty(),
          "File whose first line is the password of the key, if it has one.");

  static final ConfigKey<Optional<Path>> TOKEN_FILE =
      KEYS.key(
          "tokenFile",
          ValueTypes.FILE,
          Optional.empty(),
          "File with a token of at least 16 letters, digits and -._~+/. Callers send it as a bearer"
              + " token, except to /livez and /readyz; reloaded when it changes.");

  /** The keys of files that must fit together. */
  static final List<ConfigKey<?>> FILES = List.of(CERTIFICATE, KEY, KEY_PASSWORD_FILE);

  private ManagementKeys() {}

  /** Builds the configuration of the listener. */
  static ManagementConfig assemble(Settings settings) {
    TlsConfig tls =
        new TlsConfig(
            settings.get(CERTIFICATE).orElse(null),
            settings.get(KEY).orElse(null),
            settings.get(KEY_PASSWORD_FILE).orElse(null),
            null,
            ClientAuthentication.NONE,
            TlsConfig.PROTOCOLS,
            List.of(),
            TlsProvider.AUTO,
            List.of());
    return new ManagementConfig(
        settings.get(LISTEN),
        tls.certificate() == null ? null : tls,
        settings.get(TOKEN_FILE).orElse(null));
  }
}
