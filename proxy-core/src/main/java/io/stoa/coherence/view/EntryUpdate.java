// SPDX-License-Identifier: Apache-2.0
package io.stoa.coherence.view;

import io.stoa.coherence.view.Members.Member;
import io.stoa.ldap.csn.Csn;
import io.stoa.ldap.filter.Image;
import io.stoa.ldap.protocol.Uuid;
import org.jspecify.annotations.Nullable;

/**
 * Update of one entry in a result: the entry gets another state, is added, or is removed.
 *
 * <p>Threading: immutable.
 *
 * @param shown the state shown from now on; null if the entry is removed
 */
public record EntryUpdate(Uuid uuid, @Nullable Shown shown) {
  /**
   * An entry as it is shown from now on. Immutable.
   *
   * @param image all attributes of the entry
   */
  public record Shown(Csn csn, Image image) {}

  static EntryUpdate removing(Uuid uuid) {
    return new EntryUpdate(uuid, null);
  }

  Members applied(Members before) {
    return shown == null
        ? before.without(uuid)
        : before.with(new Member(uuid, shown.csn(), shown.image().dn()));
  }
}
