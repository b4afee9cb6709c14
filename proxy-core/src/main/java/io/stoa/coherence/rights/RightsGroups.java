// SPDX-License-Identifier: Apache-2.0
package io.stoa.coherence.rights;

import io.stoa.feed.event.Change;
import io.stoa.feed.event.Change.Deleted;
import io.stoa.feed.event.Change.Renamed;
import io.stoa.feed.event.Change.Unknown;
import io.stoa.ldap.filter.Image;
import io.stoa.ldap.schema.NormalDn;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The groups whose members have other rights than the rest. Immutable.
 *
 * @param named their names
 * @param any true if any other group may be one of them
 * @param membersRead true if their members are read periodically, which finds those removed or
 *     added without a reported change
 */
public record RightsGroups(List<NormalDn> named, boolean any, boolean membersRead) {
  /** No groups, or none known. */
  public static final RightsGroups NONE = new RightsGroups(List.of(), false, true);

  public RightsGroups {
    named = List.copyOf(named);
  }

  boolean isEmpty() {
    return named.isEmpty() && !any;
  }

  /** True if the directory may repair names in one of them unnoticed. */
  boolean mayBeRepaired() {
    return !isEmpty() && !membersRead;
  }

  /**
   * True if a change may concern their members, their names or their existence.
   *
   * @param moved true if the entry may have had another name
   * @param group true if the entry may be a group
   */
  boolean mayHaveChanged(Change change, boolean moved, boolean group) {
    if (isEmpty()) {
      return false;
    }
    NormalDn dn = change.dn();
    if (change instanceof Unknown || dn == null) {
      return true;
    }
    boolean wasElsewhere = moved && !(change instanceof Deleted);
    NormalDn old = change instanceof Renamed it ? it.old() : null;
    boolean named = isAbove(dn) || isAbove(old);
    return named || (any && group) || (wasElsewhere && mayHoldGroups(change, group));
  }

  /** True if the entry may have been one of the groups, or above one, by its former name. */
  private static boolean mayHoldGroups(Change change, boolean group) {
    Image image = change.image();
    return group || image == null || !image.isLeaf();
  }

  private boolean isAbove(@Nullable NormalDn dn) {
    return dn != null && named.stream().anyMatch(group -> group.isBelowOrEqual(dn));
  }
}
