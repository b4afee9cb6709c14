// SPDX-License-Identifier: Apache-2.0
package io.stoa.upstream.balancing;

import io.stoa.upstream.server.Backend;
import java.util.ArrayList;
import java.util.List;

/**
 * Applies an administrator's changes to servers in use: draining, weight and renewal of
 * connections.
 *
 * <p>Threading: thread-safe; no state.
 */
public final class ServerChanges {
  private ServerChanges() {}

  /**
   * Applies a configuration to the servers of a group.
   *
   * @param servers configured servers; unknown ones are ignored
   * @return one line of text for each change
   */
  public static List<String> apply(ServerGroup group, List<ServerSpec> servers) {
    List<String> changes = new ArrayList<>();
    for (ServerSpec server : servers) {
      for (Backend backend : group.backends()) {
        if (backend.address().equals(server.address())) {
          change(backend, server).forEach(line -> changes.add(backend.address() + " " + line));
        }
      }
    }
    if (!changes.isEmpty() && withoutPrimary(group)) {
      changes.add("no primary in use: writes are answered unavailable until one is resumed");
    }
    return changes;
  }

  /** Applies the configuration of one server. */
  static List<String> change(Backend backend, ServerSpec server) {
    List<String> changes = new ArrayList<>();
    if (backend.changeWeight(server.weight())) {
      changes.add("has weight " + server.weight());
    }
    if (server.drained() && backend.health().drain()) {
      changes.add("is drained");
    }
    if (!server.drained() && backend.health().resume()) {
      changes.add("is no longer drained");
    }
    if (backend.reconnect(server.reconnect())) {
      changes.add("renews its connections");
    }
    return changes;
  }

  private static boolean withoutPrimary(ServerGroup group) {
    return group.backends().stream()
        .filter(Backend::isPrimary)
        .allMatch(backend -> backend.health().isDrained());
  }
}
