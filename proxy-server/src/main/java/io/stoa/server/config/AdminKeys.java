// SPDX-License-Identifier: Apache-2.0
package io.stoa.server.config;

import io.stoa.client.listener.ListenerConfig;
import io.stoa.net.peer.Network;
import io.stoa.server.admin.auth.AdministratorConfig;
import io.stoa.server.admin.auth.OwnTrees;
import io.stoa.server.admin.auth.PasswordHash;
import io.stoa.server.config.value.JsonSchema;
import io.stoa.server.config.value.ValueType.Scalar;
import io.stoa.server.config.value.ValueType.Sequence;
import io.stoa.server.config.value.ValueTypes;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/** The keys of the section {@code admin}. Threading: immutable. */
final class AdminKeys {
  static final KeySection KEYS = new KeySection("admin.");

  static final ConfigKey<Boolean> TREE =
      KEYS.key(
          "tree",
          ValueTypes.BOOLEAN,
          true,
          "Entries of cn=configuration, and an administrator. False: operations and binds below"
              + " cn=configuration go to the directory.");

  static final ConfigKey<String> DN =
      KEYS.live(
          "dn",
          ValueTypes.DN,
          AdministratorConfig.DEFAULTS.dn(),
          "DN of Stoa's administrator, below cn=configuration.");

  static final ConfigKey<Optional<PasswordHash>> PASSWORD_HASH =
      KEYS.live(
          "passwordHash",
          new Scalar<>(
              "hash",
              JsonSchema.string("|\\{PBKDF2-SHA512\\}[0-9]+\\$[\\w./]+\\$[\\w./]+"),
              AdminKeys::parse,
              AdminKeys::print),
          AdministratorConfig.DEFAULTS.passwordHash(),
          "Hash of the administrator's password, as printed by 'stoa hash-password'. Empty: binds"
              + " by password are disabled.");

  static final ConfigKey<List<String>> NETWORKS =
      KEYS.live(
          "networks",
          new Sequence<>(ValueTypes.NETWORK, true, "10.0.0.0/8"),
          List.of(),
          "Networks of the clients that may read cn=monitor and bind as the administrator. Empty:"
              + " all. Local sockets are always allowed.");

  static final ConfigKey<List<ListenerConfig>> LISTENERS =
      KEYS.live(
          "listeners",
          new Sequence<>(ValueTypes.LISTENER, true, "'127.0.0.1:1389'"),
          List.of(),
          "Listeners at which the clients of admin.networks must connect. Empty: any. Local"
              + " sockets are always allowed.");

  static final ConfigKey<Optional<Path>> CHANGES =
      KEYS.key(
          "changes",
          ValueTypes.FILE,
          Optional.empty(),
          "File for changes made through cn=configuration. Empty: the name of this file with"
              + " '.changes' appended.");

  private AdminKeys() {}

  /** Builds the section's configuration. */
  static AdministratorConfig assemble(Settings settings) {
    return new AdministratorConfig(
        settings.get(DN),
        settings.get(PASSWORD_HASH),
        settings.get(NETWORKS).stream().map(Network::parse).toList(),
        settings.get(LISTENERS),
        settings.get(MonitorKeys.READERS),
        new OwnTrees(settings.get(MonitorKeys.TREE), settings.get(TREE)));
  }

  private static Optional<PasswordHash> parse(String text) {
    return text.isEmpty() ? Optional.empty() : Optional.of(PasswordHash.parse(text));
  }

  private static String print(Optional<PasswordHash> hash) {
    return ValueTypes.quote(hash.map(PasswordHash::print).orElse(""));
  }
}
