// SPDX-License-Identifier: Apache-2.0
package io.stoa.cache.result;

import io.stoa.cache.result.QueryKey.Reach;
import io.stoa.ldap.protocol.Octets;
import io.stoa.ldap.schema.NormalDn;
import io.stoa.ldap.schema.ServerProfile;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * An entry or a subtree whose stored results are to be dropped. A name whose position is uncertain
 * counts as inside.
 *
 * <p>Threading: confined to one thread.
 */
final class InvalidationScope {
  private static final int BASE = 0;
  private static final int ONE = 1;

  private final NormalDn root;
  private final boolean subtree;
  private final ServerProfile profile;
  private final Map<Octets, Boolean> withinByDn = new HashMap<>();

  /**
   * Creates the scope.
   *
   * @param root a DN
   * @param subtree true to include all entries below {@code root}
   */
  InvalidationScope(NormalDn root, boolean subtree, ServerProfile profile) {
    this.root = root;
    this.subtree = subtree;
    this.profile = profile;
  }

  /** True if a result shows or could have shown an entry of the scope. */
  boolean concerns(QueryKey key, CachedResult item) {
    return isReached(key.reach())
        || Arrays.stream(item.entries()).map(StoredEntry::dn).anyMatch(this::holds);
  }

  /** True if an entry is, or may be, in the scope. */
  private boolean holds(Octets dn) {
    return withinByDn.computeIfAbsent(dn, this::isWithin);
  }

  private boolean isWithin(Octets dn) {
    NormalDn entry = NormalDn.of(dn.array(), profile);
    return !entry.isDn() || (entry.isBelowOrEqual(root) && (subtree || root.isBelowOrEqual(entry)));
  }

  private boolean isReached(Reach reach) {
    Octets rootPosition = root.treePosition();
    Octets base = reach.place();
    if (rootPosition == null || base == null) {
      return true;
    }
    boolean above = rootPosition.beginsWith(base);
    boolean within = base.beginsWith(rootPosition) && (subtree || above);
    return switch (reach.scope()) {
      case BASE -> within;
      case ONE -> within || (above && root.depth() - reach.depth() == 1);
      default -> within || above;
    };
  }

  /** True if an identity has, or may have, this DN. */
  static boolean mayBe(byte @Nullable [] name, NormalDn dn, ServerProfile profile) {
    NormalDn parsed = name == null ? null : NormalDn.of(name, profile);
    return parsed == null
        || !parsed.isDn()
        || (parsed.isBelowOrEqual(dn) && dn.isBelowOrEqual(parsed));
  }
}
