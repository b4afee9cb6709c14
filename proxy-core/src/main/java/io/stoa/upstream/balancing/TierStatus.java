// SPDX-License-Identifier: Apache-2.0
package io.stoa.upstream.balancing;

import io.stoa.upstream.server.BackendStatus;
import java.util.List;

/**
 * Servers of one directory that are used alike, at one moment. Immutable.
 *
 * @param number as it is configured
 * @param backends in the order of the configuration
 */
public record TierStatus(int number, List<BackendStatus> backends) {
  public TierStatus {
    backends = List.copyOf(backends);
  }
}
