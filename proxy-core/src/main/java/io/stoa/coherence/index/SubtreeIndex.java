// SPDX-License-Identifier: Apache-2.0
package io.stoa.coherence.index;

import io.stoa.ldap.protocol.Octets;
import io.stoa.ldap.schema.NormalDn;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.function.Consumer;

/**
 * What is filed under places in the tree; that of an entry begins those of all below it, so what is
 * below is a range. Thread-safe as {@link Table} is.
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

  /** What is filed under places below that one, or there as well. */
  void forEachBelow(Octets place, boolean there, Consumer<IndexKeys> found) {
    for (var bucket : sorted.tailMap(place, there).entrySet()) {
      if (!bucket.getKey().beginsWith(place)) {
        return;
      }
      Table.forEachIn(bucket.getValue(), found);
    }
  }

  /** What is filed under the name and under each name above it, up to the root of the tree. */
  int forEachAtOrAbove(NormalDn dn, Consumer<IndexKeys> found) {
    for (int depth = dn.depth(); depth >= 0; depth--) {
      table.forEach(dn.place(depth), found);
    }
    return dn.depth() + 1;
  }
}
