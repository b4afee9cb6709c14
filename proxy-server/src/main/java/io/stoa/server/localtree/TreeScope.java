// SPDX-License-Identifier: Apache-2.0
package io.stoa.server.localtree;

import io.stoa.ldap.schema.NormalDn;
import org.jspecify.annotations.Nullable;

/** Scopes of a search, in the order of their numbers (RFC 4511, section 4.5.1.2). */
enum TreeScope {
  BASE,
  ONE,
  SUBTREE,
  /** The subtree without its base, draft-sermersheim-ldap-subordinate-scope. */
  SUBORDINATES;

  /** Returns the scope of a number; null if there is none. */
  static @Nullable TreeScope of(int number) {
    return number < 0 || number >= values().length ? null : values()[number];
  }

  boolean holds(NormalDn entry, NormalDn base) {
    int levels = entry.depth() - base.depth();
    return entry.isBelowOrEqual(base)
        && switch (this) {
          case BASE -> levels == 0;
          case ONE -> levels == 1;
          case SUBTREE -> true;
          case SUBORDINATES -> levels > 0;
        };
  }
}
