// SPDX-License-Identifier: Apache-2.0
package io.stoa.cache.result;

import io.stoa.cache.result.QueryKey.Reach;
import io.stoa.cache.result.RequestTemplate.Verdict;
import io.stoa.ldap.protocol.Octets;
import io.stoa.ldap.schema.AttributeSelection;
import org.jspecify.annotations.Nullable;

/** Requests for the caches that no client has sent. */
final class CacheRequests {
  private CacheRequests() {}

  /** Returns a search, or a compare without an attribute list. */
  static RequestTemplate of(
      int generation,
      Octets query,
      Reach reach,
      @Nullable AttributeSelection selection,
      int limit) {
    return new RequestTemplate(
        Verdict.CACHE,
        NormalQuery.of(generation, query, reach),
        null,
        null,
        Octets.EMPTY,
        selection,
        limit,
        false,
        0,
        null,
        null,
        null);
  }
}
