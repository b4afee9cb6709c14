// SPDX-License-Identifier: Apache-2.0
package io.stoa.coherence.view;

import io.stoa.coherence.view.Members.Member;
import io.stoa.ldap.csn.Csn;
import io.stoa.ldap.filter.Image;
import io.stoa.ldap.protocol.Uuid;
import org.jspecify.annotations.Nullable;

/**
 * What becomes of one entry in an answer: it is shown in another state, or for the first time, or
 * no more. Immutable.
 *
 * @param shown the state that is shown from now on; null if it is shown no more
 */
public record EntryUpdate(Uuid uuid, @Nullable Shown shown) {
  /**
   * An entry as it is shown from now on. Immutable.
   *
   * @param image all that it has
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
