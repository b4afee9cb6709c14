// SPDX-License-Identifier: Apache-2.0
package io.stoa.server.differential;

import io.stoa.testing.RawMessage;
import java.util.List;
import java.util.Set;

/**
 * What a run must know of the kind of server: which attributes it makes up, whether the script was
 * written for it (another server refuses other requests; what it refuses need not be cached), and
 * whether two of them give entries in the same order (Samba's order is that of identifiers that it
 * makes up). Immutable.
 */
public record ServerRules(VolatileAttributes attributes, boolean scriptFits, boolean ordered) {
  public static final ServerRules SLAPD = new ServerRules(VolatileAttributes.SLAPD, true, true);
  public static final ServerRules DS389 = new ServerRules(VolatileAttributes.DS389, false, true);

  public static final ServerRules SAMBA = new ServerRules(VolatileAttributes.SAMBA, false, false);

  /** Success, compareFalse, compareTrue, noSuchObject. */
  private static final Set<Integer> KEPT = Set.of(0, 5, 6, 32);

  /** Whether what the script says of caching holds for a read with this answer. */
  boolean expectsHit(List<RawMessage> answer) {
    return scriptFits
        || (KEPT.contains(answer.get(answer.size() - 1).resultCode())
            && answer.stream().noneMatch(m -> m.opTag() == RawMessage.SEARCH_REFERENCE));
  }
}
