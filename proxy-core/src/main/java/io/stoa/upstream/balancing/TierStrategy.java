// SPDX-License-Identifier: Apache-2.0
package io.stoa.upstream.balancing;

import io.stoa.upstream.server.Backend;
import java.util.List;

/** Chooses a server for each operation, among those of a tier that can be used. Thread-safe. */
public interface TierStrategy {
  /**
   * Chooses one.
   *
   * @param usable those among which to choose, in the order of the configuration; at least one
   * @param now {@link System#nanoTime}
   */
  Backend choose(List<Backend> usable, LoadBalancingContext demand, long now);
}
