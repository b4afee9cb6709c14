// SPDX-License-Identifier: Apache-2.0
package io.stoa.server.config;

import static io.stoa.server.config.value.ValueTypes.DURATION;
import static io.stoa.server.config.value.ValueTypes.NUMBER;

import io.stoa.client.quota.QuotaConfig;
import io.stoa.client.quota.Quotas;
import java.time.Duration;

/**
 * The keys of the sections {@code limits.network} and {@code limits.identity}, which are alike.
 * Threading: immutable.
 */
final class QuotaKeys {
  private static final QuotaConfig OFF = QuotaConfig.OFF;

  static final QuotaKeys NETWORK =
      new QuotaKeys("limits.network.", "client network (an IPv4 address or an IPv6 /64)");
  static final QuotaKeys IDENTITY = new QuotaKeys("limits.identity.", "bound identity");

  private final KeySection keys;
  private final ConfigKey<Integer> connections;
  private final ConfigKey<Integer> operationsInFlight;
  private final ConfigKey<Integer> operationsPerSecond;
  private final ConfigKey<Integer> burst;
  private final ConfigKey<Integer> failedBinds;
  private final ConfigKey<Duration> failedBindDelay;

  private QuotaKeys(String prefix, String owner) {
    keys = new KeySection(prefix);
    String of = " of one " + owner + ". 0: unlimited.";
    connections =
        keys.live("connections", NUMBER, OFF.connections(), "Maximum number of connections" + of);
    operationsInFlight =
        keys.live(
            "operationsInFlight",
            NUMBER,
            OFF.operationsInFlight(),
            "Maximum number of operations in flight" + of);
    operationsPerSecond =
        keys.live(
            "operationsPerSecond",
            NUMBER,
            OFF.operationsPerSecond(),
            "Maximum number of operations in a second" + of);
    burst =
        keys.live(
            "burst",
            NUMBER,
            OFF.burst(),
            "Number of operations that may come at once. 0: as many as in a second.");
    failedBinds =
        keys.live(
            "failedBinds",
            NUMBER,
            OFF.failedBinds(),
            "Number of failed binds in a minute, beyond which answers to failed binds wait, longer"
                + " with each failure. 0: unlimited.");
    failedBindDelay =
        keys.live(
            "failedBindDelay",
            DURATION,
            OFF.failedBindDelay(),
            "Maximum delay of the answer to a failed bind, at most 1m.");
  }

  /** Returns the keys of the section. */
  KeySection keys() {
    return keys;
  }

  /** Builds the limits of networks and of identities. */
  static Quotas assemble(Settings settings) {
    return new Quotas(NETWORK.limits(settings), IDENTITY.limits(settings));
  }

  /** Builds the limits of the section. */
  QuotaConfig limits(Settings settings) {
    return new QuotaConfig(
        settings.get(connections),
        settings.get(operationsInFlight),
        settings.get(operationsPerSecond),
        settings.get(burst),
        settings.get(failedBinds),
        settings.get(failedBindDelay));
  }
}
