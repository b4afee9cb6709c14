// SPDX-License-Identifier: Apache-2.0
package io.stoa.client.quota;

import static io.stoa.net.transport.InvalidConfigException.refuse;
import static io.stoa.net.transport.InvalidConfigException.requireAtLeast;
import static io.stoa.net.transport.InvalidConfigException.requireNotNegative;

import java.time.Duration;

/**
 * The limits of each client network, or of each identity. 0 means no limit.
 *
 * <p>Threading: immutable.
 *
 * @param connections maximum number of connections
 * @param operationsInFlight maximum number of operations in flight
 * @param operationsPerSecond maximum rate of operations
 * @param burst number of operations that may exceed the rate at once; 0 means those of one second
 * @param failedBinds failed binds in a minute, beyond which answers to failed binds are delayed
 * @param failedBindDelay maximum delay of the answer to a failed bind
 */
public record QuotaConfig(
    int connections,
    int operationsInFlight,
    int operationsPerSecond,
    int burst,
    int failedBinds,
    Duration failedBindDelay) {
  /** Maximum delay of an answer: 1 min. Clients give up before. */
  private static final Duration MAX_DELAY = Duration.ofMinutes(1);

  /** Value of {@link #connections} for seven eighths of all connections, loopback exempt: -1. */
  public static final int AUTO = -1;

  /** No limits. */
  public static final QuotaConfig OFF = new QuotaConfig(0, 0, 0, 0, 0, Duration.ofSeconds(5));

  public QuotaConfig {
    requireAtLeast("connections", connections, AUTO);
    requireAtLeast("operationsInFlight", operationsInFlight, 0);
    requireAtLeast("operationsPerSecond", operationsPerSecond, 0);
    requireAtLeast("burst", burst, 0);
    requireAtLeast("failedBinds", failedBinds, 0);
    requireNotNegative("failedBindDelay", failedBindDelay);
    refuse(
        failedBindDelay.compareTo(MAX_DELAY) > 0,
        "failedBindDelay",
        " must be at most " + MAX_DELAY.toSeconds() + "s");
  }

  /** True if an operation has to be counted. */
  boolean countsOperations() {
    return operationsInFlight > 0 || operationsPerSecond > 0;
  }

  /** True if a limit depends on the binds of an identity. */
  boolean countsBinds() {
    return connections > 0 || failedBinds > 0;
  }

  int effectiveBurst() {
    return burst > 0 ? burst : operationsPerSecond;
  }
}
