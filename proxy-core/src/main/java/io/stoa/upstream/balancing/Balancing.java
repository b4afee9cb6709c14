// SPDX-License-Identifier: Apache-2.0
package io.stoa.upstream.balancing;

/** Strategies for choosing a server of a tier. */
public enum Balancing {
  /** The server with the fewest operations in flight for its weight. */
  LEAST_OUTSTANDING,
  /** Each server in turn. */
  ROUND_ROBIN,
  /** Each server in proportion to its weight. */
  WEIGHTED,
  /** The one of two random servers that is likely to respond sooner. */
  BEST_OF_TWO,
  /** Equal reads to the same server, unless that is busier than others. */
  DN_AFFINITY,
  /** The first usable server. */
  FAILOVER;

  /** Creates a strategy with its own state, for one tier. */
  TierStrategy strategy() {
    return switch (this) {
      case LEAST_OUTSTANDING -> new LeastOutstanding();
      case ROUND_ROBIN -> new RoundRobin();
      case WEIGHTED -> new Weighted();
      case BEST_OF_TWO -> new BestOfTwo();
      case DN_AFFINITY -> new DnAffinity();
      case FAILOVER -> new Failover();
    };
  }
}
