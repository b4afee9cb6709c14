// SPDX-License-Identifier: Apache-2.0
package io.stoa.server.config;

import static io.stoa.server.config.value.ValueTypes.BOOLEAN;
import static io.stoa.server.config.value.ValueTypes.DURATION;
import static io.stoa.server.config.value.ValueTypes.FILE;
import static io.stoa.server.config.value.ValueTypes.NUMBER;
import static io.stoa.server.config.value.ValueTypes.TEXT;

import io.stoa.net.tls.TlsConfig;
import io.stoa.server.config.value.ValueType.Sequence;
import io.stoa.upstream.connect.NamesConfig;
import io.stoa.upstream.connect.UpstreamTransport;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * The keys about finding directory servers, and about the protection and the lifetime of
 * connections to them. Threading: immutable.
 */
final class TransportKeys {
  static final KeySection KEYS = new KeySection("upstream.");

  private static final UpstreamTransport DEFAULTS = UpstreamTransport.DEFAULTS;
  private static final NamesConfig NAMES = NamesConfig.DEFAULTS;

  static final ConfigKey<String> NAME_SERVER =
      KEYS.key(
          "nameServer",
          TEXT,
          NAMES.nameServer(),
          "DNS server, ADDRESS or ADDRESS:PORT, for the servers of a domain (ldap+srv://DOMAIN)."
              + " Empty: the system's.");
  static final ConfigKey<Duration> RESOLVE_INTERVAL =
      KEYS.key(
          "resolveInterval",
          DURATION,
          NAMES.resolveInterval(),
          "Interval of the DNS lookups for ldap+srv:// and ldaps+srv://.");
  static final ConfigKey<Duration> IDLE_TIMEOUT =
      KEYS.live(
          "idleTimeout",
          DURATION,
          DEFAULTS.idleTimeout(),
          "Time after which an idle connection to a server is closed; 0: never.");
  static final ConfigKey<Duration> MAX_AGE =
      KEYS.live(
          "maxConnectionAge",
          DURATION,
          DEFAULTS.maxAge(),
          "Maximum age of a connection to a server. An older one is replaced when nothing is in"
              + " flight on it. Some are replaced up to a quarter earlier, so that not all end at"
              + " once. 0: unlimited.");
  static final ConfigKey<Integer> MAX_CONNECTING =
      KEYS.live(
          "maxConnecting",
          NUMBER,
          DEFAULTS.maxConnecting(),
          "Maximum number of connections to one directory server that are being opened and bound at"
              + " once; further ones wait.");
  static final ConfigKey<Boolean> START_TLS =
      KEYS.key(
          "startTls",
          BOOLEAN,
          DEFAULTS.startTls(),
          "StartTLS on connections to ldap:// servers, before anything else is sent.");
  static final ConfigKey<Boolean> ALLOW_PLAIN =
      KEYS.key(
          "allowPlain",
          BOOLEAN,
          DEFAULTS.allowPlain(),
          "Permission to forward binds that came over TLS without TLS to servers on other"
              + " machines.");
  static final ConfigKey<Boolean> PROXY_PROTOCOL =
      KEYS.key(
          "proxyProtocol",
          BOOLEAN,
          DEFAULTS.proxyProtocol(),
          "PROXY protocol header (version 2) at the start of each connection. Servers must expect"
              + " it.");
  static final ConfigKey<Boolean> SESSION_TRACKING =
      KEYS.key(
          "sessionTracking",
          BOOLEAN,
          DEFAULTS.sessionTracking(),
          "Session tracking control on requests to servers, with the client's address and name.");
  static final ConfigKey<Optional<Path>> CA =
      KEYS.key(
          "tls.ca",
          FILE,
          Optional.empty(),
          "PEM file of the certificate authorities trusted for servers. Empty: authorities of the"
              + " Java runtime.");
  static final ConfigKey<Boolean> VERIFY_HOST =
      KEYS.key(
          "tls.verifyHost",
          BOOLEAN,
          DEFAULTS.verifyHost(),
          "Verification that a server's certificate is for the host of its URL.");
  static final ConfigKey<Optional<Path>> CERTIFICATE =
      KEYS.key(
          "tls.certificate",
          FILE,
          Optional.empty(),
          "PEM file of the client certificate that Stoa presents to servers that request one.");
  static final ConfigKey<Optional<Path>> KEY =
      KEYS.key(
          "tls.key",
          FILE,
          Optional.empty(),
          "PEM file of the private key of upstream.tls.certificate.");
  static final ConfigKey<Optional<Path>> KEY_PASSWORD_FILE =
      KEYS.key(
          "tls.keyPasswordFile",
          FILE,
          Optional.empty(),
          "File whose first line is the password of the private key.");
  static final ConfigKey<List<String>> PROTOCOLS =
      KEYS.key(
          "tls.protocols",
          new Sequence<>(TEXT, false),
          DEFAULTS.tls().protocols(),
          "Enabled versions of TLS for connections to servers.");
  static final ConfigKey<List<String>> CIPHERS =
      KEYS.key(
          "tls.ciphers",
          new Sequence<>(TEXT, true, "TLS_AES_256_GCM_SHA384"),
          DEFAULTS.tls().ciphers(),
          "Cipher suites in Java's spelling. Empty: suites with forward secrecy and authenticated"
              + " encryption.");

  /** The keys of files that must fit together. */
  static final List<ConfigKey<?>> FILES = List.of(CA, CERTIFICATE, KEY, KEY_PASSWORD_FILE);

  private TransportKeys() {}

  /** Builds the configuration of name lookups. */
  static NamesConfig names(Settings settings) {
    return new NamesConfig(settings.get(NAME_SERVER), settings.get(RESOLVE_INTERVAL));
  }

  /** Builds the configuration of the transport. */
  static UpstreamTransport transport(Settings settings) {
    return new UpstreamTransport(
        settings.get(START_TLS),
        tls(settings),
        settings.get(VERIFY_HOST),
        settings.get(ALLOW_PLAIN),
        settings.get(PROXY_PROTOCOL),
        settings.get(SESSION_TRACKING),
        settings.get(IDLE_TIMEOUT),
        settings.get(MAX_AGE),
        settings.get(MAX_CONNECTING));
  }

  /** Builds the configuration of TLS. */
  static TlsConfig tls(Settings settings) {
    return new TlsConfig(
        settings.get(CERTIFICATE).orElse(null),
        settings.get(KEY).orElse(null),
        settings.get(KEY_PASSWORD_FILE).orElse(null),
        settings.get(CA).orElse(null),
        DEFAULTS.tls().clientAuth(),
        settings.get(PROTOCOLS),
        settings.get(CIPHERS),
        settings.get(AccessKeys.PROVIDER));
  }
}
