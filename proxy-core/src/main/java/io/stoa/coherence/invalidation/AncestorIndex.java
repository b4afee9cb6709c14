// SPDX-License-Identifier: Apache-2.0
package io.stoa.coherence.invalidation;

import io.stoa.ldap.csn.Csn;
import io.stoa.ldap.protocol.Octets;
import io.stoa.ldap.protocol.Uuid;
import io.stoa.ldap.schema.NormalDn;
import java.util.HashMap;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Which entries lie above others, so that it is noticed when one of them gets another name: a feed
 * may say no more than what it is called now. Confined to the realm's thread.
 */
final class AncestorIndex {
  private final int most;
  private final Map<Uuid, Name> names = new HashMap<>();
  private final NavigableMap<Octets, Uuid> places = new TreeMap<>();

  /**
   * Knows nothing yet.
   *
   * @param most for so many there is room
   */
  AncestorIndex(int most) {
    this.most = most;
  }

  /**
   * A name, and how it is known. Immutable.
   *
   * @param read the state in which the entry was read; null if the feed has told the name
   * @param shown whether the entry was read by that name: what a feed tells may never come to be
   */
  private record Name(NormalDn dn, @Nullable Csn read, boolean shown) {}

  /**
   * The name that the entry had before a change; null if it is not known to lie above any. What was
   * read may have been ahead of the feed: then it shows what the change has made already.
   *
   * @param change its entryCSN
   */
  @Nullable NormalDn before(Uuid uuid, @Nullable Csn change) {
    Name name = names.get(uuid);
    if (name == null || name.read() == null) {
      return name == null ? null : name.dn();
    }
    return change != null && name.read().compareTo(change) < 0 ? name.dn() : null;
  }

  /**
   * The name that the entry had last, as far as is known; null if it is not known to lie above any.
   */
  @Nullable NormalDn last(Uuid uuid) {
    Name name = names.get(uuid);
    return name == null ? null : name.dn();
  }

  /** Whether it was read which entry has that name. */
  boolean knows(NormalDn dn) {
    Octets place = dn.place();
    Uuid uuid = place == null ? null : places.get(place);
    Name name = uuid == null ? null : names.get(uuid);
    return name != null && name.shown();
  }

  /**
   * The entry was read by that name. Where that contradicts what is known, the feed has yet to tell
   * what has happened, and must find what was before.
   *
   * @return false if it contradicts, or there is no room for it
   */
  boolean learn(Uuid uuid, NormalDn dn, Csn read) {
    Name known = names.get(uuid);
    if (known == null) {
      return !knows(dn) && put(uuid, new Name(dn, read, true));
    }
    boolean same = known.dn().equals(dn);
    if (same) {
      names.put(uuid, new Name(dn, known.read(), true));
    }
    return same;
  }

  /** The feed has told that the entry has that name now. */
  void told(Uuid uuid, NormalDn dn) {
    remove(uuid);
    put(uuid, new Name(dn, null, false));
  }

  private boolean put(Uuid uuid, Name name) {
    Octets place = name.dn().place();
    if (place == null || names.size() >= most) {
      return false;
    }
    Uuid before = places.put(place, uuid);
    if (before != null) {
      names.remove(before);
    }
    names.put(uuid, name);
    return true;
  }

  /** The entry is gone. */
  void remove(Uuid uuid) {
    Name name = names.remove(uuid);
    Octets place = name == null ? null : name.dn().place();
    if (place != null) {
      places.remove(place, uuid);
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
