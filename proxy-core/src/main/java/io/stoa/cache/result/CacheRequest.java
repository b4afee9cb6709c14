// SPDX-License-Identifier: Apache-2.0
package io.stoa.cache.result;

import io.stoa.cache.result.Explanation.Reason;
import io.stoa.cache.result.QueryKey.Reach;
import io.stoa.ldap.protocol.Octets;
import io.stoa.ldap.schema.AttributeSelection;
import org.jspecify.annotations.Nullable;

/**
 * A search or compare request as the caches see it. Immutable.
 *
 * @param verdict whether the caches may be used
 * @param query the normalised request, without limits; empty if they may not
 * @param form a key of all in the request that may change how the directory shows an entry, but for
 *     the attribute list; empty for a compare
 * @param selection the attribute list; null for a compare
 * @param sizeLimit the size limit, 0 for none
 * @param typesOnly whether attributes come without values
 * @param reach where in the tree it looks
 * @param request the request as it was received; empty if it cannot be asked again
 * @param covered the declared classes in which it lies
 */
record CacheRequest(
    Verdict verdict,
    Octets query,
    Octets form,
    @Nullable AttributeSelection selection,
    int sizeLimit,
    boolean typesOnly,
    Reach reach,
    Octets request,
    long covered) {

  /** Whether a request may use the caches. */
  enum Verdict {
    /** It may. */
    CACHE(Reason.STORED),
    /** A control changes the answer, or nobody knows what it does. */
    CONTROL(Reason.CONTROL),
    /** A scope that RFC 4511 does not know. */
    SCOPE(Reason.SCOPE),
    /** It names attributes whose values change without a write. */
    VOLATILE(Reason.VOLATILE),
    /** Its filter names an attribute that is excluded. */
    EXCLUDED_ATTRIBUTE(Reason.EXCLUDED_ATTRIBUTE),
    /** It can reach a subtree that is excluded. */
    EXCLUDED_SUBTREE(Reason.EXCLUDED_SUBTREE),
    /** Neither its answer nor anything of the request is kept: it holds a secret. */
    SECRET(Reason.SECRET);

    private final Reason reason;

    Verdict(Reason reason) {
      this.reason = reason;
    }

    /** Why it may not. */
    Reason reason() {
      return reason;
    }
  }

  static CacheRequest none(Verdict verdict) {
    return new CacheRequest(
        verdict, Octets.EMPTY, Octets.EMPTY, null, 0, false, Reach.ANYWHERE, Octets.EMPTY, 0);
  }

  /** The same of a request that can be asked again. */
  CacheRequest of(Octets asked) {
    return new CacheRequest(
        verdict, query, form, selection, sizeLimit, typesOnly, reach, asked, covered);
  }

  boolean cacheable() {
    return verdict == Verdict.CACHE;
  }
}
