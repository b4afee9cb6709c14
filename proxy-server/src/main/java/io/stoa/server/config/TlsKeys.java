// SPDX-License-Identifier: Apache-2.0
package io.stoa.server.config;

import static io.stoa.net.transport.InvalidConfigException.refuse;

import io.stoa.net.tls.ClientAuthentication;
import io.stoa.net.tls.TlsConfig;
import io.stoa.net.tls.TlsProvider;
import io.stoa.server.config.value.ValueType.Sequence;
import io.stoa.server.config.value.ValueTypes;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The keys of the section {@code tls}: TLS of the listeners. {@link UpstreamTlsKeys} has those of
 * connections to servers. {@code net.tls.TlsMaterial} reads the files. Threading: immutable.
 */
final class TlsKeys {
  static final KeySection KEYS = new KeySection("tls.");

  static final ConfigKey<Optional<Path>> CERTIFICATE =
      KEYS.key(
          "certificate",
          ValueTypes.FILE,
          Optional.empty(),
          "PEM file of Stoa's certificate, followed by the intermediate certificates; reloaded when"
              + " it changes.");

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

  static final ConfigKey<Optional<Path>> CLIENT_CA =
      KEYS.key(
          "clientCa",
          ValueTypes.FILE,
          Optional.empty(),
          "PEM file of the certificate authorities that issue client certificates.");

  static final ConfigKey<ClientAuthentication> CLIENT_AUTH =
      KEYS.key(
          "clientAuth",
          ValueTypes.choice(ClientAuthentication.class),
          ClientAuthentication.NONE,
          "Client certificates: none, request (optional) or require (clients without one are"
              + " refused). The last two need tls.clientCa.");

  static final ConfigKey<Boolean> REQUIRE_TLS =
      KEYS.key(
          "requireTls",
          ValueTypes.BOOLEAN,
          false,
          "Refusal of binds with a password or by SASL on connections without TLS, except on"
              + " ldapi://.");

  static final ConfigKey<Boolean> ALLOW_PLAIN_SASL =
      KEYS.key(
          "allowPlainSasl",
          ValueTypes.BOOLEAN,
          false,
          "Permission of SASL PLAIN and LOGIN for clients without TLS. A directory that requires"
              + " TLS cannot refuse them, since it sees only Stoa's TLS.");

  static final ConfigKey<List<String>> PROTOCOLS =
      KEYS.key(
          "protocols",
          new Sequence<>(ValueTypes.TEXT, false),
          TlsConfig.PROTOCOLS,
          "Enabled versions of TLS: TLSv1.3, TLSv1.2.");

  static final ConfigKey<List<String>> CIPHERS =
      KEYS.key(
          "ciphers",
          new Sequence<>(ValueTypes.TEXT, true, "TLS_AES_256_GCM_SHA384"),
          List.of(),
          "Cipher suites in Java's spelling. Empty: suites with forward secrecy and authenticated"
              + " encryption.");

  static final ConfigKey<TlsProvider> PROVIDER =
      KEYS.key(
          "provider",
          ValueTypes.choice(TlsProvider.class),
          TlsProvider.AUTO,
          "TLS implementation: openssl (BoringSSL), jdk (the Java runtime), or auto (openssl where"
              + " it runs, otherwise jdk).");

  static final ConfigKey<List<Optional<Path>>> CRL =
      KEYS.key(
          "crl",
          new Sequence<>(ValueTypes.FILE, true, "/etc/stoa/clients.crl"),
          List.of(),
          "Files of certificate revocation lists (PEM or DER) against which client certificates are"
              + " checked; reloaded when they change. Each authority of a chain needs a list.");

  /** The keys of files that must fit together. */
  static final List<ConfigKey<?>> FILES =
      List.of(CERTIFICATE, KEY, KEY_PASSWORD_FILE, CLIENT_CA, CRL);

  private TlsKeys() {}

  /** Builds the TLS configuration of the listeners; null without a certificate. */
  static @Nullable TlsConfig assemble(Settings settings) {
    refuse(
        !settings.get(CRL).isEmpty() && settings.get(CLIENT_AUTH) == ClientAuthentication.NONE,
        "crl",
        " requires ",
        "clientAuth",
        ": request or require");
    TlsConfig tls =
        new TlsConfig(
            settings.get(CERTIFICATE).orElse(null),
            settings.get(KEY).orElse(null),
            settings.get(KEY_PASSWORD_FILE).orElse(null),
            settings.get(CLIENT_CA).orElse(null),
            settings.get(CLIENT_AUTH),
            settings.get(PROTOCOLS),
            settings.get(CIPHERS),
            settings.get(PROVIDER),
            settings.get(CRL).stream().flatMap(Optional::stream).toList());
    return tls.certificate() == null ? null : tls;
  }
}
