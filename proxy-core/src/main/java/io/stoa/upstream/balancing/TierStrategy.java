// SPDX-License-Identifier: Apache-2.0
package io.stoa.upstream.balancing;

import io.stoa.upstream.server.Backend;
import java.util.List;

/**
 * Chooses a server for each operation, among the usable ones of a tier.
 *
 * <p>Threading: thread-safe.
 */
public interface TierStrategy {
  /**
   * Chooses a server.
   *
   * @param usable the servers to choose from, in the order of the configuration; at least one
   * @param now {@link System#nanoTime}
   */
  Backend choose(List<Backend> usable, LoadBalancingContext context, long now);
}
