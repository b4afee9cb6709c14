// SPDX-License-Identifier: Apache-2.0
package io.stoa.upstream.balancing;

import java.time.Duration;
import java.util.List;

/**
 * How operations are spread over servers. Immutable.
 *
 * @param strategies of the first tier, of the second, and so on; the last one is also that of all
 *     further tiers
 * @param reads which servers answer reads
 * @param slowStart how long it takes after its return until a server is given its whole part
 * @param ejection how long a server is not used at first that differs from its peers; 0 for never
 * @param maxInFlight how many operations one server is given at once; 0 for as many as it tolerates
 */
public record BalanceConfig(
    List<Balancing> strategies,
    Reads reads,
    Duration slowStart,
    Duration ejection,
    int maxInFlight) {
  /** Least outstanding, over all servers. */
  public static final BalanceConfig DEFAULTS =
      new BalanceConfig(
          List.of(Balancing.LEAST_OUTSTANDING),
          Reads.ALL,
          Duration.ofSeconds(10),
          Duration.ofSeconds(10));

  public BalanceConfig {
    strategies = List.copyOf(strategies);
    if (strategies.isEmpty()) {
      throw new IllegalArgumentException("strategies has none");
    }
    if (slowStart.isNegative()) {
      throw new IllegalArgumentException("slowStart is negative; 0 switches it off");
    }
    if (maxInFlight < 0) {
      throw new IllegalArgumentException("maxInFlight " + maxInFlight + " is below 0");
    }
    if (ejection.isNegative()) {
      throw new IllegalArgumentException("ejection is negative; 0 switches it off");
    }
  }

  /** Servers are given as many operations at once as they tolerate. */
  public BalanceConfig(
      List<Balancing> strategies, Reads reads, Duration slowStart, Duration ejection) {
    this(strategies, reads, slowStart, ejection, 0);
  }

  /** This with what of another one can change while Stoa runs. */
  public BalanceConfig tuned(BalanceConfig now) {
    return new BalanceConfig(strategies, reads, now.slowStart, now.ejection, now.maxInFlight);
  }

  /** Which servers answer reads. */
  public enum Reads {
    /** All of them. */
    ALL,
    /** Replicas; primaries only while no replica can be used. */
    REPLICAS
  }

  /** The strategy of a tier, counted from 1. */
  Balancing strategy(int tier) {
    return strategies.get(Math.min(tier, strategies.size()) - 1);
  }
}
