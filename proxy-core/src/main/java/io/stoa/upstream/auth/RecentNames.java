// SPDX-License-Identifier: Apache-2.0
package io.stoa.upstream.auth;

import io.stoa.ldap.protocol.Octets;
import java.time.Duration;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * The names of binds to which something has happened lately. Beyond a limit the oldest are
 * forgotten. Thread-safe.
 */
final class RecentNames {
  private final int most;
  private final long nanos;

  /** In the order of the last additions. */
  private final Map<Octets, Long> at = new LinkedHashMap<>();

  /**
   * Makes an empty one.
   *
   * @param most names that are held
   * @param time for which a name is held
   */
  RecentNames(int most, Duration time) {
    this.most = most;
    this.nanos = time.toNanos();
  }

  /** Adds the name, once more or for the first time. */
  synchronized void add(Octets name, long now) {
    at.remove(name);
    at.put(name, now);
    if (at.size() > most) {
      Iterator<Octets> eldest = at.keySet().iterator();
      eldest.next();
      eldest.remove();
    }
  }

  /** True if the name was added lately. */
  synchronized boolean holds(Octets name, long now) {
    Long since = at.isEmpty() ? null : at.get(name);
    return since != null && now - since < nanos;
  }
}
