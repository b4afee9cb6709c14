// SPDX-License-Identifier: Apache-2.0
package io.stoa.cache.sharing;

import io.stoa.ldap.protocol.LdapProtocolException;
import io.stoa.operation.ClientSession;
import io.stoa.operation.Operation;
import io.stoa.operation.Stage;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * What is asked as the clients of one event loop, of which they do not know. It ends when its
 * client binds again or leaves: else it could be sent, or sent again, as whoever that is then.
 * Event-loop confined.
 */
public final class BackgroundRequests {
  private final Stage next;

  /**
   * Those under way; a client that has had one is here until it is reset, so that it is told once.
   */
  private final Map<ClientSession, Set<Operation>> running = new HashMap<>();

  /**
   * Makes it without any.
   *
   * @param next what answers them
   */
  public BackgroundRequests(Stage next) {
    this.next = next;
  }

  /**
   * Begins one.
   *
   * @throws LdapProtocolException if the request is malformed
   */
  public void send(Operation errand) throws LdapProtocolException {
    running.computeIfAbsent(errand.session(), this::begin).add(errand);
    next.handle(errand);
  }

  /** One has ended: nothing of it is kept. */
  public void ended(Operation errand) {
    Set<Operation> own = running.get(errand.session());
    if (own != null) {
      own.remove(errand);
    }
  }

  private Set<Operation> begin(ClientSession client) {
    client.onReset(() -> reset(client));
    return new HashSet<>(2);
  }

  private void reset(ClientSession client) {
    Set<Operation> own = running.remove(client);
    if (own != null) {
      List.copyOf(own).forEach(Operation::abandon);
    }
  }
}
