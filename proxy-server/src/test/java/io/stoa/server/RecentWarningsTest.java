// SPDX-License-Identifier: Apache-2.0
package io.stoa.server;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.LoggerContext;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class RecentWarningsTest {
  private final LoggerContext loggers = new LoggerContext();
  private final Logger log = loggers.getLogger("io.stoa.some.Part");
  private final RecentWarnings warnings = new RecentWarnings(loggers);

  @AfterEach
  void stop() {
    warnings.close();
    loggers.stop();
  }

  /** Returns the lines without their times. */
  private List<String> lines() {
    return warnings.lines().stream().map(line -> line.replaceFirst("^\\S+Z ", "")).toList();
  }

  @Test
  void warningsAndErrorsAreKeptTheNewestFirst() {
    log.info("no warning");
    log.warn("server {}", "ldap://a");
    log.error("failed", new IllegalStateException("cause\nof two lines"));
    assertThat(lines())
        .containsExactly(
            "ERROR Part: failed: java.lang.IllegalStateException: cause of two lines",
            "WARN Part: server ldap://a");
  }

  @Test
  void fiftyOfAThousandCharactersAreKept() {
    for (int i = 0; i < 60; i++) {
      log.warn(i + "x".repeat(2_000));
    }
    assertThat(warnings.lines()).hasSize(50).allMatch(line -> line.length() == 1_000);
    assertThat(lines().get(0)).startsWith("WARN Part: 59x");
  }

  @Test
  void settingsThatAreReadAnewEndNothing() {
    log.warn("before");
    loggers.reset();
    log.warn("after");
    assertThat(lines()).containsExactly("WARN Part: after", "WARN Part: before");
  }

  @Test
  void nothingIsKeptAfterTheEnd() {
    warnings.close();
    log.warn("later");
    loggers.reset();
    log.warn("later still");
    assertThat(lines()).isEmpty();
  }
}
