// SPDX-License-Identifier: Apache-2.0
package io.stoa.tier;

import java.util.function.Supplier;

/** The strategies by which a tier can choose its servers. */
public enum Balancing {
  /** To the server with the fewest operations outstanding for its weight. */
  LEAST_OUTSTANDING(LeastOutstanding::new),
  /** To each in turn. */
  ROUND_ROBIN(RoundRobin::new),
  /** To each as often as its weight says. */
  WEIGHTED(Weighted::new),
  /** To the one of two that is likely to answer sooner. */
  BEST_OF_TWO(BestOfTwo::new),
  /** Equal reads to the same server, unless that is busier than others. */
  DN_AFFINITY(DnAffinity::new),
  /** To the first that can be used. */
  FAILOVER(Failover::new);

  private final Supplier<TierStrategy> maker;

  Balancing(Supplier<TierStrategy> maker) {
    this.maker = maker;
  }

  /** A strategy with a state of its own, for one tier. */
  TierStrategy strategy() {
    return maker.get();
  }
}
