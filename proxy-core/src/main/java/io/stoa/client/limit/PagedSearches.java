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

  private static final int MOST_OF_A_CLIENT = 16;
  private static final long PATIENCE = TimeUnit.MINUTES.toNanos(5);

  private final Map<ClientSession, Map<Octets, Pause>> paused = new HashMap<>();
  private int count;

  /** A search between two pages. */
  private record Pause(int given, long since) {}

  /** Begins a paged search; false if the maximum number is reached. */
  synchronized boolean begin(int most, long now) {
    if (most > 0 && count >= most) {
      paused.values().forEach(own -> forgetOlder(own, now));
    }
    boolean room = most == 0 || count < most;
    if (room) {
      count++;
    }
    return room;
  }

  private void forgetOlder(Map<Octets, Pause> own, long now) {
    int before = own.size();
    own.values().removeIf(pause -> now - pause.since > PATIENCE);
    count -= before - own.size();
  }

  /** Resumes a search, and returns the number of entries that it has returned so far. */
  synchronized int resume(ClientSession session, byte[] cookie) {
    Map<Octets, Pause> own = paused.get(session);
    Pause pause = own == null ? null : own.remove(Octets.of(cookie));
    return pause == null ? UNKNOWN : pause.given;
  }

  /**
   * Pauses a search after a page that is not the last. A directory may give one cookie to two
   * searches. Both then continue with the larger of their counts.
   */
  synchronized void pause(ClientSession session, byte[] cookie, int given, long now) {
    Map<Octets, Pause> own = paused.get(session);
    if (own == null) {
      own = new LinkedHashMap<>();
      paused.put(session, own);
      session.onReset(() -> forget(session));
    }
    Pause other = own.remove(Octets.of(cookie));
    own.put(
        Octets.of(cookie), new Pause(other == null ? given : Math.max(given, other.given), now));
    if (other != null) {
      count--;
    }
    if (own.size() > MOST_OF_A_CLIENT) {
      forgetOldest(own);
    }
  }

  private void forgetOldest(Map<Octets, Pause> own) {
    Iterator<Octets> oldest = own.keySet().iterator();
    oldest.next();
    oldest.remove();
    count--;
  }

  /** Ends a search after its last page. */
  synchronized void end() {
    count--;
  }

  private synchronized void forget(ClientSession session) {
    Map<Octets, Pause> own = paused.remove(session);
    count -= own == null ? 0 : own.size();
  }

  /** Returns the number of unfinished searches. */
  synchronized int count() {
    return count;
  }
}
