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
 * What a change leaves of one entry. Immutable.
 *
 * @param uuid null if not known: then the entry is found by its names
 * @param image the entry after the change; null if it is gone, or not known
 * @param oldDn its name before; null if it was not there, or its old name is not known
 * @param newDn its name after; null if it is gone. The same as before if it has not moved:
 *     otherwise it counts as new at that place, and what is cached of places below is concerned as
 *     well
 * @param changedTypes keys of the attribute types that may have changed and of their supertypes, as
 *     of {@code SchemaRules.typeKeys}; null if not known
 * @param delta the same with values, as far as these are known; null if not
 */
public record EntryChange(
    @Nullable Uuid uuid,
    @Nullable Image image,
    @Nullable NormalDn oldDn,
    @Nullable NormalDn newDn,
    @Nullable Set<Octets> changedTypes,
    @Nullable Delta delta) {

  /** Without any knowledge of values. */
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

  /** The name that the entry has now, if it is there. */
  @Nullable NormalDn currentDn() {
    return newDn == null && image != null ? image.dn() : newDn;
  }

  /** What has changed of an entry that kept its name; null if that is not known. */
  @Nullable Delta known() {
    return stayed() && !mayBeSpecial() ? delta : null;
  }

  /** A referral is in the way of searches whatever these ask for. */
  private boolean mayBeSpecial() {
    return image == null ? delta != null && delta.changesKind() : image.isSpecial();
  }

  /** Whether it was, beyond doubt, in the same place before. */
  boolean stayed() {
    NormalDn now = currentDn();
    return oldDn != null && now != null && oldDn.equals(now);
  }
}
