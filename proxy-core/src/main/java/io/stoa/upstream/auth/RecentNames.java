// SPDX-License-Identifier: Apache-2.0
package io.stoa.upstream.auth;

import io.stoa.ldap.protocol.Octets;
import java.time.Duration;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Names of binds that were added recently. Beyond a maximum the oldest are forgotten.
 *
 * <p>Threading: thread-safe.
 */
final class RecentNames {
  private final int limit;
  private final long nanos;

  /** Names with the time of their last addition, oldest first. */
  private final Map<Octets, Long> at = new LinkedHashMap<>();

  /**
   * Creates an empty set.
   *
   * @param limit maximum number of names
   * @param time time for which a name is kept
   */
  RecentNames(int limit, Duration time) {
    this.limit = limit;
    this.nanos = time.toNanos();
  }

  /** Adds the name, or renews it. */
  synchronized void add(Octets name, long now) {
    at.remove(name);
    at.put(name, now);
    if (at.size() > limit) {
      Iterator<Octets> eldest = at.keySet().iterator();
      eldest.next();
      eldest.remove();
    }
  }

  /** True if the name was added recently. */
  synchronized boolean holds(Octets name, long now) {
    Long addedAt = at.isEmpty() ? null : at.get(name);
    return addedAt != null && now - addedAt < nanos;
  }
}
