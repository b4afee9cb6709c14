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
 * The paged searches that are not at their end, of all clients: how many there are, and how many
 * entries each has given. Between two pages one is known by the cookie of the last. Each client may
 * have a few; if there are as many as may be, those make room that nobody has gone on with for
 * long. Thread-safe.
 */
public final class PagedSearches {
  /** It is none of this client's, or not any more. */
  static final int UNKNOWN = -1;

  private static final int MOST_OF_A_CLIENT = 16;
  private static final long PATIENCE = TimeUnit.MINUTES.toNanos(5);

  private final Map<ClientSession, Map<Octets, Pause>> paused = new HashMap<>();
  private int count;

  /** A search between two pages. */
  private record Pause(int given, long since) {}

  /** One more begins; false if there are as many as may be. */
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

  /** One goes on: how many entries it has given. */
  synchronized int resume(ClientSession session, byte[] cookie) {
    Map<Octets, Pause> own = paused.get(session);
    Pause pause = own == null ? null : own.remove(Octets.of(cookie));
    return pause == null ? UNKNOWN : pause.given;
  }

  /**
   * A page has been given, and there is more. A directory may give one cookie to two searches: then
   * they have given as much as the one that has given more.
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

  /** One has come to its end. */
  synchronized void end() {
    count--;
  }

  private synchronized void forget(ClientSession session) {
    Map<Octets, Pause> own = paused.remove(session);
    count -= own == null ? 0 : own.size();
  }

  /** How many there are. */
  synchronized int count() {
    return count;
  }
}
