// SPDX-License-Identifier: Apache-2.0
package io.stoa.proxy.discovery;

import io.netty.util.concurrent.DefaultEventExecutor;
import io.netty.util.concurrent.DefaultThreadFactory;
import io.netty.util.concurrent.EventExecutor;
import io.stoa.net.transport.FailureText;
import io.stoa.net.transport.GuardedTask;
import io.stoa.upstream.connect.NamesConfig;
import io.stoa.upstream.connect.ServiceRecords;
import io.stoa.upstream.connect.ServiceRecords.Server;
import io.stoa.upstream.server.ServerAddress;
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
 * Resolves the domains in one directory's configuration by DNS, periodically, and applies the
 * servers found. A domain without an answer keeps its servers.
 *
 * <p>Threading: a thread of its own.
 */
public final class ServerNames implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(ServerNames.class);

  private final ServerList servers;
  private final ServiceRecords records;
  private final Set<ServerAddress> unresolved = new HashSet<>();
  private final EventExecutor thread =
      new DefaultEventExecutor(new DefaultThreadFactory("stoa-dns", true));
  private volatile boolean closed;

  private ServerNames(ServerList servers, NamesConfig config) {
    this.servers = servers;
    this.records = new ServiceRecords(config);
  }

  /** Starts to resolve; does nothing for a directory without domains in its configuration. */
  public static List<ServerNames> watch(ServerList servers, NamesConfig config) {
    if (servers.domains().isEmpty()) {
      return List.of();
    }
    ServerNames names = new ServerNames(servers, config);
    long millis = config.resolveInterval().toMillis();
    names.thread.scheduleWithFixedDelay(
        new GuardedTask("DNS lookup of servers", names::ask),
        0,
        Math.max(1, millis),
        TimeUnit.MILLISECONDS);
    return List.of(names);
  }

  private void ask() {
    Map<ServerAddress, List<Server>> found = new HashMap<>();
    servers.domains().forEach(domain -> ask(domain, found));
    if (!closed) {
      servers.onResolved(found);
    }
  }

  private void ask(ServerAddress domain, Map<ServerAddress, List<Server>> found) {
    try {
      List<Server> named = records.of(domain);
      if (!named.isEmpty()) {
        found.put(domain, named);
        unresolved.remove(domain);
      }
    } catch (NamingException e) {
      if (unresolved.add(domain)) {
        LOG.warn(
            "DNS lookup of servers failed for {}: {}. The known servers stay in use",
            domain,
            FailureText.of(e));
      }
    }
  }

  /** Stops resolving. */
  @Override
  public void close() {
    closed = true;
    thread.shutdownGracefully(0, 1, TimeUnit.SECONDS);
  }
}
