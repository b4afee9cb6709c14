// SPDX-License-Identifier: Apache-2.0
package io.stoa.identity;

import io.stoa.ldap.Octets;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** Of which names a password was doubted lately: of so many, the last ones. Event-loop confined. */
final class Doubts {
  /** So long whoever binds by a name is not bound again where its password was doubted. */
  private static final long NANOS = TimeUnit.SECONDS.toNanos(30);

  private static final int MOST = 1000;

  /** In the order of the last doubts. */
  private final Map<Octets, Long> at = new LinkedHashMap<>();

  /** A password of the name is doubted, once more or for the first time. */
  void add(Octets name, long now) {
    at.remove(name);
    at.put(name, now);
    if (at.size() > MOST) {
      Iterator<Octets> eldest = at.keySet().iterator();
      eldest.next();
      eldest.remove();
    }
  }

  /** Whether that was so lately. */
  boolean holds(Octets name, long now) {
    Long since = at.isEmpty() ? null : at.get(name);
    return since != null && now - since < NANOS;
  }
}
