// SPDX-License-Identifier: Apache-2.0
package io.stoa.routing;

import io.stoa.ldap.protocol.LdapProtocolException;
import io.stoa.ldap.protocol.Octets;
import io.stoa.ldap.protocol.PagedResults;
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
 * Remembers the connection on which a server issued each paging cookie (RFC 2696).
 *
 * <p>On another connection the cookie may mean another search. 389 Directory Server numbers its
 * paged searches from 0 on each connection, and does not compare the requests.
 *
 * <p>Threading: event loop.
 */
final class ServerCookies {
  /**
   * Maximum number of paged searches remembered for one client: 64, as in 389-ds for a connection.
   */
  private static final int MAX = 64;

  private static final byte[] NONE = {};

  private final UpstreamPools pools;
  private final Map<ClientSession, Map<Octets, IssuedCookie>> bySession = new HashMap<>();

  /** Creates it for the pools of one event loop. */
  ServerCookies(UpstreamPools pools) {
    this.pools = pools;
  }

  /** The last cookie of a search, and the connection on which it was issued. */
  private record IssuedCookie(Octets cookie, Object connection) {}

  /**
   * Returns a listener for the state that an operation leaves on its client's dedicated connection.
   */
  SessionStateTracker.StateListener of(Operation operation) {
    ClientSession session = operation.session();
    return new SessionStateTracker.StateListener() {
      @Override
      public void onStates(int more) {
        pools.addStates(session, more);
      }

      @Override
      public void onCookie(byte[] cookie) {
        remember(operation, cookie);
      }
    };
  }

  private void remember(Operation search, byte[] cookie) {
    ClientSession session = search.session();
    Object connection = pools.dedicatedConnection(session);
    if (connection != null) {
      bySession
          .computeIfAbsent(session, this::recent)
          .put(digest(search), new IssuedCookie(Octets.of(cookie), connection));
    }
  }

  private Map<Octets, IssuedCookie> recent(ClientSession session) {
    session.onReset(() -> bySession.remove(session));
    return new Recent();
  }

  /** True if the operation has a cookie from a connection that is gone. */
  boolean isLost(Operation operation) {
    Map<Octets, IssuedCookie> cookies = bySession.get(operation.session());
    byte[] cookie = cookies == null ? NONE : cookie(operation.request());
    if (cookies == null || cookie.length == 0) {
      return false;
    }
    IssuedCookie issued = cookies.get(digest(operation));
    return issued != null
        && issued.connection() != pools.dedicatedConnection(operation.session())
        && issued.cookie().equals(Octets.of(cookie));
  }

  /** Returns the cookie of a request. A malformed control is left for the server to refuse. */
  private static byte[] cookie(Request request) {
    try {
      return PagedResults.cookieOf(request.controls());
    } catch (LdapProtocolException e) {
      return NONE;
    }
  }

  /**
   * Returns a digest of the request without controls: it is equal for all pages (RFC 2696, section
   * 3).
   */
  private static Octets digest(Operation search) {
    try {
      MessageDigest sha = MessageDigest.getInstance("SHA-256");
      return Octets.of(sha.digest(search.message().copyOp()));
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every Java runtime has SHA-256", e);
    }
  }

  private static final class Recent extends LinkedHashMap<Octets, IssuedCookie> {
    private static final long serialVersionUID = 1;

    @Override
    protected boolean removeEldestEntry(Map.Entry<Octets, IssuedCookie> eldest) {
      return size() > MAX;
    }
  }
}
