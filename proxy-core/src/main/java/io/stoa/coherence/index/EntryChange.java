// SPDX-License-Identifier: Apache-2.0
package io.stoa.coherence.index;

import io.stoa.ldap.filter.Image;
import io.stoa.ldap.protocol.Uuid;
import io.stoa.ldap.schema.NormalDn;
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
 */
public record EntryChange(
    @Nullable Uuid uuid,
    @Nullable Image image,
    @Nullable NormalDn oldDn,
    @Nullable NormalDn newDn) {
  /** Returns the present name of the entry, if it exists. */
  @Nullable NormalDn currentDn() {
    return newDn == null && image != null ? image.dn() : newDn;
  }

  /** True if the entry is certain to have kept its name. */
  boolean hasSameName() {
    NormalDn now = currentDn();
    return oldDn != null && now != null && oldDn.equals(now);
  }
}
