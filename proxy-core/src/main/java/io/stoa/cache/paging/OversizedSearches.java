// SPDX-License-Identifier: Apache-2.0
package io.stoa.cache.paging;

import io.stoa.ldap.protocol.Octets;
import io.stoa.operation.ClientSession;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * Searches whose result was too large a while ago, or must not be held, so that not each of their
 * first pages costs a search in vain. Thread-safe.
 */
public final class OversizedSearches {
  private static final int MOST = 4096;
  private static final long NANOS = TimeUnit.MINUTES.toNanos(10);

  private final Map<Octets, Long> untilByRequest = new LinkedHashMap<>();

  synchronized boolean contains(ClientSession session, PagedRequest request, long now) {
    Long until = untilByRequest.isEmpty() ? null : untilByRequest.get(key(session, request));
    return until != null && until - now > 0;
  }

  synchronized void add(ClientSession session, PagedRequest request, long now) {
    Octets key = key(session, request);
    untilByRequest.remove(key);
    untilByRequest.put(key, now + NANOS);
    if (untilByRequest.size() > MOST) {
      untilByRequest.remove(untilByRequest.keySet().iterator().next());
    }
  }

  /** A digest: requests may be large, and taking one for another costs no more than a hit. */
  private static Octets key(ClientSession session, PagedRequest request) {
    try {
      MessageDigest digest = MessageDigest.getInstance("SHA-256");
      digest.update(session.identity().name().array());
      digest.update(request.op());
      return Octets.of(digest.digest());
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every Java platform has SHA-256", e);
    }
  }
}
