// SPDX-License-Identifier: Apache-2.0
package io.stoa.server.config;

import io.stoa.client.listener.AccessConfig;
import io.stoa.client.listener.ListenerConfig;
import io.stoa.net.peer.Network;
import io.stoa.net.tls.ClientAuthentication;
import io.stoa.net.tls.TlsConfig;
import io.stoa.net.tls.TlsProvider;
import io.stoa.server.admin.auth.AdministratorConfig;
import io.stoa.server.admin.auth.OwnTrees;
import io.stoa.server.admin.auth.PasswordHash;
import io.stoa.server.config.value.ValueType.Scalar;
import io.stoa.server.config.value.ValueType.Sequence;
import io.stoa.server.config.value.ValueTypes;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/**
 * The keys about clients' access to Stoa, in the order of the documentation. Threading: immutable.
 */
final class AccessKeys {
  static final KeySection TOP = new KeySection("");
  static final KeySection TLS = new KeySection("tls.");

  static final ConfigKey<List<String>> PROXY_PROTOCOL =
      TOP.key(
          "proxyProtocol",
          new Sequence<>(ValueTypes.NETWORK, true, "10.0.0.0/8"),
          List.of(),
          "Networks of load balancers. Each connection from there must begin with a PROXY protocol"
              + " header, version 1 or 2.");
  static final ConfigKey<Integer> SOCKET_MODE =
      TOP.key(
          "socketMode",
          ValueTypes.OCTAL,
          AccessConfig.SOCKET_MODE,
          "Permissions of the sockets of ldapi:// listeners, such as 0660.");

  static final ConfigKey<Optional<Path>> CERTIFICATE =
      TLS.key(
          "certificate",
          ValueTypes.FILE,
          Optional.empty(),
          "PEM file of Stoa's certificate, followed by the intermediate certificates; reloaded when"
              + " it changes.");
  static final ConfigKey<Optional<Path>> KEY =
      TLS.key(
          "key",
          ValueTypes.FILE,
          Optional.empty(),
          "PEM file of the certificate's private key (PKCS #8).");
  static final ConfigKey<Optional<Path>> KEY_PASSWORD_FILE =
      TLS.key(
          "keyPasswordFile",
          ValueTypes.FILE,
          Optional.empty(),
          "File whose first line is the password of the key, if it has one.");
  static final ConfigKey<Optional<Path>> CLIENT_CA =
      TLS.key(
          "clientCa",
          ValueTypes.FILE,
          Optional.empty(),
          "PEM file of the certificate authorities that issue client certificates.");
  static final ConfigKey<ClientAuthentication> CLIENT_AUTH =
      TLS.key(
          "clientAuth",
          ValueTypes.choice(ClientAuthentication.class),
          ClientAuthentication.NONE,
          "Client certificates: none, request (optional) or require (clients without one are"
              + " refused). The last two need tls.clientCa.");
  static final ConfigKey<Boolean> REQUIRE_TLS =
      TLS.key(
          "requireTls",
          ValueTypes.BOOLEAN,
          false,
          "Refusal of binds with a password or by SASL on connections without TLS, except on"
              + " ldapi://.");
  static final ConfigKey<Boolean> ALLOW_PLAIN_SASL =
      TLS.key(
          "allowPlainSasl",
          ValueTypes.BOOLEAN,
          false,
          "Permission of SASL PLAIN and LOGIN for clients without TLS. A directory that requires"
              + " TLS cannot refuse them, since it sees only Stoa's TLS.");
  static final ConfigKey<List<String>> PROTOCOLS =
      TLS.key(
          "protocols",
          new Sequence<>(ValueTypes.TEXT, false),
          TlsConfig.PROTOCOLS,
          "Enabled versions of TLS: TLSv1.3, TLSv1.2.");
  static final ConfigKey<List<String>> CIPHERS =
      TLS.key(
          "ciphers",
          new Sequence<>(ValueTypes.TEXT, true, "TLS_AES_256_GCM_SHA384"),
          List.of(),
          "Cipher suites in Java's spelling. Empty: suites with forward secrecy and authenticated"
              + " encryption.");
  static final ConfigKey<TlsProvider> PROVIDER =
      TLS.key(
          "provider",
          ValueTypes.choice(TlsProvider.class),
          TlsProvider.AUTO,
          "TLS implementation: openssl (BoringSSL), jdk (the Java runtime), or auto (openssl where"
              + " it runs, otherwise jdk).");

  /** The keys of files that must fit together. */
  static final List<ConfigKey<?>> FILES = List.of(CERTIFICATE, KEY, KEY_PASSWORD_FILE, CLIENT_CA);

  private AccessKeys() {}

  /** The keys of the section {@code admin}. Threading: immutable. */
  static final class Administrator {
    static final KeySection KEYS = new KeySection("");

    private static final Scalar<String> READER =
        new Scalar<>("DN or *", Administrator::reader, ValueTypes::quote);

    static final ConfigKey<List<String>> READERS =
        KEYS.live(
            "monitor.readers",
            new Sequence<>(READER, true, "'cn=monitoring,dc=example,dc=com'"),
            List.of(),
            "DNs of the clients that may read servers, feeds, sharing classes and write windows in"
                + " cn=monitor; '*' for all clients. Others read counters only, the administrator"
                + " reads everything.");

    static final ConfigKey<Boolean> TREE =
        KEYS.key(
            "admin.tree",
            ValueTypes.BOOLEAN,
            true,
            "Entries of cn=configuration, and an administrator. False: operations and binds below"
                + " cn=configuration go to the directory.");
    static final ConfigKey<String> DN =
        KEYS.live(
            "admin.dn",
            ValueTypes.DN,
            AdministratorConfig.DEFAULTS.dn(),
            "DN of Stoa's administrator, below cn=configuration.");
    static final ConfigKey<Optional<PasswordHash>> PASSWORD_HASH =
        KEYS.live(
            "admin.passwordHash",
            new Scalar<>("hash", Administrator::parse, Administrator::print),
            AdministratorConfig.DEFAULTS.passwordHash(),
            "Hash of the administrator's password, as printed by 'stoa hash-password'. Empty: binds"
                + " by password are disabled.");
    static final ConfigKey<List<String>> NETWORKS =
        KEYS.live(
            "admin.networks",
            new Sequence<>(ValueTypes.NETWORK, true, "10.0.0.0/8"),
            List.of(),
            "Networks of the clients that may read cn=monitor and bind as the administrator. Empty:"
                + " all. Local sockets are always allowed.");

    static final ConfigKey<List<ListenerConfig>> LISTENERS =
        KEYS.live(
            "admin.listeners",
            new Sequence<>(ValueTypes.LISTENER, true, "'127.0.0.1:1389'"),
            List.of(),
            "Listeners at which the clients of admin.networks must connect. Empty: any. Local"
                + " sockets are always allowed.");
    static final ConfigKey<Optional<Path>> CHANGES =
        KEYS.key(
            "admin.changes",
            ValueTypes.FILE,
            Optional.empty(),
            "File for changes made through cn=configuration. Empty: the name of this file with"
                + " '.changes' appended.");

    private Administrator() {}

    /** Builds the section's configuration. */
    static AdministratorConfig assemble(Settings settings) {
      return new AdministratorConfig(
          settings.get(DN),
          settings.get(PASSWORD_HASH),
          settings.get(NETWORKS).stream().map(Network::parse).toList(),
          settings.get(LISTENERS),
          settings.get(READERS),
          new OwnTrees(settings.get(ConfigKeys.MONITOR_TREE), settings.get(TREE)));
    }

    private static String reader(String text) {
      return text.equals(AdministratorConfig.ALL_CLIENTS)
          ? text
          : ValueTypes.DN.parser().apply(text);
    }

    private static Optional<PasswordHash> parse(String text) {
      return text.isEmpty() ? Optional.empty() : Optional.of(PasswordHash.parse(text));
    }

    private static String print(Optional<PasswordHash> hash) {
      return ValueTypes.quote(hash.map(PasswordHash::print).orElse(""));
    }
  }
}
