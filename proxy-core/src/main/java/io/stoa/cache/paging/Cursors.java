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
 * The results that clients of one event loop are paging through, by their next cookie. Each client
 * may have a few and no more octets than its connection may hold of answers, all together no more
 * than a bound; those that were used least recently make room. They end with the client's identity.
 * Event-loop confined.
 */
final class Cursors {
  private static final int MOST_OF_A_CLIENT = 16;

  /** How a cookie of Stoa's begins; 389 Directory Server would take a foreign one for its first. */
  private static final long MARK = 0x53746f615e9a6e31L;

  private static final int COOKIE = 24;

  private final SecureRandom random = new SecureRandom();
  private final Map<Octets, Cursor> byCookie = new LinkedHashMap<>();
  private final Map<ClientSession, Set<Octets>> bySession = new HashMap<>();
  private final long most;
  private long octets;

  /** Makes none, of which all together may hold so many octets. */
  Cursors(long most) {
    this.most = most;
  }

  /** Whether a cookie is one of Stoa's, good or not. */
  static boolean isOwn(byte[] cookie) {
    return cookie.length == COOKIE && ByteBuffer.wrap(cookie).getLong() == MARK;
  }

  /** Keeps a cursor; the cookie under which it is found, or null if there is no room. */
  byte @Nullable [] begin(Cursor cursor) {
    ClientSession session = cursor.session();
    Set<Octets> own = bySession.get(session);
    if (own == null) {
      own = new LinkedHashSet<>();
      bySession.put(session, own);
      session.onReset(() -> endAll(session));
    }
    while (!own.isEmpty() && (own.size() >= MOST_OF_A_CLIENT || !fits(cursor))) {
      end(own.iterator().next());
    }
    if (!session.reserve(cursor.octets())) {
      return null;
    }
    return keep(cursor, own);
  }

  private boolean fits(Cursor cursor) {
    boolean room = cursor.session().reserve(cursor.octets());
    if (room) {
      cursor.session().giveBack(cursor.octets());
    }
    return room;
  }

  private byte[] keep(Cursor cursor, Set<Octets> own) {
    byte[] cookie = new byte[COOKIE];
    random.nextBytes(cookie);
    ByteBuffer.wrap(cookie).putLong(MARK);
    Octets key = Octets.of(cookie);
    own.add(key);
    byCookie.put(key, cursor);
    octets += cursor.octets();
    while (octets > most && byCookie.size() > 1) {
      end(byCookie.keySet().iterator().next());
    }
    return cookie;
  }

  /** The client's cursor, which is kept no longer; null if it has none by this cookie. */
  @Nullable Cursor take(ClientSession session, byte[] cookie) {
    Octets key = Octets.of(cookie);
    Set<Octets> own = bySession.get(session);
    return own != null && own.contains(key) ? end(key) : null;
  }

  private @Nullable Cursor end(Octets cookie) {
    Cursor cursor = byCookie.remove(cookie);
    if (cursor != null) {
      octets -= cursor.octets();
      cursor.session().giveBack(cursor.octets());
      Set<Octets> own = bySession.get(cursor.session());
      if (own != null) {
        own.remove(cookie);
      }
    }
    return cursor;
  }

  private void endAll(ClientSession session) {
    Set<Octets> own = bySession.remove(session);
    if (own != null) {
      own.forEach(this::end);
    }
  }
}
