// SPDX-License-Identifier: Apache-2.0
package io.stoa.coherence.index;

import io.stoa.ldap.filter.Delta;
import io.stoa.ldap.filter.Image;
import io.stoa.ldap.filter.Query;
import io.stoa.ldap.protocol.Octets;
import io.stoa.ldap.schema.NormalDn;
import java.util.HashSet;
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
  private final @Nullable Delta delta;

  /** Changed types that any filter names; null if it is not known what has changed. */
  private final @Nullable Set<Octets> concerned;

  private final Consumer<IndexKeys> views;
  private int candidates;
  private int probes;

  /**
   * Makes a lookup.
   *
   * @param named the attribute types that any filter names
   */
  IndexLookup(EntryChange touched, NormalDn dn, Set<Octets> named, Consumer<IndexKeys> views) {
    this.dn = dn;
    this.image = touched.image();
    this.views = views;
    delta = touched.knownDelta();
    concerned = delta == null ? null : intersection(delta.types(), named);
  }

  private static Set<Octets> intersection(Set<Octets> changed, Set<Octets> named) {
    Set<Octets> both = new HashSet<>(changed);
    both.retainAll(named);
    return both;
  }

  /**
   * Runs the lookup.
   *
   * @return the number of keys and places examined
   */
  int run(Map<Octets, TypeKeys> types, Table<Octets> uncovered, SubtreeIndex bases) {
    if (concerned != null && concerned.isEmpty()) {
      return 0;
    }
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
          Set<Octets> changed = changedOnly(type, anchors);
          probes +=
              changed == null
                  ? anchors.find(keys, doubtful, IndexLookup.this::consider)
                  : anchors.find(changed, false, IndexLookup.this::consider);
        }
      }
    };
  }

  /**
   * Returns the values that are enough to examine, or null if all are needed. The filters about
   * other values cannot change their result under two conditions: no other type that a filter names
   * has changed, and each filter registered here names the type once.
   */
  private @Nullable Set<Octets> changedOnly(Octets type, TypeKeys anchors) {
    boolean only = delta != null && Set.of(type).equals(concerned) && anchors.isEachTypeNamedOnce();
    return only && delta != null ? delta.values(type) : null;
  }

  private void consider(IndexKeys anchors) {
    candidates++;
    if (mayMatch(anchors.query())) {
      views.accept(anchors);
    }
  }

  private boolean mayMatch(Query query) {
    if (delta != null && !query.mayFlip(delta)) {
      return false;
    }
    return (image == null ? query.inScope(dn) : query.matches(image)).mayBeTrue();
  }
}
