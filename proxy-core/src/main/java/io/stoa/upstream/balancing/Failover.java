// SPDX-License-Identifier: Apache-2.0
package io.stoa.upstream.balancing;

import io.stoa.upstream.server.Backend;
import java.util.List;

/** The first server; the next one only while those before it cannot be used. Stateless. */
final class Failover implements TierStrategy {
  @Override
  public Backend choose(List<Backend> usable, LoadBalancingContext demand, long now) {
    return usable.get(0);
  }
}
