// SPDX-License-Identifier: Apache-2.0
package io.stoa.upstream.balancing;

import io.stoa.upstream.server.Backend;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Chooses each server in turn, whatever its weight and load.
 *
 * <p>Threading: thread-safe.
 */
final class RoundRobin implements TierStrategy {
  private final AtomicInteger turn = new AtomicInteger();

  @Override
  public Backend choose(List<Backend> usable, LoadBalancingContext context, long now) {
    return usable.get(Integer.remainderUnsigned(turn.getAndIncrement(), usable.size()));
  }
}
