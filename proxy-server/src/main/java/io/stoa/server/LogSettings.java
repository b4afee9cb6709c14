// SPDX-License-Identifier: Apache-2.0
package io.stoa.server;

import java.nio.file.Files;
import java.nio.file.Path;

/** Where the settings of the log are. Stateless. */
final class LogSettings {
  private static final String CHOSEN = "logback.configurationFile";

  private LogSettings() {}

  /**
   * Takes those of the distribution, {@code conf/logback.xml}, unless others are chosen; without
   * either, those in the jar hold. To be called before anything is logged.
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
