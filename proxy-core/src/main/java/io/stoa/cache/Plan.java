// SPDX-License-Identifier: Apache-2.0
package io.stoa.cache;

import io.stoa.ldap.Octets;
import io.stoa.match.AttributeSelection;
import org.jspecify.annotations.Nullable;

/**
 * A search or compare request as the caches see it. Immutable.
 *
 * @param verdict whether the caches may be used
 * @param query the normalised request, without attribute list and limits; empty if they may not
 * @param selection the attribute list; null for a compare
 * @param sizeLimit the size limit, 0 for none
 * @param typesOnly whether attributes come without values
 */
record Plan(
    Verdict verdict,
    Octets query,
    @Nullable AttributeSelection selection,
    int sizeLimit,
    boolean typesOnly) {

  /** Whether a request may use the caches. */
  enum Verdict {
    /** It may. */
    CACHE,
    /** Its answer is not stored. */
    BYPASS,
    /** Neither its answer nor anything of the request is kept: it holds a secret. */
    SECRET
  }

  static Plan none(Verdict verdict) {
    return new Plan(verdict, Octets.EMPTY, null, 0, false);
  }

  boolean cacheable() {
    return verdict == Verdict.CACHE;
  }
}
