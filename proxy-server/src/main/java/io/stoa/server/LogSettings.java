// SPDX-License-Identifier: Apache-2.0
package io.stoa.server;

import ch.qos.logback.classic.LoggerContext;
import java.nio.file.Files;
import java.nio.file.Path;
import org.slf4j.LoggerFactory;

/** The settings of the log, and its end. Threading: stateless. */
final class LogSettings {
  private static final String CHOSEN = "logback.configurationFile";

  private LogSettings() {}

  /**
   * Chooses {@code conf/logback.xml} of the distribution, unless the system property names another
   * file. Without both, the settings in the jar apply. Called before anything is logged.
   */
  static void choose() {
    String home = System.getProperty("stoa.home");
    if (home == null || System.getProperty(CHOSEN) != null) {
      return;
    }
    Path file = Path.of(home, "conf", "logback.xml");
    if (Files.isReadable(file)) {
      System.setProperty(CHOSEN, file.toString());
    }
  }

  /**
   * Writes the lines that wait, for a bounded time, and ends the log. Called before the process
   * ends.
   */
  static void flush() {
    if (LoggerFactory.getILoggerFactory() instanceof LoggerContext context) {
      context.stop();
    }
  }
}
