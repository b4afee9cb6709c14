// SPDX-License-Identifier: Apache-2.0
package io.stoa.routing.directory;

import io.stoa.ldap.protocol.Octets;
import io.stoa.operation.ClientIdentity;
import io.stoa.operation.ClientSession;
import io.stoa.upstream.auth.NeverProxied;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Knows the directory in which each client of one event loop has bound, and its identity in the
 * others. A client is anonymous in these. With proxied authorization it keeps the identity of its
 * bind: the service account acts for it without a password.
 *
 * <p>Threading: event loop.
 */
final class ForeignSessions {
  private final SuffixTable suffixes;
  private final @Nullable NeverProxied neverProxied;
  private final Map<ClientSession, ClientHome> homes = new HashMap<>();

  /**
   * Creates it without clients.
   *
   * @param neverProxied identities for which the service account never acts; null without a service
   *     account
   */
  ForeignSessions(SuffixTable suffixes, @Nullable NeverProxied neverProxied) {
    this.suffixes = suffixes;
    this.neverProxied = neverProxied;
  }

  /** The home directory of a client and its foreign sessions, until its next bind. */
  private record ClientHome(int home, Map<Integer, ClientSession> elsewhere) {}

  /**
   * Returns the session of a client in a directory. In its home directory, and while it is
   * anonymous, this is the client itself.
   */
  ClientSession session(int directory, ClientSession client) {
    if (client.identity().isAnonymous()) {
      return client;
    }
    ClientHome stay = homeOf(client);
    return stay.home == directory
        ? client
        : stay.elsewhere.computeIfAbsent(
            directory, number -> new ForeignSession(client, foreignIdentity(client)));
  }

  /** Returns the directory in which the client has bound; the fallback if it is anonymous. */
  int home(ClientSession client) {
    return client.identity().isAnonymous() ? suffixes.fallback() : homeOf(client).home;
  }

  private ClientHome homeOf(ClientSession client) {
    return homes.computeIfAbsent(client, this::begin);
  }

  private ClientHome begin(ClientSession client) {
    client.onReset(() -> homes.remove(client));
    return new ClientHome(home(client.identity().name()), new HashMap<>(2));
  }

  /** Returns the home directory of a name. After a SASL bind it is the fallback. */
  private int home(Octets name) {
    byte[] octets = name.array();
    return ClientIdentity.mayBeBound(octets) ? suffixes.of(octets) : suffixes.fallback();
  }

  private ClientIdentity foreignIdentity(ClientSession client) {
    ClientIdentity identity = client.identity();
    boolean actsForClient = neverProxied != null && !neverProxied.contains(identity);
    return actsForClient ? identity.withoutCredentials() : ClientIdentity.ANONYMOUS;
  }
}
