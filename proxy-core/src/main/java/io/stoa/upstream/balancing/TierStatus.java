// SPDX-License-Identifier: Apache-2.0
package io.stoa.upstream.balancing;

import io.stoa.upstream.server.BackendStatus;
import java.util.List;

/**
 * Snapshot of one tier.
 *
 * <p>Threading: immutable.
 *
 * @param number number of the tier in the configuration
 * @param backends servers in the order of the configuration
 */
public record TierStatus(int number, List<BackendStatus> backends) {
  public TierStatus {
    backends = List.copyOf(backends);
  }
}
