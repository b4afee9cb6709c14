// SPDX-License-Identifier: Apache-2.0
package io.stoa.server;

import io.stoa.client.listener.ListenerConfig.Kind;
import io.stoa.proxy.ProxyConfig;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps connections within the process's limit of open files. Client connections leave a reserve
 * for connections to directory servers, for feeds, the administrator, listeners and files.
 * Connections to directory servers leave the part of the reserve that all others need. Stateless.
 */
final class ConnectionBudget {
  private static final Logger LOG = LoggerFactory.getLogger(ConnectionBudget.class);

  private static final int LEAST_RESERVE = 128;
  private static final int MOST_RESERVE = 1024;

  /** Files of the JVM, event loops, feeds, the management listener and clients above the limit. */
  private static final int OTHERS = 112;

  /** Connections to one server that are left in any case: half of the smallest reserve. */
  private static final int LEAST_UPSTREAM = 16;

  private ConnectionBudget() {}

  /**
   * Returns the configuration with no more connections than there is room for.
   *
   * @param openFiles most open files of the process; 0 if there is no limit
   */
  static ProxyConfig within(ProxyConfig config, long openFiles) {
    return openFiles <= 0 ? config : servers(clients(config, openFiles), openFiles);
  }

  private static ProxyConfig clients(ProxyConfig config, long openFiles) {
    long room = Math.max(1, (openFiles - reserve(openFiles)) / filesOfClient(config));
    return config.limits().connections() <= room
        ? config
        : config.limits(config.limits().connections((int) room));
  }

  private static ProxyConfig servers(ProxyConfig config, long openFiles) {
    long clients = (long) filesOfClient(config) * config.limits().connections();
    long room = (openFiles - clients - OTHERS) / config.upstream().servers().size();
    long most = Math.max(LEAST_UPSTREAM, room);
    return config.upstream().maxConnections() <= most
        ? config
        : config.upstream(config.upstream().maxConnections((int) most));
  }

  /** A client that is passed on to a server needs a second file, for the server. */
  private static int filesOfClient(ProxyConfig config) {
    return config.access().listeners().stream().anyMatch(at -> at.kind() == Kind.PASSTHROUGH)
        ? 2
        : 1;
  }

  /** Logs a warning for each number that is lower than the configuration asks for. */
  static void warn(ProxyConfig wanted, ProxyConfig within, long openFiles) {
    warn(
        "limits.connections",
        wanted.limits().connections(),
        within.limits().connections(),
        openFiles);
    warn(
        "upstream.maxConnections",
        wanted.upstream().maxConnections(),
        within.upstream().maxConnections(),
        openFiles);
  }

  private static void warn(String key, int wanted, int within, long openFiles) {
    if (wanted != within) {
      LOG.warn(
          "{} is {}, but the process may open {} files: {} are used; raise the limit (ulimit -n, or"
              + " LimitNOFILE of systemd), or lower {}",
          key,
          wanted,
          openFiles,
          within,
          key);
    }
  }

  /** A quarter of the open files, within bounds; half of them where there are very few. */
  private static long reserve(long openFiles) {
    long quarter = Math.min(MOST_RESERVE, Math.max(LEAST_RESERVE, openFiles / 4));
    return Math.min(quarter, openFiles / 2);
  }
}
