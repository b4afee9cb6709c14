// SPDX-License-Identifier: Apache-2.0
package io.stoa.server;

import java.nio.file.Files;
import java.nio.file.Path;

/** Chooses the file of the log settings. Threading: stateless. */
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
}
