// SPDX-License-Identifier: Apache-2.0
package io.stoa.upstream.balancing;

import io.stoa.upstream.server.Backend;
import java.util.ArrayList;
import java.util.List;

/**
 * What an administrator changes of servers while they are used: drained or not, the weight, and
 * connections that are to be made anew. Stateless.
 */
public final class ServerChanges {
  private ServerChanges() {}

  /**
   * Makes servers what they are configured to be.
   *
   * @param servers others than those that there are have no effect
   * @return a line for people for each change
   */
  public static List<String> apply(ServerGroup branch, List<ServerSpec> servers) {
    List<String> changes = new ArrayList<>();
    for (ServerSpec server : servers) {
      for (Backend backend : branch.backends()) {
        if (backend.address().equals(server.address())) {
          change(backend, server).forEach(line -> changes.add(backend.address() + " " + line));
        }
      }
    }
    if (!changes.isEmpty() && withoutPrimary(branch)) {
      changes.add("no server takes writes: they are answered unavailable until one is resumed");
    }
    return changes;
  }

  /** The same for one server. */
  static List<String> change(Backend backend, ServerSpec server) {
    List<String> changes = new ArrayList<>();
    if (backend.changeWeight(server.weight())) {
      changes.add("has weight " + server.weight());
    }
    if (server.drained() && backend.health().drain()) {
      changes.add("is drained");
    }
    if (!server.drained() && backend.health().resume()) {
      changes.add("is put into use again");
    }
    if (backend.reconnect(server.reconnect())) {
      changes.add("gets new connections");
    }
    return changes;
  }

  private static boolean withoutPrimary(ServerGroup branch) {
    return branch.backends().stream()
        .filter(Backend::primary)
        .allMatch(backend -> backend.health().drained());
  }
}
