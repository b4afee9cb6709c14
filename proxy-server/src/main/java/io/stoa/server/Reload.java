// SPDX-License-Identifier: Apache-2.0
package io.stoa.server;

import io.stoa.net.transport.Plural;
import io.stoa.server.config.ConfigException;
import io.stoa.server.reconfigure.RuntimeConfiguration;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reloads the configuration file while Stoa runs. Changes that need no restart take effect at once.
 * For all others a warning is logged. A file with a mistake changes nothing.
 *
 * <p>Threading: thread-safe.
 */
final class Reload {
  private static final Logger LOG = LoggerFactory.getLogger(Reload.class);

  private final RuntimeConfiguration runtime;

  /** Creates the reload. */
  Reload(RuntimeConfiguration runtime) {
    this.runtime = runtime;
  }

  /** Reloads, and logs mistakes. */
  void run() {
    try {
      reload();
    } catch (ConfigException e) {
      LOG.error("configuration not reloaded, nothing was changed:\n{}", e.getMessage());
    }
  }

  /**
   * Reloads, and returns the result.
   *
   * @throws ConfigException if the file has mistakes; nothing has changed then
   */
  RuntimeConfiguration.ReloadReport reload() throws ConfigException {
    RuntimeConfiguration.ReloadReport report = runtime.reload();
    report.changes().forEach(change -> LOG.info("configuration: {}", change));
    report.unused().forEach(line -> LOG.warn("configuration: {}", line));
    if (!report.restart().isEmpty()) {
      LOG.warn("configuration: restart required for {}", String.join(", ", report.restart()));
    }
    LOG.info("{} reloaded: {}", runtime.file(), Plural.of(report.changes().size(), "change"));
    return report;
  }
}
