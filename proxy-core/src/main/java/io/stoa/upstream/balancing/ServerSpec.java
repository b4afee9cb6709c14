// SPDX-License-Identifier: Apache-2.0
package io.stoa.upstream.balancing;

import static io.stoa.net.transport.InvalidConfigException.requireAtLeast;

import io.stoa.upstream.server.ServerAddress;
import java.util.ArrayList;
import java.util.List;

/**
 * Configuration of one directory server.
 *
 * <p>Threading: immutable.
 *
 * @param address address of the server
 * @param primary true if the server takes writes
 * @param weight share of the tier's load, relative to other servers; at least 1
 * @param tier 1 for the servers that are used first, 2 for their replacements, and so on
 * @param suffixes DNs of the subtrees that the directory holds; empty for all that no other
 *     directory claims
 * @param drained true if the server is drained: operations in flight end, and no new ones are sent
 * @param reconnect any text; a change renews all connections to the server
 */
public record ServerSpec(
    ServerAddress address,
    boolean primary,
    int weight,
    int tier,
    List<String> suffixes,
    boolean drained,
    String reconnect) {
  public ServerSpec {
    suffixes = List.copyOf(suffixes);
    requireAtLeast("weight", weight, 1);
    requireAtLeast("tier", tier, 1);
  }

  /** Returns the server as a primary or not. */
  public ServerSpec withRole(boolean isPrimary) {
    return new ServerSpec(address, isPrimary, weight, tier, suffixes, drained, reconnect);
  }

  /** Returns the server with an administrator's override. */
  public ServerSpec withOverride(int newWeight, ServerSpec override) {
    return new ServerSpec(
        address, primary, newWeight, tier, suffixes, override.drained, override.reconnect);
  }

  /** Creates a server of a directory, in use. */
  public ServerSpec(
      ServerAddress address, boolean primary, int weight, int tier, List<String> suffixes) {
    this(address, primary, weight, tier, suffixes, false, "");
  }

  /** Creates a server of the directory that holds all that no other one claims. */
  public ServerSpec(ServerAddress address, boolean primary, int weight, int tier) {
    this(address, primary, weight, tier, List.of());
  }

  /** Returns one tier of servers; the first is the primary. */
  public static List<ServerSpec> of(List<ServerAddress> addresses) {
    List<ServerSpec> servers = new ArrayList<>();
    for (ServerAddress address : addresses) {
      servers.add(new ServerSpec(address, servers.isEmpty(), 1, 1));
    }
    return servers;
  }
}
