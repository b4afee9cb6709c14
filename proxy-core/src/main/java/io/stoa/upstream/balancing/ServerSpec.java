// SPDX-License-Identifier: Apache-2.0
package io.stoa.upstream.balancing;

import io.stoa.upstream.server.ServerAddress;
import java.util.ArrayList;
import java.util.List;

/**
 * A directory server as it is configured. Immutable.
 *
 * @param address where it listens
 * @param primary whether it takes writes
 * @param weight how much of its tier's work it is given, beside others; at least 1
 * @param tier 1 for the servers that are used first, 2 for those that take their place, and so on
 * @param suffixes DNs of the entries below which its directory is asked; none if that is all that
 *     no other directory claims
 * @param drained whether it is taken out of use: what is under way ends, nothing new comes
 * @param reconnect another text than before has all connections to it made anew
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
    if (weight < 1) {
      throw new IllegalArgumentException("weight " + weight + " is below 1");
    }
    if (tier < 1) {
      throw new IllegalArgumentException("tier " + tier + " is below 1");
    }
  }

  /** The same server, as a primary or not. */
  public ServerSpec as(boolean isPrimary) {
    return new ServerSpec(address, isPrimary, weight, tier, suffixes, drained, reconnect);
  }

  /** The same server, as an administrator wants it to be used now. */
  public ServerSpec operated(int newWeight, ServerSpec wanted) {
    return new ServerSpec(
        address, primary, newWeight, tier, suffixes, wanted.drained, wanted.reconnect);
  }

  /** A server of a directory, which is used. */
  public ServerSpec(
      ServerAddress address, boolean primary, int weight, int tier, List<String> suffixes) {
    this(address, primary, weight, tier, suffixes, false, "");
  }

  /** A server of the directory that holds all that no other one claims. */
  public ServerSpec(ServerAddress address, boolean primary, int weight, int tier) {
    this(address, primary, weight, tier, List.of());
  }

  /** One tier of servers, the first of which is the primary. */
  public static List<ServerSpec> of(List<ServerAddress> addresses) {
    List<ServerSpec> servers = new ArrayList<>();
    for (ServerAddress address : addresses) {
      servers.add(new ServerSpec(address, servers.isEmpty(), 1, 1));
    }
    return servers;
  }
}
