// SPDX-License-Identifier: Apache-2.0
package io.stoa.cache.result;

import io.stoa.ldap.protocol.RequestOp.SearchOp;
import io.stoa.operation.Operation;
import io.stoa.operation.digest.DigestTable;
import io.stoa.operation.digest.SearchDigest;
import org.jspecify.annotations.Nullable;

/**
 * Leads from a request template to the digest of its searches. Several templates may have one
 * digest, since patterns are coarser than shapes.
 *
 * <p>Octets: 24. No replaced digest stays in memory for it.
 *
 * <p>Invariant: a search of a pattern that is not tracked is decoded once in {@value #INTERVAL}
 * times, so that rare patterns stay cheap and frequent ones are tracked again.
 *
 * <p>Threading: thread-safe.
 */
final class TemplateDigest {
  private static final int INTERVAL = 16;

  private volatile SearchDigest.@Nullable Handle known;

  /** Threads may lose an update, which only delays the next decoding. */
  private int untracked;

  /** Returns the digest of a search with the template. */
  SearchDigest of(Operation search, DigestTable table) {
    SearchDigest.Handle handle = known;
    SearchDigest digest = handle == null ? null : handle.digest();
    if (digest != null) {
      return digest;
    }
    if (handle != null && table.isFull() && ++untracked % INTERVAL != 0) {
      return table.others();
    }
    SearchDigest found = ofRequest(search, table);
    known = found.handle();
    return found;
  }

  /** Returns the digest of a search by its decoded request. */
  static SearchDigest ofRequest(Operation search, DigestTable table) {
    return table.digest((SearchOp) search.request().op());
  }
}
