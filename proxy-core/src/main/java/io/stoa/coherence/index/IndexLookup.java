// SPDX-License-Identifier: Apache-2.0
package io.stoa.coherence.index;

import io.stoa.ldap.filter.Image;
import io.stoa.ldap.filter.Query;
import io.stoa.ldap.protocol.Octets;
import io.stoa.ldap.schema.NormalDn;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * One lookup of the views that may return an entry in its present state, in addition to those that
 * hold it already. For a single change; confined to one thread.
 */
final class IndexLookup {
  private final NormalDn dn;
  private final @Nullable Image image;
  private final Consumer<IndexKeys> views;
  private int candidates;
  private int probes;

  IndexLookup(EntryChange change, NormalDn dn, Consumer<IndexKeys> views) {
    this.dn = dn;
    this.image = change.image();
    this.views = views;
  }

  /**
   * Runs the lookup.
   *
   * @return the number of keys and places examined
   */
  int run(Map<Octets, TypeKeys> types, Table<Octets> uncovered, SubtreeIndex bases) {
    if (!dn.isKnown()) {
      bases.forEachBelow(dn.treePosition(dn.sureDepth()), true, this::consider);
    }
    if (image == null || !image.isComplete() || image.isSpecial()) {
      return bases.forEachAtOrAbove(dn, this::consider);
    }
    for (int depth = dn.depth(); depth >= 0; depth--) {
      uncovered.forEach(dn.treePosition(depth), this::consider);
    }
    image.forEachKey(visitor(types));
    return probes + dn.depth() + 1;
  }

  int candidates() {
    return candidates;
  }

  private Image.KeyVisitor visitor(Map<Octets, TypeKeys> types) {
    return new Image.KeyVisitor() {
      @Override
      public boolean wants(Octets type) {
        return types.containsKey(type);
      }

      @Override
      public void visit(Octets type, Set<Octets> keys, boolean doubtful) {
        TypeKeys anchors = types.get(type);
        if (anchors != null) {
          probes += anchors.find(keys, doubtful, IndexLookup.this::consider);
        }
      }
    };
  }

  private void consider(IndexKeys keys) {
    candidates++;
    if (mayMatch(keys.query())) {
      views.accept(keys);
    }
  }

  private boolean mayMatch(Query query) {
    return (image == null ? query.inScope(dn) : query.matches(image)).mayBeTrue();
  }
}
