// SPDX-License-Identifier: Apache-2.0
package io.stoa.server;

import io.stoa.client.listener.ListenerConfig.Protocol;
import io.stoa.proxy.ProxyConfig;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps connections within the process's limit of open files.
 *
 * <ol>
 *   <li>Client connections leave a reserve: a quarter of the limit, at least 128 and at most 1,024,
 *       and never more than half.
 *   <li>The reserve is for connections to directory servers, feeds, the administrator, listeners
 *       and files.
 *   <li>Connections to directory servers leave 112 files of the reserve for all others.
 * </ol>
 *
 * <p>Threading: stateless.
 */
final class ConnectionBudget {
  private static final Logger LOG = LoggerFactory.getLogger(ConnectionBudget.class);

  private static final int MIN_RESERVE = 128;
  private static final int MAX_RESERVE = 1024;

  /**
   * Files of the JVM, event loops, feeds, the management listener, and clients above the limit:
   * 112.
   */
  private static final int OTHERS = 112;

  /** Minimum number of connections to one server: 16. The smallest reserve is 128. */
  private static final int MIN_UPSTREAM = 16;

  private ConnectionBudget() {}

  /**
   * Returns the configuration with its connections lowered to the limit of open files.
   *
   * @param openFiles maximum number of open files of the process; 0 if there is no limit
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
    long limit = Math.max(MIN_UPSTREAM, room);
    return config.upstream().maxConnections() <= limit
        ? config
        : config.upstream(config.upstream().maxConnections((int) limit));
  }

  /**
   * Returns the files of a client: two with a passthrough listener, as such a client has a
   * connection to a server of its own.
   */
  private static int filesOfClient(ProxyConfig config) {
    return config.access().listeners().stream().anyMatch(at -> at.kind() == Protocol.PASSTHROUGH)
        ? 2
        : 1;
  }

  /** Logs a warning for each limit that is lower than the configured one. */
  static void warn(ProxyConfig configured, ProxyConfig within, long openFiles) {
    warn(
        "limits.connections",
        configured.limits().connections(),
        within.limits().connections(),
        openFiles);
    warn(
        "upstream.maxConnections",
        configured.upstream().maxConnections(),
        within.upstream().maxConnections(),
        openFiles);
  }

  private static void warn(String key, int configured, int within, long openFiles) {
    if (configured != within) {
      LOG.warn(
          "{} = {} does not fit the process's limit of {} open files: lowered to {}. Raise "
              + "the limit (ulimit -n, or LimitNOFILE of systemd), or lower {}",
          key,
          configured,
          openFiles,
          within,
          key);
    }
  }

  /** Returns the reserve: a quarter of the open files, within bounds, but at most half of them. */
  private static long reserve(long openFiles) {
    long quarter = Math.min(MAX_RESERVE, Math.max(MIN_RESERVE, openFiles / 4));
    return Math.min(quarter, openFiles / 2);
  }
}
