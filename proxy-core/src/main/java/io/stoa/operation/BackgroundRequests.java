// SPDX-License-Identifier: Apache-2.0
package io.stoa.operation;

import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Requests of the proxy's own, sent in the name of the clients of one event loop. A request is
 * cancelled when its client rebinds or disconnects, so that it is never sent or retried under
 * another identity.
 *
 * <p>Threading: event-loop confined.
 */
public final class BackgroundRequests {
  private final Stage next;

  /**
   * Requests in flight by session. An entry stays until the session is reset, so that one reset
   * listener is registered for each session.
   */
  private final Map<ClientSession, Set<Operation>> running = new HashMap<>();

  /**
   * Creates the registry without requests.
   *
   * @param next the stage that answers them
   */
  public BackgroundRequests(Stage next) {
    this.next = next;
  }

  /** Sends a request. */
  public void send(Operation request) {
    add(request);
    next.handle(request);
  }

  /** Adds a request that its caller sends. */
  public void add(Operation request) {
    running.computeIfAbsent(request.session(), this::begin).add(request);
  }

  /** Called when a request has ended. Releases it. */
  public void onEnded(Operation request) {
    Set<Operation> operations = running.get(request.session());
    if (operations != null) {
      operations.remove(request);
    }
  }

  private Set<Operation> begin(ClientSession client) {
    client.onReset(() -> reset(client));
    return new HashSet<>(2);
  }

  private void reset(ClientSession client) {
    Set<Operation> operations = running.remove(client);
    if (operations != null) {
      List.copyOf(operations).forEach(Operation::abandon);
    }
  }
}
