// SPDX-License-Identifier: Apache-2.0
package io.stoa.upstream.balancing;

import io.stoa.upstream.server.Backend;
import java.util.ArrayList;
import java.util.List;

/**
 * Chooses the server with the fewest operations in flight for its weight; among equals each in
 * proportion to its weight.
 *
 * <p>Threading: thread-safe.
 */
final class LeastOutstanding implements TierStrategy {
  private final Weighted equals = new Weighted();

  @Override
  public Backend choose(List<Backend> usable, LoadBalancingContext context, long now) {
    List<Backend> least = new ArrayList<>(usable.size());
    double fewest = Double.POSITIVE_INFINITY;
    for (Backend backend : usable) {
      double load = (backend.outstanding() + context.handicap(backend)) / backend.weight(now);
      if (load < fewest) {
        fewest = load;
        least.clear();
      }
      if (load <= fewest) {
        least.add(backend);
      }
    }
    return least.size() == 1 ? least.get(0) : equals.choose(least, context, now);
  }
}
