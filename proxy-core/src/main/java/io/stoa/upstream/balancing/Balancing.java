// SPDX-License-Identifier: Apache-2.0
package io.stoa.upstream.balancing;

/** The strategies by which a tier can choose its servers. */
public enum Balancing {
  /** To the server with the fewest operations outstanding for its weight. */
  LEAST_OUTSTANDING,
  /** To each in turn. */
  ROUND_ROBIN,
  /** To each as often as its weight says. */
  WEIGHTED,
  /** To the one of two that is likely to answer sooner. */
  BEST_OF_TWO,
  /** Equal reads to the same server, unless that is busier than others. */
  DN_AFFINITY,
  /** To the first that can be used. */
  FAILOVER;

  /** A strategy with a state of its own, for one tier. */
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
