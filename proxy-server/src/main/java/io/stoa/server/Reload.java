// SPDX-License-Identifier: Apache-2.0
package io.stoa.server;

import io.stoa.Proxy;
import io.stoa.server.config.ConfigException;
import io.stoa.server.config.ConfigReader;
import io.stoa.server.config.ConfigReader.Reading;
import java.nio.file.Path;
import java.util.List;
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
  private final Proxy proxy;
  private final Reading started;

  /**
   * Makes it.
   *
   * @param started what the file said when Stoa started
   */
  Reload(Path file, Reading started, Proxy proxy) {
    this.file = file;
    this.started = started;
    this.proxy = proxy;
  }

  /** Does so now. */
  synchronized void run() {
    try {
      Reading now = ConfigReader.reading(file);
      List<String> changes = proxy.operate(now.config().proxy().upstream().servers());
      changes.forEach(change -> LOG.info("configuration: {}", change));
      List<String> waiting = now.keysForRestart(started);
      if (!waiting.isEmpty()) {
        LOG.warn("configuration: a restart is needed for {}", String.join(", ", waiting));
      }
      LOG.info("{} was read again: {} changes", file, changes.size());
    } catch (ConfigException e) {
      LOG.error("the configuration is left as it is:\n{}", e.getMessage());
    }
  }
}
