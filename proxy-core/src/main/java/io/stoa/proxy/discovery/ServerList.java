// SPDX-License-Identifier: Apache-2.0
package io.stoa.proxy.discovery;

import io.stoa.routing.directory.DirectorySpec;
import io.stoa.upstream.balancing.ServerChanges;
import io.stoa.upstream.balancing.ServerGroup;
import io.stoa.upstream.balancing.ServerSpec;
import io.stoa.upstream.connect.ServiceRecords.Server;
import io.stoa.upstream.server.ServerAddress;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The servers of a directory: those of the configuration, with DNS domains replaced by the servers
 * that DNS names, and with the administrator's current settings.
 *
 * <p>Threading: thread-safe.
 */
public final class ServerList {
  private static final Logger LOG = LoggerFactory.getLogger(ServerList.class);

  /**
   * Fixed order of servers: name servers rotate their answers, and the order of primaries should
   * stay.
   */
  private static final Comparator<Server> BY_ADDRESS =
      Comparator.comparing(server -> server.address().toString());

  private final List<ServerSpec> configured;
  private final ServerGroup branch;
  private final Map<ServerAddress, List<Server>> known = new HashMap<>();
  private List<ServerSpec> wanted;
  private List<ServerSpec> present;

  public ServerList(DirectorySpec directory, ServerGroup branch) {
    this.configured = directory.servers();
    this.wanted = configured;
    this.present = configured;
    this.branch = branch;
  }

  /** Returns the domains in its configuration. */
  List<ServerAddress> domains() {
    return addresses(configured).filter(ServerAddress::isDomain).toList();
  }

  /**
   * Called when DNS has named servers, which are used from now on.
   *
   * @param found the servers by domain; a missing domain keeps its servers
   */
  synchronized void onResolved(Map<ServerAddress, List<Server>> found) {
    known.putAll(found);
    List<ServerSpec> now = servers();
    if (!now.equals(present)) {
      LOG.info("servers found by DNS: now {}", addresses(now).toList());
      present = now;
      branch.replace(now);
    }
  }

  /**
   * Applies the configured settings of servers. A server missing in the configuration keeps its
   * settings. A missing server of a domain gets the settings of the domain.
   *
   * @param servers the configured servers; those of other directories have no effect
   * @return a line for administrators for each change
   */
  public synchronized List<String> applyServers(List<ServerSpec> servers) {
    List<ServerSpec> now =
        servers.stream()
            .filter(server -> DirectorySpec.sameSuffixes(server.suffixes(), suffixes()))
            .toList();
    Stream<ServerSpec> missing =
        wanted.stream()
            .filter(server -> addresses(configured).anyMatch(server.address()::equals))
            .filter(server -> addresses(now).noneMatch(server.address()::equals));
    wanted = Stream.concat(now.stream(), missing).toList();
    present = servers();
    return ServerChanges.apply(branch, present);
  }

  private List<String> suffixes() {
    return configured.get(0).suffixes();
  }

  private static Stream<ServerAddress> addresses(List<ServerSpec> servers) {
    return servers.stream().map(ServerSpec::address);
  }

  /** Returns all servers, each once. An entry of its own takes precedence over a domain's. */
  private List<ServerSpec> servers() {
    Set<ServerAddress> seen = new HashSet<>(addresses(configured).toList());
    List<ServerSpec> servers = new ArrayList<>();
    for (ServerSpec entry : configured) {
      List<Server> named = known.get(entry.address());
      if (named == null) {
        servers.add(operated(entry.withRole(isPrimary(entry.address())), entry));
      } else {
        ofDomain(entry, named).stream()
            .filter(server -> seen.add(server.address()))
            .forEach(servers::add);
      }
    }
    return servers;
  }

  /** True if any of the entries for the server makes it a primary. */
  private boolean isPrimary(ServerAddress server) {
    return configured.stream()
        .filter(ServerSpec::primary)
        .map(ServerSpec::address)
        .anyMatch(entry -> entry.equals(server) || names(entry, server));
  }

  private boolean names(ServerAddress domain, ServerAddress server) {
    return known.getOrDefault(domain, List.of()).stream()
        .anyMatch(named -> named.address().equals(server));
  }

  /**
   * Returns the servers of a domain. Each priority is a tier, beginning with the tier of the
   * domain.
   */
  private List<ServerSpec> ofDomain(ServerSpec domain, List<Server> named) {
    List<Integer> priorities = named.stream().map(Server::priority).distinct().sorted().toList();
    return named.stream()
        .sorted(Comparator.comparing(Server::priority).thenComparing(BY_ADDRESS))
        .map(server -> spec(domain, server, priorities.indexOf(server.priority())))
        .toList();
  }

  private ServerSpec spec(ServerSpec domain, Server named, int rank) {
    return operated(
        new ServerSpec(
            named.address(),
            isPrimary(named.address()),
            Math.max(1, named.weight()),
            domain.tier() + rank,
            domain.suffixes()),
        domain);
  }

  /** Applies the settings of the server's own entry, or else those of its domain's entry. */
  private ServerSpec operated(ServerSpec server, ServerSpec entry) {
    for (ServerSpec now : wanted) {
      if (now.address().equals(server.address())) {
        return server.withOverride(now.weight(), now);
      }
    }
    for (ServerSpec now : wanted) {
      if (now.address().equals(entry.address())) {
        long weight = (long) server.weight() * now.weight();
        return server.withOverride((int) Math.min(Integer.MAX_VALUE, weight), now);
      }
    }
    return server;
  }
}
