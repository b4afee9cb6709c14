// SPDX-License-Identifier: Apache-2.0
package io.stoa.upstream.balancing;

import io.stoa.upstream.server.Backend;
import java.util.List;

/**
 * Sends equal reads to the same server, so that its own caches stay warm. A server with more than
 * 1.25 times its share of the operations in flight is passed over. The next one in the read's own
 * order then takes the read.
 *
 * <p>Source: Mirrokni, Thorup and Zadimoghaddam, Consistent Hashing with Bounded Loads, 2016.
 *
 * <p>Threading: thread-safe.
 */
final class DnAffinity implements TierStrategy {
  private static final double MAX_OVER_FAIR = 1.25;

  /** Number of operations in flight below which no server is busy: 4. */
  private static final int FEW = 4;

  @Override
  public Backend choose(List<Backend> usable, LoadBalancingContext context, long now) {
    double weights = 0;
    double outstanding = 1;
    for (Backend backend : usable) {
      weights += backend.weight(now);
      outstanding += backend.outstanding();
    }
    double mostForWeight = MAX_OVER_FAIR * outstanding / weights;
    return Rendezvous.first(
        usable, context.affinity(), backend -> room(backend, mostForWeight, now));
  }

  /** Returns the weight of a server; 0 if it has its share of the load already. */
  private static double room(Backend backend, double mostForWeight, long now) {
    double weight = backend.weight(now);
    return backend.outstanding() < Math.max(FEW, mostForWeight * weight) ? weight : 0;
  }
}
