// SPDX-License-Identifier: Apache-2.0
package io.stoa.server.config;

import static io.stoa.server.config.value.ValueTypes.DURATION;
import static io.stoa.server.config.value.ValueTypes.TEXT;

import io.stoa.server.config.value.ValueTypes;
import io.stoa.upstream.connection.ProbeConfig;
import java.time.Duration;

/** The keys of the section {@code probe}. Threading: immutable. */
final class ProbeKeys {
  static final KeySection KEYS = new KeySection("probe.");

  private static final ProbeConfig PROBE = ProbeConfig.DEFAULTS;

  static final ConfigKey<String> BIND_DN =
      KEYS.key(
          "bindDn",
          ValueTypes.DN,
          PROBE.bindDn(),
          "DN for health checks. Empty: anonymous, or the service account if there is one.");
  static final ConfigKey<String> PASSWORD_FILE =
      KEYS.key(
          "passwordFile",
          IdentityKeys.PASSWORD_FILE,
          PROBE.passwordFile(),
          "File with the password of probe.bindDn and nothing else; reread when a server refuses"
              + " the password.");
  static final ConfigKey<String> BASE =
      KEYS.key(
          "base",
          ValueTypes.DN,
          PROBE.base(),
          "DN of the entry that health checks read; a server without it is down. Empty: the root"
              + " DSE. Without probe.base, probe.filter and probe.expect, any answer counts as"
              + " up.");
  static final ConfigKey<String> FILTER =
      KEYS.key(
          "filter", TEXT, PROBE.filter(), "Filter that the entry of the health check must match.");
  static final ConfigKey<String> EXPECT =
      KEYS.key(
          "expect",
          TEXT,
          PROBE.expect(),
          "ATTRIBUTE=VALUE that the entry of the health check must have, regardless of case.");
  static final ConfigKey<Duration> INTERVAL =
      KEYS.key(
          "interval",
          DURATION,
          PROBE.interval(),
          "Interval of health checks of a server in use. A read without an answer triggers a"
              + " further one.");

  static final ConfigKey<ProbeConfig.Mismatch> MISMATCH =
      KEYS.key(
          "mismatch",
          ValueTypes.choice(ProbeConfig.Mismatch.class),
          PROBE.mismatch(),
          "Handling of a server whose contents differ from the first server of its directory:"
              + " warn, or refuse to use it. Naming contexts and the entryUUIDs of their top"
              + " entries are compared.");

  private ProbeKeys() {}

  /** Builds the section's configuration. */
  static ProbeConfig assemble(Settings settings) {
    return new ProbeConfig(
        settings.get(BIND_DN),
        settings.get(PASSWORD_FILE),
        settings.get(BASE),
        settings.get(FILTER),
        settings.get(EXPECT),
        settings.get(INTERVAL),
        settings.get(MISMATCH));
  }
}
