// SPDX-License-Identifier: Apache-2.0
package io.stoa.client.limit;

import io.stoa.ldap.protocol.Octets;
import io.stoa.operation.ClientSession;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * The unfinished paged searches of all clients, with the number of entries that each has returned.
 *
 * <ol>
 *   <li>Between two pages, a search is identified by the cookie of the last page.
 *   <li>A client may have up to 16 paused searches. The oldest one is dropped for a new one.
 *   <li>At the limit for all clients, searches paused for more than 5 minutes are dropped.
 * </ol>
 *
 * <p>Threading: thread-safe.
 */
public final class PagedSearches {
  /** Result of {@link #resume} if the client has no such search, or has it no more. */
  static final int UNKNOWN = -1;

  private static final int MAX_PER_CLIENT = 16;
  private static final long PATIENCE = TimeUnit.MINUTES.toNanos(5);

  private final Map<ClientSession, Map<Octets, Pause>> paused = new HashMap<>();
  private int count;

  /** A search between two pages. */
  private record Pause(int given, long since) {}

  /** Begins a paged search; false if the maximum number is reached. */
  synchronized boolean begin(int limit, long now) {
    if (limit > 0 && count >= limit) {
      paused.values().forEach(pauses -> forgetOlder(pauses, now));
    }
    boolean room = limit == 0 || count < limit;
    if (room) {
      count++;
    }
    return room;
  }

  private void forgetOlder(Map<Octets, Pause> pauses, long now) {
    int previous = pauses.size();
    pauses.values().removeIf(pause -> now - pause.since > PATIENCE);
    count -= previous - pauses.size();
  }

  /** Resumes a search, and returns the number of entries that it has returned so far. */
  synchronized int resume(ClientSession session, byte[] cookie) {
    Map<Octets, Pause> pauses = paused.get(session);
    Pause pause = pauses == null ? null : pauses.remove(Octets.of(cookie));
    return pause == null ? UNKNOWN : pause.given;
  }

  /**
   * Pauses a search after a page that is not the last. A directory may give one cookie to two
   * searches. Both then continue with the larger of their counts.
   */
  synchronized void pause(ClientSession session, byte[] cookie, int entries, long now) {
    Map<Octets, Pause> pauses = paused.get(session);
    if (pauses == null) {
      pauses = new LinkedHashMap<>();
      paused.put(session, pauses);
      session.onReset(() -> forget(session));
    }
    Pause other = pauses.remove(Octets.of(cookie));
    pauses.put(
        Octets.of(cookie),
        new Pause(other == null ? entries : Math.max(entries, other.given), now));
    if (other != null) {
      count--;
    }
    if (pauses.size() > MAX_PER_CLIENT) {
      forgetOldest(pauses);
    }
  }

  private void forgetOldest(Map<Octets, Pause> pauses) {
    Iterator<Octets> oldest = pauses.keySet().iterator();
    oldest.next();
    oldest.remove();
    count--;
  }

  /** Ends a search after its last page. */
  synchronized void end() {
    count--;
  }

  private synchronized void forget(ClientSession session) {
    Map<Octets, Pause> pauses = paused.remove(session);
    count -= pauses == null ? 0 : pauses.size();
  }

  /** Returns the number of unfinished searches. */
  synchronized int count() {
    return count;
  }
}
