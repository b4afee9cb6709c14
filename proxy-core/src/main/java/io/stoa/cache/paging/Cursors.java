// SPDX-License-Identifier: Apache-2.0
package io.stoa.cache.paging;

import io.stoa.ldap.protocol.Octets;
import io.stoa.operation.ClientSession;
import java.nio.ByteBuffer;
import java.security.SecureRandom;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Results that the clients of one event loop are paging through, by their next cookie.
 *
 * <ol>
 *   <li>A client has at most {@link #MAX_PER_CLIENT} cursors. Their octets count as buffered
 *       responses of its connection.
 *   <li>The octets of all cursors have a common bound. The least recently used ones are dropped
 *       first.
 *   <li>A cursor ends when its client rebinds or disconnects.
 * </ol>
 *
 * <p>Threading: event-loop confined.
 */
final class Cursors {
  private static final int MAX_PER_CLIENT = 16;

  /**
   * Prefix by which Stoa recognizes its cookies. A foreign cookie must not reach 389 Directory
   * Server, which would mistake it for its first one.
   */
  private static final long MARK = 0x53746f615e9a6e31L;

  private static final int COOKIE = 24;

  private final SecureRandom random = new SecureRandom();
  private final Map<Octets, Cursor> byCookie = new LinkedHashMap<>();
  private final Map<ClientSession, Set<Octets>> bySession = new HashMap<>();
  private final long maxOctets;
  private long octets;

  /**
   * Creates an empty collection.
   *
   * @param maxOctets maximum octets of all cursors
   */
  Cursors(long maxOctets) {
    this.maxOctets = maxOctets;
  }

  /** True if a cookie was made by Stoa, valid or not. */
  static boolean isOwn(byte[] cookie) {
    return cookie.length == COOKIE && ByteBuffer.wrap(cookie).getLong() == MARK;
  }

  /** Adds a cursor. Returns its cookie, or null if there is no room. */
  byte @Nullable [] begin(Cursor cursor) {
    ClientSession session = cursor.session();
    Set<Octets> sessionCookies = bySession.get(session);
    if (sessionCookies == null) {
      sessionCookies = new LinkedHashSet<>();
      bySession.put(session, sessionCookies);
      session.onReset(() -> endAll(session));
    }
    while (!sessionCookies.isEmpty()
        && (sessionCookies.size() >= MAX_PER_CLIENT || !fits(cursor))) {
      end(sessionCookies.iterator().next());
    }
    if (!session.reserve(cursor.octets())) {
      return null;
    }
    return keep(cursor, sessionCookies);
  }

  private boolean fits(Cursor cursor) {
    boolean room = cursor.session().reserve(cursor.octets());
    if (room) {
      cursor.session().giveBack(cursor.octets());
    }
    return room;
  }

  private byte[] keep(Cursor cursor, Set<Octets> sessionCookies) {
    byte[] cookie = new byte[COOKIE];
    random.nextBytes(cookie);
    ByteBuffer.wrap(cookie).putLong(MARK);
    Octets key = Octets.of(cookie);
    sessionCookies.add(key);
    byCookie.put(key, cursor);
    octets += cursor.octets();
    while (octets > maxOctets && byCookie.size() > 1) {
      end(byCookie.keySet().iterator().next());
    }
    return cookie;
  }

  /** Removes and returns the client's cursor with this cookie, or null if there is none. */
  @Nullable Cursor take(ClientSession session, byte[] cookie) {
    Octets key = Octets.of(cookie);
    Set<Octets> sessionCookies = bySession.get(session);
    return sessionCookies != null && sessionCookies.contains(key) ? end(key) : null;
  }

  private @Nullable Cursor end(Octets cookie) {
    Cursor cursor = byCookie.remove(cookie);
    if (cursor != null) {
      octets -= cursor.octets();
      cursor.session().giveBack(cursor.octets());
      Set<Octets> sessionCookies = bySession.get(cursor.session());
      if (sessionCookies != null) {
        sessionCookies.remove(cookie);
      }
    }
    return cursor;
  }

  private void endAll(ClientSession session) {
    Set<Octets> sessionCookies = bySession.remove(session);
    if (sessionCookies != null) {
      sessionCookies.forEach(this::end);
    }
  }
}
