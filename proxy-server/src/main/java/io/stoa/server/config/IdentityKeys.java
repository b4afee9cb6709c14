// SPDX-License-Identifier: Apache-2.0
package io.stoa.server.config;

import io.stoa.net.transport.FailureText;
import io.stoa.operation.PasswordFile;
import io.stoa.operation.external.ExternalRule;
import io.stoa.server.config.value.JsonSchema;
import io.stoa.server.config.value.ValueType.Scalar;
import io.stoa.server.config.value.ValueType.Sequence;
import io.stoa.server.config.value.ValueTypes;
import io.stoa.upstream.auth.IdentityConfig;
import io.stoa.upstream.auth.IdentityMode;
import io.stoa.upstream.auth.ServiceMechanism;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;

/** The keys of the section {@code identity}. Threading: immutable. */
final class IdentityKeys {
  static final KeySection KEYS = new KeySection("identity.");

  private static final IdentityConfig DEFAULTS = IdentityConfig.PASS_THROUGH;

  /** Type of the path of a password file. */
  static final Scalar<String> PASSWORD_FILE =
      new Scalar<>("file", JsonSchema.plain(), IdentityKeys::checkFile, ValueTypes::quote);

  static final ConfigKey<IdentityMode> MODE =
      KEYS.key(
          "mode",
          ValueTypes.choice(IdentityMode.class),
          DEFAULTS.mode(),
          "Identity of upstream connections: passThrough (bound as the clients), or proxied (bound"
              + " as a service account, with proxied authorization for the client, RFC 4370).");
  static final ConfigKey<String> SERVICE_DN =
      KEYS.key("serviceDn", ValueTypes.DN, DEFAULTS.serviceDn(), "DN of the service account.");
  static final ConfigKey<String> SERVICE_PASSWORD_FILE =
      KEYS.key(
          "servicePasswordFile",
          PASSWORD_FILE,
          DEFAULTS.servicePasswordFile(),
          "File with the service account's password and nothing else; reread when a server refuses"
              + " the password.");
  static final ConfigKey<ServiceMechanism> SERVICE_MECHANISM =
      KEYS.key(
          "serviceMechanism",
          ValueTypes.choice(
              ServiceMechanism.class,
              one -> one == ServiceMechanism.EXTERNAL ? "EXTERNAL" : "simple"),
          DEFAULTS.serviceMechanism(),
          "Mechanism of the service account's bind: simple (serviceDn and its password), or"
              + " EXTERNAL (Stoa's client certificate, or a local socket).");

  static final ConfigKey<List<String>> NEVER_PROXIED =
      KEYS.key(
          "neverProxied",
          new Sequence<>(ValueTypes.DN, true, "'cn=admin,dc=example,dc=com'"),
          DEFAULTS.neverProxied(),
          "Bind DNs of clients for which the service account never acts: their requests use"
              + " connections bound as these DNs.");

  static final ConfigKey<List<ExternalRule>> EXTERNAL =
      KEYS.key(
          "external",
          new Sequence<>(
              new Scalar<>(
                  "rule",
                  JsonSchema.string("(?:certificate|socket) [\\s\\S]* => [\\s\\S]*"),
                  ExternalRule::parse,
                  rule -> ValueTypes.quote(rule.toString())),
              true,
              "'certificate CN={user},OU=Apps,O=Example =>"
                  + " dn:uid={user},ou=apps,dc=example,dc=com'"),
          DEFAULTS.external(),
          "Mapping of clients that bind by SASL EXTERNAL to identities: certificate SUBJECT =>"
              + " AUTHZID, or socket USER => AUTHZID. The first matching rule applies.");

  private IdentityKeys() {}

  /** Builds the section's configuration. */
  static IdentityConfig assemble(Settings settings) {
    return new IdentityConfig(
        settings.get(MODE),
        settings.get(SERVICE_DN),
        settings.get(SERVICE_PASSWORD_FILE),
        settings.get(SERVICE_MECHANISM),
        settings.get(NEVER_PROXIED),
        settings.get(EXTERNAL));
  }

  private static String checkFile(String path) {
    try {
      if (!path.isEmpty()) {
        new PasswordFile(Path.of(path)).check();
      }
      return path;
    } catch (IOException e) {
      throw new IllegalArgumentException(FailureText.of(e), e);
    }
  }
}
