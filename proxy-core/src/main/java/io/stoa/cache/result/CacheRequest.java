// SPDX-License-Identifier: Apache-2.0
package io.stoa.cache.result;

import io.stoa.cache.result.Explanation.Reason;
import io.stoa.cache.result.QueryKey.Reach;
import io.stoa.ldap.protocol.Octets;
import io.stoa.ldap.schema.AttributeSelection;
import org.jspecify.annotations.Nullable;

/**
 * A search or compare request, decoded for the caches.
 *
 * <p>Threading: immutable.
 *
 * @param verdict CACHE, or the reason for a bypass
 * @param query the normalized request without limits; empty for a bypass
 * @param form key of all parts of the request that may change how the directory returns an entry,
 *     except the attribute list; empty for a compare
 * @param selection the attribute list; null for a compare
 * @param sizeLimit the size limit; 0 for none
 * @param typesOnly true if attributes are returned without values
 * @param reach the part of the tree that the request can reach
 * @param request the octets of the request; empty if it cannot be sent again
 * @param covered bit set of the sharing classes that cover the request
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

  /** Decision whether a request may use the caches. */
  enum Verdict {
    /** The request may use the caches. */
    CACHE(Reason.STORED),
    /** A control changes the answer, or its effect is unknown. */
    CONTROL(Reason.CONTROL),
    /** The scope is not one of RFC 4511. */
    SCOPE(Reason.SCOPE),
    /** The request names attributes whose values change without a write. */
    VOLATILE(Reason.VOLATILE),
    /** The filter names an excluded attribute. */
    EXCLUDED_ATTRIBUTE(Reason.EXCLUDED_ATTRIBUTE),
    /** The search can reach an excluded subtree. */
    EXCLUDED_SUBTREE(Reason.EXCLUDED_SUBTREE),
    /** The filter names a secret attribute. Neither the answer nor the request is stored. */
    SECRET(Reason.SECRET);

    private final Reason reason;

    Verdict(Reason reason) {
      this.reason = reason;
    }

    /** Returns the reason for the bypass. */
    Reason reason() {
      return reason;
    }
  }

  static CacheRequest none(Verdict verdict) {
    return new CacheRequest(
        verdict, Octets.EMPTY, Octets.EMPTY, null, 0, false, Reach.ANYWHERE, Octets.EMPTY, 0);
  }

  /** Returns a copy with the octets of the request, so that it can be sent again. */
  CacheRequest of(Octets requestOctets) {
    return new CacheRequest(
        verdict, query, form, selection, sizeLimit, typesOnly, reach, requestOctets, covered);
  }

  boolean isCacheable() {
    return verdict == Verdict.CACHE;
  }
}
