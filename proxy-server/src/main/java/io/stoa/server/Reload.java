// SPDX-License-Identifier: Apache-2.0
package io.stoa.server;

import io.stoa.server.config.ConfigException;
import io.stoa.server.reconfigure.Tuning;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reads the configuration file again while Stoa runs. What can be changed without a restart takes
 * effect at once, for the rest the log says that it does not; a file with a mistake changes
 * nothing. Thread-safe.
 */
final class Reload {
  private static final Logger LOG = LoggerFactory.getLogger(Reload.class);

  private final Tuning tuning;

  /** Makes it. */
  Reload(Tuning tuning) {
    this.tuning = tuning;
  }

  /** Does so now; what is wrong stands in the log. */
  void run() {
    try {
      now();
    } catch (ConfigException e) {
      LOG.error("the configuration is left as it is:\n{}", e.getMessage());
    }
  }

  /**
   * The same for somebody who wants to know.
   *
   * @throws ConfigException if the file has mistakes; nothing has changed then
   */
  Tuning.Report now() throws ConfigException {
    Tuning.Report report = tuning.reload();
    report.changes().forEach(change -> LOG.info("configuration: {}", change));
    report.unused().forEach(line -> LOG.warn("configuration: {}", line));
    if (!report.restart().isEmpty()) {
      LOG.warn("configuration: a restart is needed for {}", String.join(", ", report.restart()));
    }
    LOG.info("{} was read again: {} changes", tuning.file(), report.changes().size());
    return report;
  }
}
