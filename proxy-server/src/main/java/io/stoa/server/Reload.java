// SPDX-License-Identifier: Apache-2.0
package io.stoa.server;

import io.stoa.server.config.ConfigException;
import io.stoa.server.tuning.Tuning;
import java.nio.file.Path;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reads the configuration file again while Stoa runs. What can be changed without a restart takes
 * effect at once, for the rest the log says that it does not; a file with a mistake changes
 * nothing. Thread-safe.
 */
final class Reload {
  private static final Logger LOG = LoggerFactory.getLogger(Reload.class);

  private final Path file;
  private final Tuning tuning;

  /** Makes it. */
  Reload(Path file, Tuning tuning) {
    this.file = file;
    this.tuning = tuning;
  }

  /** Does so now. */
  void run() {
    try {
      Tuning.Report report = tuning.reload();
      report.changes().forEach(change -> LOG.info("configuration: {}", change));
      if (!report.restart().isEmpty()) {
        LOG.warn("configuration: a restart is needed for {}", String.join(", ", report.restart()));
      }
      LOG.info("{} was read again: {} changes", file, report.changes().size());
    } catch (ConfigException e) {
      LOG.error("the configuration is left as it is:\n{}", e.getMessage());
    }
  }
}
