// SPDX-License-Identifier: Apache-2.0
package io.stoa.cache.result;

import io.stoa.cache.result.Explanation.Reason;
import io.stoa.ldap.protocol.Octets;
import io.stoa.ldap.schema.AttributeSelection;
import org.jspecify.annotations.Nullable;

/**
 * A search or compare request, decoded for the caches.
 *
 * <p>Threading: immutable; the array must not be modified.
 *
 * @param template what it has in common with all requests of its shape
 * @param values the folded values, for the key of its result
 */
record CacheRequest(RequestTemplate template, byte[] values) {
  /** The values of a request without any. */
  static final byte[] NO_VALUES = {};

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

  static CacheRequest bypass(Verdict verdict) {
    return new CacheRequest(RequestTemplate.bypass(verdict), NO_VALUES);
  }

  boolean isCacheable() {
    return template.verdict() == Verdict.CACHE;
  }

  Verdict verdict() {
    return template.verdict();
  }

  /** Returns the attribute list; null for a compare. */
  @Nullable AttributeSelection selection() {
    return template.selection();
  }

  /** Returns the size limit; 0 for none. */
  int sizeLimit() {
    return template.sizeLimit();
  }

  /** True if attributes are returned without values. */
  boolean typesOnly() {
    return template.typesOnly();
  }

  /**
   * Returns the key of all parts of the request that may change how the directory returns an entry,
   * except the attribute list; empty for a compare.
   */
  Octets form() {
    Octets form = template.form();
    return form == null ? template.query().with(values) : form;
  }

  /** Returns the key of the result in a partition. */
  QueryKey key(Octets partition) {
    return new QueryKey(partition, template.query(), values);
  }
}
