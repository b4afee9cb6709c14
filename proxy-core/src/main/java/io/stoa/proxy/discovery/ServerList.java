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
  private final ServerGroup group;
  private final Map<ServerAddress, List<Server>> serversByDomain = new HashMap<>();
  private List<ServerSpec> specs;
  private List<ServerSpec> current;

  public ServerList(DirectorySpec directory, ServerGroup group) {
    this.configured = directory.servers();
    this.specs = configured;
    this.current = configured;
    this.group = group;
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
    serversByDomain.putAll(found);
    List<ServerSpec> now = servers();
    if (!now.equals(current)) {
      LOG.info("servers found by DNS: now {}", addresses(now).toList());
      current = now;
      group.replace(now);
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
        specs.stream()
            .filter(server -> addresses(configured).anyMatch(server.address()::equals))
            .filter(server -> addresses(now).noneMatch(server.address()::equals));
    specs = Stream.concat(now.stream(), missing).toList();
    current = servers();
    return ServerChanges.apply(group, current);
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
      List<Server> resolved = serversByDomain.get(entry.address());
      if (resolved == null) {
        servers.add(operated(entry.withRole(isPrimary(entry.address())), entry));
      } else {
        ofDomain(entry, resolved).stream()
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
    return serversByDomain.getOrDefault(domain, List.of()).stream()
        .anyMatch(resolved -> resolved.address().equals(server));
  }

  /**
   * Returns the servers of a domain. Each priority is a tier, beginning with the tier of the
   * domain.
   */
  private List<ServerSpec> ofDomain(ServerSpec domain, List<Server> resolved) {
    List<Integer> priorities = resolved.stream().map(Server::priority).distinct().sorted().toList();
    return resolved.stream()
        .sorted(Comparator.comparing(Server::priority).thenComparing(BY_ADDRESS))
        .map(server -> spec(domain, server, priorities.indexOf(server.priority())))
        .toList();
  }

  private ServerSpec spec(ServerSpec domain, Server server, int rank) {
    return operated(
        new ServerSpec(
            server.address(),
            isPrimary(server.address()),
            Math.max(1, server.weight()),
            domain.tier() + rank,
            domain.suffixes()),
        domain);
  }

  /** Applies the settings of the server's own entry, or else those of its domain's entry. */
  private ServerSpec operated(ServerSpec server, ServerSpec entry) {
    for (ServerSpec now : specs) {
      if (now.address().equals(server.address())) {
        return server.withOverride(now.weight(), now);
      }
    }
    for (ServerSpec now : specs) {
      if (now.address().equals(entry.address())) {
        long weight = (long) server.weight() * now.weight();
        return server.withOverride((int) Math.min(Integer.MAX_VALUE, weight), now);
      }
    }
    return server;
  }
}
