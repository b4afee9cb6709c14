// SPDX-License-Identifier: Apache-2.0
package io.stoa.server;

import io.stoa.ProxyConfig;
import io.stoa.frontend.ClientLimits;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps client connections within the process's limit of open files. A reserve is left for
 * connections to directory servers, for feeds, the administrator, listeners and files. Stateless.
 */
final class ConnectionBudget {
  private static final Logger LOG = LoggerFactory.getLogger(ConnectionBudget.class);

  private static final int LEAST_RESERVE = 128;
  private static final int MOST_RESERVE = 1024;

  private ConnectionBudget() {}

  /**
   * Returns the configuration with no more client connections than the reserve leaves room for.
   *
   * @param openFiles most open files of the process; 0 if there is no limit
   */
  static ProxyConfig within(ProxyConfig config, long openFiles) {
    long room = Math.max(1, openFiles - reserve(openFiles));
    if (openFiles <= 0 || config.limits().connections() <= room) {
      return config;
    }
    return with(config, config.limits().connections((int) room));
  }

  /** Logs a warning if fewer clients are let in than the configuration asks for. */
  static void warn(ProxyConfig wanted, ProxyConfig within, long openFiles) {
    if (wanted.limits().connections() == within.limits().connections()) {
      return;
    }
    LOG.warn(
        "limits.connections is {}, but the process may open {} files: at most {} clients are let"
            + " in; raise the limit (ulimit -n, or LimitNOFILE of systemd) or lower"
            + " limits.connections",
        wanted.limits().connections(),
        openFiles,
        within.limits().connections());
  }

  /** A quarter of the open files, within bounds; half of them where there are very few. */
  private static long reserve(long openFiles) {
    long quarter = Math.min(MOST_RESERVE, Math.max(LEAST_RESERVE, openFiles / 4));
    return Math.min(quarter, openFiles / 2);
  }

  private static ProxyConfig with(ProxyConfig config, ClientLimits limits) {
    return new ProxyConfig(
        config.access(),
        config.upstream(),
        config.cache(),
        config.adapt(),
        limits,
        config.windows(),
        config.eventLoops(),
        config.coherence());
  }
}
