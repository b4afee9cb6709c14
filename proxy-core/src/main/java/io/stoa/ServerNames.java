// SPDX-License-Identifier: Apache-2.0
package io.stoa;

import io.netty.util.concurrent.DefaultEventExecutor;
import io.netty.util.concurrent.DefaultThreadFactory;
import io.netty.util.concurrent.EventExecutor;
import io.stoa.backend.ServerAddress;
import io.stoa.codec.GuardedTask;
import io.stoa.dial.NamesConfig;
import io.stoa.dial.ServiceRecords;
import io.stoa.dial.ServiceRecords.Server;
import io.stoa.tier.Branch;
import io.stoa.tier.ServerSpec;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import javax.naming.NamingException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Asks DNS again and again for the servers of the domains in one directory's configuration, and has
 * them used. When there is no answer, those that were known before stay. Confined to its thread.
 */
final class ServerNames implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(ServerNames.class);

  /** Name servers turn the order of their answers; that of the primaries should stay. */
  private static final Comparator<Server> BY_ADDRESS =
      Comparator.comparing(server -> server.address().toString());

  private final List<ServerSpec> configured;
  private final Branch branch;
  private final ServiceRecords records;
  private final Map<ServerAddress, List<Server>> known = new HashMap<>();
  private final Set<ServerAddress> silent = new HashSet<>();
  private final EventExecutor thread =
      new DefaultEventExecutor(new DefaultThreadFactory("stoa-dns", true));
  private List<ServerSpec> present;
  private volatile boolean closed;

  private ServerNames(List<ServerSpec> configured, Branch branch, NamesConfig config) {
    this.configured = configured;
    this.present = configured;
    this.branch = branch;
    this.records = new ServiceRecords(config);
  }

  /** Begins to ask; does nothing for a directory that has no domains in its configuration. */
  static List<ServerNames> watch(List<ServerSpec> configured, Branch branch, NamesConfig config) {
    if (configured.stream().noneMatch(server -> server.address().isDomain())) {
      return List.of();
    }
    ServerNames names = new ServerNames(configured, branch, config);
    long millis = config.resolveInterval().toMillis();
    names.thread.scheduleWithFixedDelay(
        new GuardedTask(names::ask), 0, Math.max(1, millis), TimeUnit.MILLISECONDS);
    return List.of(names);
  }

  private void ask() {
    configured.stream().map(ServerSpec::address).filter(ServerAddress::isDomain).forEach(this::ask);
    List<ServerSpec> now = new ArrayList<>();
    configured.forEach(server -> now.addAll(servers(server)));
    Set<ServerAddress> seen = new HashSet<>();
    now.removeIf(server -> !seen.add(server.address()));
    if (!now.equals(present) && !closed) {
      LOG.info("the servers are now {}", now.stream().map(ServerSpec::address).toList());
      present = now;
      branch.replace(now);
    }
  }

  private void ask(ServerAddress domain) {
    try {
      List<Server> found = records.of(domain);
      if (!found.isEmpty()) {
        known.put(domain, found);
        silent.remove(domain);
      }
    } catch (NamingException e) {
      if (silent.add(domain)) {
        LOG.warn("DNS names no servers of {}: {}", domain, e.getMessage());
      }
    }
  }

  /** A domain of which nothing is known stands for itself, and cannot be reached. */
  private List<ServerSpec> servers(ServerSpec configured) {
    List<Server> found = known.get(configured.address());
    if (found == null) {
      return List.of(configured);
    }
    List<Integer> priorities = found.stream().map(Server::priority).distinct().sorted().toList();
    List<ServerSpec> servers = new ArrayList<>();
    for (int rank = 0; rank < priorities.size(); rank++) {
      int tier = configured.tier() + rank;
      int priority = priorities.get(rank);
      found.stream()
          .filter(server -> server.priority() == priority)
          .sorted(BY_ADDRESS)
          .forEach(server -> servers.add(spec(configured, server, tier)));
    }
    return servers;
  }

  private static ServerSpec spec(ServerSpec configured, Server found, int tier) {
    return new ServerSpec(
        found.address(),
        configured.primary(),
        Math.max(1, found.weight()),
        tier,
        configured.suffixes());
  }

  /** Asks no more. */
  @Override
  public void close() {
    closed = true;
    thread.shutdownGracefully(0, 1, TimeUnit.SECONDS);
  }
}
