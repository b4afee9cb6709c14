// SPDX-License-Identifier: Apache-2.0
package io.stoa.coherence.invalidation;

import io.stoa.coherence.view.Members;
import io.stoa.coherence.view.Members.Member;
import io.stoa.ldap.csn.Csn;
import io.stoa.ldap.protocol.Uuid;
import io.stoa.ldap.schema.NormalDn;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Entries that a search or compare has returned.
 *
 * <p>Threading: immutable, provided that the arrays are not modified.
 *
 * @param absent true if the response is noSuchObject
 * @param shown the entries
 */
public record ReadResult(boolean absent, List<Shown> shown) {
  public ReadResult {
    shown = List.copyOf(shown);
  }

  /**
   * An entry of a result. Immutable, provided that the array is not modified.
   *
   * @param csn its entryCSN; null if the server has not shown it
   * @param name its DN as the server has spelled it
   */
  public record Shown(Uuid uuid, @Nullable Csn csn, NormalDn dn, byte[] name) {}

  /** Returns the entries without their names. */
  Members members() {
    return Members.of(shown.stream().map(it -> new Member(it.uuid(), it.csn())).toList());
  }

  /** Returns the entries with their names. */
  Members namedMembers() {
    return Members.of(shown.stream().map(it -> new Member(it.uuid(), it.csn(), it.dn())).toList());
  }

  /** True if a DN with another sort key than those of the entries is certainly another name. */
  boolean isSurelyNamed() {
    return shown.stream().allMatch(it -> it.dn().isSure());
  }

  /** Returns the entries and their names. */
  Map<Uuid, NormalDn> names() {
    return shown.stream().collect(Collectors.toMap(Shown::uuid, Shown::dn, (one, other) -> one));
  }

  List<NormalDn> dns() {
    return shown.stream().map(Shown::dn).toList();
  }

  /** True if each entry shows its state. */
  boolean showsStates() {
    return shown.stream().allMatch(it -> it.csn() != null);
  }
}
