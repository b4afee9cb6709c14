// SPDX-License-Identifier: Apache-2.0
package io.stoa.client.quota;

import io.stoa.ldap.protocol.Octets;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Counts the connections of each network or identity. The map has at most as many entries as there
 * are client connections.
 *
 * <p>Threading: thread-safe.
 */
final class ConnectionCounts {
  private final ConcurrentHashMap<Octets, Integer> counts = new ConcurrentHashMap<>();

  /** Counts a connection, and returns the number of them. */
  int add(Octets key) {
    return counts.merge(key, 1, Integer::sum);
  }

  void remove(Octets key) {
    counts.computeIfPresent(key, (same, count) -> count == 1 ? null : count - 1);
  }

  int get(Octets key) {
    return counts.getOrDefault(key, 0);
  }
}
