// SPDX-License-Identifier: Apache-2.0
package io.stoa.realm;

import io.stoa.filter.Uuid;
import io.stoa.ldap.Octets;
import io.stoa.match.NormalDn;
import java.util.HashMap;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Which entries lie above others, so that it is noticed when one of them gets another name: a feed
 * may say no more than what it is called now. Confined to the realm's thread.
 */
final class Places {
  private final int most;
  private final Map<Uuid, NormalDn> names = new HashMap<>();
  private final NavigableMap<Octets, Uuid> places = new TreeMap<>();

  /**
   * Knows nothing yet.
   *
   * @param most for so many there is room
   */
  Places(int most) {
    this.most = most;
  }

  /** The name that the entry had last; null if it is not known to lie above any. */
  @Nullable NormalDn name(Uuid uuid) {
    return names.get(uuid);
  }

  boolean knows(NormalDn dn) {
    Octets place = dn.place();
    return place != null && places.containsKey(place);
  }

  /** The entry has that name now; false if there is no room for it. */
  boolean put(Uuid uuid, NormalDn dn) {
    Octets place = dn.place();
    remove(uuid);
    if (place == null || names.size() >= most) {
      return false;
    }
    Uuid before = places.put(place, uuid);
    if (before != null) {
      names.remove(before);
    }
    names.put(uuid, dn);
    return true;
  }

  /** The entry is gone. */
  void remove(Uuid uuid) {
    NormalDn dn = names.remove(uuid);
    if (dn != null && dn.place() != null) {
      places.remove(dn.place(), uuid);
    }
  }

  /** All at or below there have got other names, which are not known. */
  void leave(NormalDn old) {
    Octets from = old.place();
    while (from != null) {
      Map.Entry<Octets, Uuid> next = places.ceilingEntry(from);
      if (next == null || !next.getKey().beginsWith(from)) {
        return;
      }
      names.remove(next.getValue());
      places.remove(next.getKey());
    }
  }

  int size() {
    return names.size();
  }
}
