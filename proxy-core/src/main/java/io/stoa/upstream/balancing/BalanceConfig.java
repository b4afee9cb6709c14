// SPDX-License-Identifier: Apache-2.0
package io.stoa.upstream.balancing;

import static io.stoa.net.transport.InvalidConfigException.refuse;
import static io.stoa.net.transport.InvalidConfigException.requireAtLeast;
import static io.stoa.net.transport.InvalidConfigException.requireNotNegative;

import java.time.Duration;
import java.util.List;

/**
 * Load balancing.
 *
 * <p>Threading: immutable.
 *
 * @param strategies strategy of the first tier, of the second, and so on; the last one also applies
 *     to all further tiers
 * @param reads servers that answer reads
 * @param slowStart time from a server's return to its full share of the load
 * @param ejection duration of an outlier's first ejection; 0 for never
 * @param maxInFlight maximum number of operations in flight at one server; 0 for as many as it
 *     tolerates
 */
public record BalanceConfig(
    List<Balancing> strategies,
    Reads reads,
    Duration slowStart,
    Duration ejection,
    int maxInFlight) {
  /** Defaults: least outstanding, over all servers. */
  public static final BalanceConfig DEFAULTS =
      new BalanceConfig(
          List.of(Balancing.LEAST_OUTSTANDING),
          Reads.ALL,
          Duration.ofSeconds(10),
          Duration.ofSeconds(10));

  public BalanceConfig {
    strategies = List.copyOf(strategies);
    refuse(strategies.isEmpty(), "strategies", " is empty");
    requireNotNegative("slowStart", slowStart);
    requireAtLeast("maxInFlight", maxInFlight, 0);
    requireNotNegative("ejection", ejection);
  }

  /** Creates a configuration without a fixed limit of operations in flight. */
  public BalanceConfig(
      List<Balancing> strategies, Reads reads, Duration slowStart, Duration ejection) {
    this(strategies, reads, slowStart, ejection, 0);
  }

  /** Returns this configuration with those settings of {@code now} that can change at a reload. */
  public BalanceConfig withReloadable(BalanceConfig now) {
    return new BalanceConfig(strategies, reads, now.slowStart, now.ejection, now.maxInFlight);
  }

  /** Servers that answer reads. */
  public enum Reads {
    /** All servers. */
    ALL,
    /** Replicas; primaries only while no replica is usable. */
    REPLICAS
  }

  /** Returns the strategy of a tier, counted from 1. */
  Balancing strategy(int tier) {
    return strategies.get(Math.min(tier, strategies.size()) - 1);
  }
}
