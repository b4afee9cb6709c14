// SPDX-License-Identifier: Apache-2.0
package io.stoa.coherence.index;

import io.stoa.ldap.protocol.Octets;
import io.stoa.ldap.schema.NormalDn;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.function.Consumer;

/**
 * Views by places in the tree. The sort key of an entry is a prefix of those of all entries below
 * it, so a subtree is a range.
 *
 * <p>Octets for each place: 36 on average, the sort key (24 and its array), and those of the
 * bucket. The place has a node of 24 in the skip list. Half as many nodes of 24 are its index.
 *
 * <p>Invariants:
 *
 * <ol>
 *   <li>A place is in the list exactly as long as a view is registered there.
 *   <li>All places below a place follow it without a gap, since its sort key is their prefix.
 * </ol>
 *
 * <p>Threading: as {@link Table}.
 */
final class SubtreeIndex {
  private final ConcurrentSkipListMap<Octets, Object> sorted = new ConcurrentSkipListMap<>();
  private final Table<Octets> table = new Table<>(sorted);

  Table<Octets> table() {
    return table;
  }

  boolean isEmpty() {
    return sorted.isEmpty();
  }

  /** Finds the views registered below a place, or also at the place itself. */
  void forEachBelow(Octets position, boolean includesName, Consumer<IndexKeys> found) {
    for (var bucket : sorted.tailMap(position, includesName).entrySet()) {
      if (!bucket.getKey().beginsWith(position)) {
        return;
      }
      Table.forEachIn(bucket.getValue(), found);
    }
  }

  /**
   * Finds the views registered at a name and at each name above it, up to the root; returns the
   * number of names examined.
   */
  int forEachAtOrAbove(NormalDn dn, Consumer<IndexKeys> found) {
    for (int depth = dn.depth(); depth >= 0; depth--) {
      table.forEach(dn.treePosition(depth), found);
    }
    return dn.depth() + 1;
  }
}
