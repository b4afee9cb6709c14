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
 * Searches whose result was recently too large or not storable. Their first pages are forwarded at
 * once instead of causing another useless search.
 *
 * <p>Threading: thread-safe.
 */
public final class OversizedSearches {
  private static final int MAX = 4096;
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
    if (untilByRequest.size() > MAX) {
      untilByRequest.remove(untilByRequest.keySet().iterator().next());
    }
  }

  /** Returns a digest, since requests may be large. A collision costs no more than a hit. */
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
