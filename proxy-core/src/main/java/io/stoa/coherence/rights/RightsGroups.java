// SPDX-License-Identifier: Apache-2.0
package io.stoa.coherence.rights;

import io.stoa.feed.event.Change;
import io.stoa.feed.event.Change.Anything;
import io.stoa.feed.event.Change.Deleted;
import io.stoa.feed.event.Change.Renamed;
import io.stoa.ldap.filter.Image;
import io.stoa.ldap.schema.NormalDn;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The groups whose members may see what others may not. Immutable.
 *
 * @param named their names
 * @param any whether it may be any other group, too
 * @param read whether it is looked now and then who is in them: then somebody else finds who was
 *     taken out without a word, or put in
 */
public record RightsGroups(List<NormalDn> named, boolean any, boolean read) {
  /** There are none, or it is not known which. */
  public static final RightsGroups NONE = new RightsGroups(List.of(), false, true);

  public RightsGroups {
    named = List.copyOf(named);
  }

  boolean areNone() {
    return named.isEmpty() && !any;
  }

  /** Whether names may be repaired in one of them, and nobody would notice. */
  boolean mayBeRepaired() {
    return !areNone() && !read;
  }

  /**
   * Whether a change may be one of their members, their name or whether they are there.
   *
   * @param moved whether its entry may have had another name
   * @param group whether it may be a group
   */
  boolean mayHaveChanged(Change change, boolean moved, boolean group) {
    if (areNone()) {
      return false;
    }
    NormalDn dn = change.dn();
    if (change instanceof Anything || dn == null) {
      return true;
    }
    boolean wasElsewhere = moved && !(change instanceof Deleted);
    NormalDn old = change instanceof Renamed it ? it.old() : null;
    boolean named = isAbove(dn) || isAbove(old);
    return named || (any && group) || (wasElsewhere && mayHoldGroups(change, group));
  }

  /** It may have been one of them, or above one, by its name before. */
  private static boolean mayHoldGroups(Change change, boolean group) {
    Image image = change.image();
    return group || image == null || !image.isLeaf();
  }

  private boolean isAbove(@Nullable NormalDn dn) {
    return dn != null && named.stream().anyMatch(group -> group.isBelowOrEqual(dn));
  }
}
