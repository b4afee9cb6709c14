// SPDX-License-Identifier: Apache-2.0
package io.stoa.coherence.rights;

import io.stoa.ldap.protocol.Octets;
import io.stoa.ldap.protocol.Uuid;
import io.stoa.ldap.schema.NormalDn;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Remembers the names of changed entries in order to notice renames, which a feed may report like
 * any other change.
 *
 * <p>Threading: confined to the thread that applies changes.
 */
final class LastNames {
  private final Map<Uuid, Octets> names;

  /**
   * Makes it with room for the names of the entries that changed last.
   *
   * @param max the maximum number of entries
   */
  LastNames(int max) {
    this.names =
        new LinkedHashMap<>(16, 0.75f, true) {
          private static final long serialVersionUID = 1L;

          @Override
          protected boolean removeEldestEntry(Map.Entry<Uuid, Octets> eldest) {
            return size() > max;
          }
        };
  }

  /** Sets the present name of an entry; returns true if it may have had another one before. */
  boolean put(Uuid uuid, NormalDn dn) {
    return !dn.octets().equals(names.put(uuid, dn.octets()));
  }

  void remove(Uuid uuid) {
    names.remove(uuid);
  }
}
