// SPDX-License-Identifier: Apache-2.0
package io.stoa.index;

import io.stoa.filter.Image;
import io.stoa.ldap.Octets;
import io.stoa.match.NormalDn;
import java.util.Collections;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * One search for the views that may return an entry as it is now, beside those that hold it
 * already. Confined to one thread; for one change.
 */
final class Probe {
  private final NormalDn dn;
  private final @Nullable Image image;
  private final @Nullable Set<Octets> changed;
  private final boolean nothingNamed;
  private final Consumer<Anchors> views;
  private int candidates;
  private int probes;

  /**
   * @param named attribute types that any filter names
   */
  Probe(Touched touched, NormalDn dn, Set<Octets> named, Consumer<Anchors> views) {
    this.dn = dn;
    this.image = touched.image();
    this.views = views;
    boolean special = image != null && image.isSpecial();
    changed = touched.stayed() && !special ? touched.changedTypes() : null;
    nothingNamed = changed != null && Collections.disjoint(changed, named);
  }

  /**
   * @return how many keys and places were looked at
   */
  int run(Map<Octets, TypeAnchors> types, Table<Octets> uncovered, PlaceTable bases) {
    if (nothingNamed) {
      return 0;
    }
    if (image == null || !image.complete() || image.isSpecial()) {
      return bases.forEachAtOrAbove(dn, this::consider);
    }
    for (int depth = dn.depth(); depth >= 0; depth--) {
      uncovered.forEach(dn.place(depth), this::consider);
    }
    image.forEachKey(visitor(types));
    return probes + dn.depth() + 1;
  }

  int candidates() {
    return candidates;
  }

  private Image.KeyVisitor visitor(Map<Octets, TypeAnchors> types) {
    return new Image.KeyVisitor() {
      @Override
      public boolean wants(Octets type) {
        return types.containsKey(type);
      }

      @Override
      public void visit(Octets type, Set<Octets> keys, boolean doubtful) {
        TypeAnchors anchors = types.get(type);
        if (anchors != null) {
          probes += anchors.find(keys, doubtful, Probe.this::consider);
        }
      }
    };
  }

  /** An entry whose changed attributes the filter does not name is in the answer as it was. */
  private void consider(Anchors anchors) {
    if (changed != null && Collections.disjoint(changed, anchors.query().attributes())) {
      return;
    }
    candidates++;
    boolean may =
        image == null
            ? anchors.query().inScope(dn).mayBeTrue()
            : anchors.query().matches(image).mayBeTrue();
    if (may) {
      views.accept(anchors);
    }
  }
}
