// SPDX-License-Identifier: Apache-2.0
package io.stoa.feed.accesslog;

import io.stoa.feed.syncrepl.SyncContext;
import io.stoa.ldap.schema.NormalDn;
import java.util.List;

/**
 * A naming context without the naming contexts below it, which are separate databases and may share
 * the log.
 *
 * <p>Threading: immutable, provided the arrays are not modified.
 *
 * @param base the DN of the naming context
 * @param others all naming contexts of the server
 */
record LogScope(SyncContext.Rules rules, byte[] base, List<byte[]> others) {
  LogScope {
    others = List.copyOf(others);
  }

  /** True if the record changed an entry here, or moved one here. */
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
