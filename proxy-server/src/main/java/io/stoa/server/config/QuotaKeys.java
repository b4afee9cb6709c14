// SPDX-License-Identifier: Apache-2.0
package io.stoa.server.config;

import static io.stoa.server.config.value.ValueTypes.DURATION;
import static io.stoa.server.config.value.ValueTypes.NUMBER;

import io.stoa.client.quota.QuotaConfig;
import io.stoa.client.quota.Quotas;
import io.stoa.server.config.value.JsonSchema;
import io.stoa.server.config.value.ValueType.Scalar;
import java.time.Duration;

/**
 * The keys of the sections {@code limits.network} and {@code limits.identity}, which are alike.
 * Threading: immutable.
 */
final class QuotaKeys {
  private static final QuotaConfig OFF = QuotaConfig.OFF;
  private static final String AUTO = "auto";

  static final QuotaKeys NETWORK =
      new QuotaKeys(
          "limits.network.",
          "client network (an IPv4 address or an IPv6 /64)",
          new Scalar<>(
              "number or auto",
              JsonSchema.number(0, Integer.MAX_VALUE, AUTO + "|[+-]?\\d+"),
              QuotaKeys::parse,
              QuotaKeys::print),
          Quotas.DEFAULTS.network().connections(),
          " auto: seven eighths of limits.connections, and unlimited for loopback addresses.");

  static final QuotaKeys IDENTITY =
      new QuotaKeys("limits.identity.", "bound identity", NUMBER, OFF.connections(), "");

  private final KeySection keys;
  private final ConfigKey<Integer> connections;
  private final ConfigKey<Integer> operationsInFlight;
  private final ConfigKey<Integer> operationsPerSecond;
  private final ConfigKey<Integer> burst;
  private final ConfigKey<Integer> failedBinds;
  private final ConfigKey<Duration> failedBindDelay;

  /**
   * Creates the keys of a section.
   *
   * @param owner who has the limits, for users
   * @param type type of the limit of connections
   * @param note further sentences about the limit of connections
   */
  private QuotaKeys(
      String prefix, String owner, Scalar<Integer> type, int defaultConnections, String note) {
    keys = new KeySection(prefix);
    String of = " of one " + owner + ". 0: unlimited.";
    connections =
        keys.live(
            "connections", type, defaultConnections, "Maximum number of connections" + of + note);
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

  private static int parse(String text) {
    int number = text.equals(AUTO) ? QuotaConfig.AUTO : NUMBER.parser().apply(text);
    if (number < 0 && !text.equals(AUTO)) {
      throw new IllegalArgumentException("'" + text + "' must be auto or a number of at least 0");
    }
    return number;
  }

  private static String print(int number) {
    return number == QuotaConfig.AUTO ? AUTO : Integer.toString(number);
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
