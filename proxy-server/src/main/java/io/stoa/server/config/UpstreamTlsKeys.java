// SPDX-License-Identifier: Apache-2.0
package io.stoa.server.config;

import static io.stoa.server.config.value.ValueTypes.BOOLEAN;
import static io.stoa.server.config.value.ValueTypes.FILE;
import static io.stoa.server.config.value.ValueTypes.TEXT;

import io.stoa.net.tls.TlsConfig;
import io.stoa.server.config.value.ValueType.Sequence;
import io.stoa.upstream.connect.UpstreamTransport;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/** The keys of the section {@code upstream.tls}. Threading: immutable. */
final class UpstreamTlsKeys {
  static final KeySection KEYS = new KeySection("upstream.tls.");

  private static final UpstreamTransport DEFAULTS = UpstreamTransport.DEFAULTS;

  static final ConfigKey<Optional<Path>> CA =
      KEYS.key(
          "ca",
          FILE,
          Optional.empty(),
          "PEM file of the certificate authorities trusted for servers. Empty: authorities of the"
              + " Java runtime.");

  static final ConfigKey<Boolean> VERIFY_HOST =
      KEYS.key(
          "verifyHost",
          BOOLEAN,
          DEFAULTS.verifyHost(),
          "Verification that a server's certificate is for the host of its URL.");

  static final ConfigKey<Optional<Path>> CERTIFICATE =
      KEYS.key(
          "certificate",
          FILE,
          Optional.empty(),
          "PEM file of the client certificate that Stoa presents to servers that request one.");

  static final ConfigKey<Optional<Path>> KEY =
      KEYS.key(
          "key",
          FILE,
          Optional.empty(),
          "PEM file of the private key of upstream.tls.certificate.");

  static final ConfigKey<Optional<Path>> KEY_PASSWORD_FILE =
      KEYS.key(
          "keyPasswordFile",
          FILE,
          Optional.empty(),
          "File whose first line is the password of the private key.");

  static final ConfigKey<List<String>> PROTOCOLS =
      KEYS.key(
          "protocols",
          new Sequence<>(TEXT, false),
          DEFAULTS.tls().protocols(),
          "Enabled versions of TLS for connections to servers.");

  static final ConfigKey<List<String>> CIPHERS =
      KEYS.key(
          "ciphers",
          new Sequence<>(TEXT, true, "TLS_AES_256_GCM_SHA384"),
          DEFAULTS.tls().ciphers(),
          "Cipher suites in Java's spelling. Empty: suites with forward secrecy and authenticated"
              + " encryption.");

  static final ConfigKey<List<Optional<Path>>> CRL =
      KEYS.key(
          "crl",
          new Sequence<>(FILE, true, "/etc/stoa/servers.crl"),
          List.of(),
          "Files of certificate revocation lists (PEM or DER) against which servers' certificates"
              + " are checked; reloaded when they change. Each authority of a chain needs a list.");

  /** The keys of files that must fit together. */
  static final List<ConfigKey<?>> FILES = List.of(CA, CERTIFICATE, KEY, KEY_PASSWORD_FILE, CRL);

  private UpstreamTlsKeys() {}

  /** Builds the TLS configuration of the connections to servers. */
  static TlsConfig assemble(Settings settings) {
    return new TlsConfig(
        settings.get(CERTIFICATE).orElse(null),
        settings.get(KEY).orElse(null),
        settings.get(KEY_PASSWORD_FILE).orElse(null),
        settings.get(CA).orElse(null),
        DEFAULTS.tls().clientAuth(),
        settings.get(PROTOCOLS),
        settings.get(CIPHERS),
        settings.get(TlsKeys.PROVIDER),
        settings.get(CRL).stream().flatMap(Optional::stream).toList());
  }
}
