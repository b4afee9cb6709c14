// SPDX-License-Identifier: Apache-2.0
package io.stoa.upstream.balancing;

import io.stoa.upstream.server.Backend;
import java.util.List;

/**
 * Equal reads to the same server, so that its own caches stay hot, as long as that has no more than
 * a quarter above its part of all that is outstanding; else to the next one in the read's own order
 * (Mirrokni, Thorup and Zadimoghaddam, Consistent Hashing with Bounded Loads, 2016). Thread-safe.
 */
final class DnAffinity implements TierStrategy {
  private static final double MOST_OVER_FAIR = 1.25;

  /** With so few outstanding no server is busy, however few others have. */
  private static final int FEW = 4;

  @Override
  public Backend choose(List<Backend> usable, LoadBalancingContext demand, long now) {
    double weights = 0;
    double outstanding = 1;
    for (Backend backend : usable) {
      weights += backend.weight(now);
      outstanding += backend.outstanding();
    }
    double mostForWeight = MOST_OVER_FAIR * outstanding / weights;
    return Rendezvous.first(
        usable, demand.affinity(), backend -> room(backend, mostForWeight, now));
  }

  /** The weight of a server; 0 if it has its part already. */
  private static double room(Backend backend, double mostForWeight, long now) {
    double weight = backend.weight(now);
    return backend.outstanding() < Math.max(FEW, mostForWeight * weight) ? weight : 0;
  }
}
