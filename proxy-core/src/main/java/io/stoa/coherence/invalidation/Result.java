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
 * What a search or compare has found. Immutable, as long as nobody modifies the arrays.
 *
 * @param absent whether the answer is noSuchObject
 * @param shown the entries
 */
public record Result(boolean absent, List<Shown> shown) {
  public Result {
    shown = List.copyOf(shown);
  }

  /**
   * An entry of a result. Immutable, as long as nobody modifies the arrays.
   *
   * @param csn its entryCSN; null if the server has not shown it
   * @param name its DN as the server has spelled it
   */
  public record Shown(Uuid uuid, @Nullable Csn csn, NormalDn dn, byte[] name) {}

  /** The entries without their names. */
  Members members() {
    return Members.of(shown.stream().map(it -> new Member(it.uuid(), it.csn())).toList());
  }

  /** The same with their names. */
  Members namedMembers() {
    return Members.of(shown.stream().map(it -> new Member(it.uuid(), it.csn(), it.dn())).toList());
  }

  /** Whether what has another place than these has another name, beyond doubt. */
  boolean isSurelyNamed() {
    return shown.stream().allMatch(it -> it.dn().isSure());
  }

  /** The entries, and their names. */
  Map<Uuid, NormalDn> names() {
    return shown.stream().collect(Collectors.toMap(Shown::uuid, Shown::dn, (one, other) -> one));
  }

  List<NormalDn> dns() {
    return shown.stream().map(Shown::dn).toList();
  }

  /** Whether it shows which state of its entries it is. */
  boolean isReadable() {
    return shown.stream().allMatch(it -> it.csn() != null);
  }
}
