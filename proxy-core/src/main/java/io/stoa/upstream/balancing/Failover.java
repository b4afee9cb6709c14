// SPDX-License-Identifier: Apache-2.0
package io.stoa.upstream.balancing;

import io.stoa.upstream.server.Backend;
import java.util.List;

/**
 * Chooses the first usable server.
 *
 * <p>Threading: thread-safe; no state.
 */
final class Failover implements TierStrategy {
  @Override
  public Backend choose(List<Backend> usable, LoadBalancingContext context, long now) {
    return usable.get(0);
  }
}
