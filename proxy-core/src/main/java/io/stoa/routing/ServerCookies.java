// SPDX-License-Identifier: Apache-2.0
package io.stoa.routing;

import io.stoa.ldap.protocol.LdapProtocolException;
import io.stoa.ldap.protocol.Octets;
import io.stoa.ldap.protocol.Request;
import io.stoa.operation.ClientSession;
import io.stoa.operation.Operation;
import io.stoa.upstream.pool.UpstreamPools;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * On which connection a server gave which paging cookie (RFC 2696): on another it may mean another
 * search. 389 Directory Server counts its paged searches, so its cookies are 0, 1 and so on, and it
 * does not compare the requests. Event-loop confined.
 */
final class ServerCookies {
  /** Paged searches of one client that are remembered; 389-ds has as many on a connection. */
  private static final int MOST = 64;

  private static final byte[] NONE = {};

  private final UpstreamPools pools;
  private final Map<ClientSession, Map<Octets, Given>> bySession = new HashMap<>();

  /** Makes it for the connections of a loop. */
  ServerCookies(UpstreamPools pools) {
    this.pools = pools;
  }

  /** The last cookie of a search, and the connection on which it was given. */
  private record Given(Octets cookie, Object connection) {}

  /** Hears what the connection holds after an operation on the client's own. */
  SessionStateTracker.Listener of(Operation operation) {
    ClientSession session = operation.session();
    return new SessionStateTracker.Listener() {
      @Override
      public void left(int more) {
        pools.stateLeft(session, more);
      }

      @Override
      public void cookie(byte[] cookie) {
        given(operation, cookie);
      }
    };
  }

  private void given(Operation search, byte[] cookie) {
    ClientSession session = search.session();
    Object connection = pools.ownConnection(session);
    if (connection != null) {
      bySession
          .computeIfAbsent(session, this::recent)
          .put(digest(search), new Given(Octets.of(cookie), connection));
    }
  }

  private Map<Octets, Given> recent(ClientSession session) {
    session.onReset(() -> bySession.remove(session));
    return new Recent();
  }

  /** Whether the operation has a cookie that was given to it on a connection that is gone. */
  boolean lost(Operation operation) throws LdapProtocolException {
    Map<Octets, Given> own = bySession.get(operation.session());
    byte[] cookie = own == null ? NONE : cookie(operation.request());
    if (own == null || cookie.length == 0) {
      return false;
    }
    Given given = own.get(digest(operation));
    return given != null
        && given.connection() != pools.ownConnection(operation.session())
        && given.cookie().equals(Octets.of(cookie));
  }

  /** What is no control of paging is the server's to refuse. */
  private static byte[] cookie(Request request) {
    try {
      return SessionStateTracker.cookie(request.controls());
    } catch (LdapProtocolException e) {
      return NONE;
    }
  }

  /** All of the request but its controls must be the same for each page (RFC 2696, section 3). */
  private static Octets digest(Operation search) {
    try {
      MessageDigest sha = MessageDigest.getInstance("SHA-256");
      return Octets.of(sha.digest(search.message().copyOp()));
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every Java runtime has SHA-256", e);
    }
  }

  private static final class Recent extends LinkedHashMap<Octets, Given> {
    private static final long serialVersionUID = 1;

    @Override
    protected boolean removeEldestEntry(Map.Entry<Octets, Given> eldest) {
      return size() > MOST;
    }
  }
}
