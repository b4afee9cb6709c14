// SPDX-License-Identifier: Apache-2.0
package io.stoa.proxy;

import io.stoa.cache.paging.ResultSource;
import io.stoa.cache.result.CacheStage;
import io.stoa.ldap.protocol.LdapProtocolException;
import io.stoa.operation.Operation;

/**
 * The caches as a source of results for paged searches.
 *
 * <p>Threading: event loop.
 */
record CachedResults(CacheStage cache) implements ResultSource {
  @Override
  public boolean isCacheable(Operation search) throws LdapProtocolException {
    return cache.isCacheable(search);
  }

  @Override
  public boolean answer(Operation search) throws LdapProtocolException {
    return cache.answer(search);
  }

  @Override
  public boolean isSecret(byte[] entry) {
    return cache.isSecret(entry);
  }
}
