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
 * Index of the entries that have others below them, by entryUUID and by name. A rename of such an
 * entry moves a whole subtree, and a feed may report only the new name.
 *
 * <p>Threading: confined to the domain's thread.
 */
final class AncestorIndex {
  private final int maxEntries;
  private final Map<Uuid, Name> names = new HashMap<>();
  private final NavigableMap<Octets, Uuid> byKey = new TreeMap<>();

  /**
   * Makes an empty index.
   *
   * @param maxEntries the maximum number of entries
   */
  AncestorIndex(int maxEntries) {
    this.maxEntries = maxEntries;
  }

  /**
   * A name, and how it is known. Immutable.
   *
   * @param readState the state in which the entry was read; null if the feed has reported the name
   * @param shown true if a server has shown the entry by that name; a reported change may never
   *     take effect
   */
  private record Name(NormalDn dn, @Nullable Csn readState, boolean shown) {}

  /**
   * Returns the name that the entry had before a change, or null if it is not in the index. Also
   * null if the name was read in the state of the change or a newer one: then it may be the name
   * after the change.
   *
   * @param change the entryCSN of the change; null if it has none
   */
  @Nullable NormalDn nameBefore(Uuid uuid, @Nullable Csn change) {
    Name name = names.get(uuid);
    if (name == null || name.readState() == null) {
      return name == null ? null : name.dn();
    }
    return change != null && name.readState().compareTo(change) < 0 ? name.dn() : null;
  }

  /** Returns the last known name of the entry, or null if it is not in the index. */
  @Nullable NormalDn lastName(Uuid uuid) {
    Name name = names.get(uuid);
    return name == null ? null : name.dn();
  }

  /** True if a server has shown which entry has that name. */
  boolean isRead(NormalDn dn) {
    Octets position = dn.treePosition();
    Uuid uuid = position == null ? null : byKey.get(position);
    Name name = uuid == null ? null : names.get(uuid);
    return name != null && name.shown();
  }

  /**
   * Adds a name that was read. A name that contradicts the index is refused: the feed has yet to
   * report a rename, and that must find the former name here.
   *
   * @return false if the name contradicts the index, or the index is full
   */
  boolean addRead(Uuid uuid, NormalDn dn, Csn read) {
    Name name = names.get(uuid);
    if (name == null) {
      return !isRead(dn) && put(uuid, new Name(dn, read, true));
    }
    boolean same = name.dn().equals(dn);
    if (same) {
      names.put(uuid, new Name(dn, name.readState(), true));
    }
    return same;
  }

  /** Sets the present name of an entry as the feed has reported it. */
  void setReported(Uuid uuid, NormalDn dn) {
    remove(uuid);
    put(uuid, new Name(dn, null, false));
  }

  private boolean put(Uuid uuid, Name name) {
    Octets position = name.dn().treePosition();
    if (position == null || names.size() >= maxEntries) {
      return false;
    }
    Uuid before = byKey.put(position, uuid);
    if (before != null) {
      names.remove(before);
    }
    names.put(uuid, name);
    return true;
  }

  /** Removes an entry that was deleted. */
  void remove(Uuid uuid) {
    Name name = names.remove(uuid);
    Octets position = name == null ? null : name.dn().treePosition();
    if (position != null) {
      byKey.remove(position, uuid);
    }
  }

  /**
   * Removes all entries at or below a name: their subtree was renamed, and their new names are not
   * known.
   */
  void removeSubtree(NormalDn old) {
    Octets from = old.treePosition();
    while (from != null) {
      Map.Entry<Octets, Uuid> next = byKey.ceilingEntry(from);
      if (next == null || !next.getKey().beginsWith(from)) {
        return;
      }
      names.remove(next.getValue());
      byKey.remove(next.getKey());
    }
  }

  int size() {
    return names.size();
  }
}
