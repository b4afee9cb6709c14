// SPDX-License-Identifier: Apache-2.0
package io.stoa.ldap.filter;

import io.stoa.ldap.schema.NormalDn;

/**
 * Base and scope of a search (RFC 4511, section 4.5.1.2).
 *
 * <p>Threading: immutable.
 *
 * @param scope the scope as the client sent it
 */
record Scope(NormalDn base, int scope) {
  static final int BASE = 0;
  static final int ONE_LEVEL = 1;
  static final int SUBTREE = 2;

  /**
   * Returns TRUE if the DN is in scope; UNKNOWN if Stoa does not know a matching rule of the names.
   */
  Truth test(NormalDn dn) {
    if (dn.isSurelyElsewhere(base)) {
      return Truth.FALSE;
    }
    boolean placed = dn.isSurelyBelowOrEqual(base);
    return switch (scope) {
      case BASE -> depth(dn, placed, 0);
      case ONE_LEVEL -> depth(dn, placed, 1);
      case SUBTREE -> placed ? Truth.TRUE : Truth.UNKNOWN;
      default -> Truth.UNKNOWN;
    };
  }

  private Truth depth(NormalDn dn, boolean placed, int levels) {
    if (!dn.isDn() || !base.isDn()) {
      return placed && levels == 0 ? Truth.TRUE : Truth.UNKNOWN;
    }
    boolean level = dn.depth() == base.depth() + levels;
    if (placed) {
      return level ? Truth.TRUE : Truth.FALSE;
    }
    return Truth.UNKNOWN;
  }
}
