// SPDX-License-Identifier: Apache-2.0
package io.stoa.coherence.rights;

import io.stoa.ldap.protocol.Octets;
import io.stoa.ldap.protocol.Uuid;
import io.stoa.ldap.schema.NormalDn;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * The names of entries that have changed, so that it is seen that one of them is renamed: a feed
 * may tell that as any other change. Confined to the thread that applies changes.
 */
final class Names {
  private final Map<Uuid, Octets> names;

  /** Keeps so many, those that were told last. */
  Names(int most) {
    this.names =
        new LinkedHashMap<>(16, 0.75f, true) {
          private static final long serialVersionUID = 1L;

          @Override
          protected boolean removeEldestEntry(Map.Entry<Uuid, Octets> eldest) {
            return size() > most;
          }
        };
  }

  /** The entry has that name now; whether it may have had another one before. */
  boolean moved(Uuid uuid, NormalDn dn) {
    return !dn.octets().equals(names.put(uuid, dn.octets()));
  }

  void gone(Uuid uuid) {
    names.remove(uuid);
  }
}
