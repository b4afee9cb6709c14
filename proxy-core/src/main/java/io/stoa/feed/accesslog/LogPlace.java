// SPDX-License-Identifier: Apache-2.0
package io.stoa.feed.accesslog;

import io.stoa.feed.syncrepl.SyncTerms;
import io.stoa.ldap.schema.NormalDn;
import java.util.List;

/**
 * A naming context without those that lie in it: these are databases of their own, which may have
 * the same log. Immutable, as long as nobody modifies the arrays.
 *
 * @param base its name
 * @param others naming contexts of the server, whichever they are
 */
record LogPlace(SyncTerms.Rules rules, byte[] base, List<byte[]> others) {
  LogPlace {
    others = List.copyOf(others);
  }

  /** Whether what a record tells was done here, or has brought something here. */
  boolean holds(LogRecord record) {
    NormalDn renamed = record.renamed();
    return holds(record.dn()) || (renamed != null && holds(renamed));
  }

  private boolean holds(NormalDn entry) {
    NormalDn context = rules.name(base);
    return entry.isBelowOrEqual(context)
        && others.stream()
            .map(rules::name)
            .noneMatch(other -> !context.isBelowOrEqual(other) && entry.isBelowOrEqual(other));
  }
}
