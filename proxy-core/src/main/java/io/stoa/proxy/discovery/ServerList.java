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
 * Which servers a directory has: those of the configuration, in the place of its domains those that
 * DNS names, and all of them used as the administrator wants it now. Thread-safe.
 */
public final class ServerList {
  private static final Logger LOG = LoggerFactory.getLogger(ServerList.class);

  /** Name servers turn the order of their answers; that of the primaries should stay. */
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

  /** The domains in its configuration. */
  List<ServerAddress> domains() {
    return addresses(configured).filter(ServerAddress::isDomain).toList();
  }

  /**
   * DNS has named servers: they are used from now on.
   *
   * @param found by their domains; of one that is missing nothing is changed
   */
  synchronized void found(Map<ServerAddress, List<Server>> found) {
    known.putAll(found);
    List<ServerSpec> now = servers();
    if (!now.equals(present)) {
      LOG.info("the servers are now {}", addresses(now).toList());
      present = now;
      branch.replace(now);
    }
  }

  /**
   * Makes the servers what they are configured to be now. What is missing stays as it is, but for a
   * server of a domain, which is then again what the domain is.
   *
   * @param servers those of other directories have no effect
   * @return a line for people for each change
   */
  public synchronized List<String> operate(List<ServerSpec> servers) {
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

  /** All of them, each once: what has an entry of its own is what that says. */
  private List<ServerSpec> servers() {
    Set<ServerAddress> seen = new HashSet<>(addresses(configured).toList());
    List<ServerSpec> servers = new ArrayList<>();
    for (ServerSpec entry : configured) {
      List<Server> named = known.get(entry.address());
      if (named == null) {
        servers.add(operated(entry.as(isPrimary(entry.address())), entry));
      } else {
        ofDomain(entry, named).stream()
            .filter(server -> seen.add(server.address()))
            .forEach(servers::add);
      }
    }
    return servers;
  }

  /** Whether any of the entries by which a server is meant makes it a primary. */
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

  /** Each priority is a tier, from that of the domain on. */
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

  /** As the server's own entry says now, or else as that of its domain does. */
  private ServerSpec operated(ServerSpec server, ServerSpec entry) {
    for (ServerSpec now : wanted) {
      if (now.address().equals(server.address())) {
        return server.operated(now.weight(), now);
      }
    }
    for (ServerSpec now : wanted) {
      if (now.address().equals(entry.address())) {
        long weight = (long) server.weight() * now.weight();
        return server.operated((int) Math.min(Integer.MAX_VALUE, weight), now);
      }
    }
    return server;
  }
}
