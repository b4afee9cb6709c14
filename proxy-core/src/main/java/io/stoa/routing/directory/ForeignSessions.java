// SPDX-License-Identifier: Apache-2.0
package io.stoa.routing.directory;

import io.stoa.ldap.protocol.Octets;
import io.stoa.operation.ClientIdentity;
import io.stoa.operation.ClientSession;
import io.stoa.upstream.auth.DedicatedConnections;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * In which directory each client of one event loop has bound, and as whom it acts in the others:
 * anonymously; in proxied-authorization mode as whom it has bound, for the service account does so
 * without its password. Event-loop confined.
 */
final class ForeignSessions {
  private final SuffixTable suffixes;
  private final @Nullable DedicatedConnections owners;
  private final Map<ClientSession, Stay> stays = new HashMap<>();

  /**
   * Makes it.
   *
   * @param owners for whom the service account never acts; null if there is no service account
   */
  ForeignSessions(SuffixTable suffixes, @Nullable DedicatedConnections owners) {
    this.suffixes = suffixes;
    this.owners = owners;
  }

  /** What holds of a client until it binds again. */
  private record Stay(int home, Map<Integer, ClientSession> elsewhere) {}

  /** The client as it acts in a directory: itself where it has bound, and if it is anonymous. */
  ClientSession in(int directory, ClientSession client) {
    if (client.identity().anonymous()) {
      return client;
    }
    Stay stay = stay(client);
    return stay.home == directory
        ? client
        : stay.elsewhere.computeIfAbsent(
            directory, there -> new ForeignSession(client, there(client)));
  }

  /** The directory in which the client has bound; that for what none claims if it has not. */
  int home(ClientSession client) {
    return client.identity().anonymous() ? suffixes.fallback() : stay(client).home;
  }

  private Stay stay(ClientSession client) {
    return stays.computeIfAbsent(client, this::begin);
  }

  private Stay begin(ClientSession client) {
    client.onReset(() -> stays.remove(client));
    return new Stay(home(client.identity().name()), new HashMap<>(2));
  }

  /** Whoever has bound by SASL has done so where what none claims is. */
  private int home(Octets name) {
    byte[] octets = name.array();
    return ClientIdentity.mayBeBound(octets) ? suffixes.of(octets) : suffixes.fallback();
  }

  private ClientIdentity there(ClientSession client) {
    ClientIdentity identity = client.identity();
    boolean named = owners != null && !owners.contains(identity);
    return named ? identity.withoutCredentials() : ClientIdentity.ANONYMOUS;
  }
}
