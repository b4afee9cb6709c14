// SPDX-License-Identifier: Apache-2.0
package io.stoa.coherence.index;

import io.stoa.ldap.filter.Delta;
import io.stoa.ldap.filter.Image;
import io.stoa.ldap.protocol.Octets;
import io.stoa.ldap.protocol.Uuid;
import io.stoa.ldap.schema.NormalDn;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Effect of a change on one entry, as far as the index needs it.
 *
 * <p>Threading: immutable.
 *
 * @param uuid the entry; null if not known, then the index looks for its names
 * @param image the entry after the change; null if it is gone or not known
 * @param oldDn its former name; null if it did not exist or the name is not known
 * @param newDn its new name; null if it is gone. If it differs from the former name, the entry
 *     counts as new at that place, and views of places below are concerned as well
 * @param changedTypes keys of the attribute types that may have changed, and of their supertypes,
 *     as of {@code Schema.typeKeys}; null if not known
 * @param delta the changed types with their values, as far as known; null if not known
 */
public record EntryChange(
    @Nullable Uuid uuid,
    @Nullable Image image,
    @Nullable NormalDn oldDn,
    @Nullable NormalDn newDn,
    @Nullable Set<Octets> changedTypes,
    @Nullable Delta delta) {

  /** Makes a change without known values. */
  public EntryChange(
      @Nullable Uuid uuid,
      @Nullable Image image,
      @Nullable NormalDn oldDn,
      @Nullable NormalDn newDn,
      @Nullable Set<Octets> changedTypes) {
    this(
        uuid,
        image,
        oldDn,
        newDn,
        changedTypes,
        changedTypes == null ? null : Delta.of(changedTypes));
  }

  /** Returns the present name of the entry, if it exists. */
  @Nullable NormalDn currentDn() {
    return newDn == null && image != null ? image.dn() : newDn;
  }

  /** Returns the known changes of an entry that kept its name; null if not known. */
  @Nullable Delta knownDelta() {
    return hasSameName() && !mayBeSpecial() ? delta : null;
  }

  /** True if the entry may be a referral, which affects searches whatever their filter. */
  private boolean mayBeSpecial() {
    return image == null ? delta != null && delta.changesKind() : image.isSpecial();
  }

  /** True if the entry is certain to have kept its name. */
  boolean hasSameName() {
    NormalDn now = currentDn();
    return oldDn != null && now != null && oldDn.equals(now);
  }
}
