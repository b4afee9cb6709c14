// SPDX-License-Identifier: Apache-2.0
package io.stoa.server;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

/** A start is no problem; a Stoa that is no longer ready, or never becomes it, is one. */
class ReadinessLogTest {
  private final Logger logger = (Logger) LoggerFactory.getLogger(ReadinessLog.class);
  private final ListAppender<ILoggingEvent> lines = new ListAppender<>();
  private static final int SECOND = 10;
  private static final String DOWN = "no directory server is usable";
  private static final String READY = "";

  private String now = DOWN;
  private final ReadinessLog log = new ReadinessLog(() -> now);

  @BeforeEach
  void listen() {
    logger.setLevel(ch.qos.logback.classic.Level.INFO);
    lines.start();
    logger.addAppender(lines);
  }

  @AfterEach
  void close() {
    logger.detachAppender(lines);
    log.close();
  }

  /** An exception of one check must not end the others. */
  @Test
  void aDefectOfOneCheckEndsNoOther() throws Exception {
    CountDownLatch checked = new CountDownLatch(3);
    Supplier<String> defect =
        () -> {
          checked.countDown();
          throw new IllegalStateException("a defect");
        };
    try (ReadinessLog defective = new ReadinessLog(defect).start()) {
      assertThat(checked.await(30, TimeUnit.SECONDS)).isTrue();
    }
  }

  private void pass(int checks) {
    for (int i = 0; i < checks; i++) {
      log.check();
    }
  }

  private List<String> lines() {
    return lines.list.stream()
        .map(line -> line.getLevel() + " " + line.getFormattedMessage())
        .toList();
  }

  @Test
  void aStartWarnsAfterThirtySecondsOnly() {
    pass(SECOND);
    assertThat(lines()).isEmpty();
    pass(29 * SECOND);
    assertThat(lines()).containsExactly("INFO not ready: " + DOWN);
    pass(60 * SECOND);
    assertThat(lines()).containsExactly("INFO not ready: " + DOWN, "WARN not ready: " + DOWN);
    now = READY;
    pass(2);
    assertThat(lines()).hasSize(3).endsWith("INFO ready");
  }

  @Test
  void aStoaThatIsNoLongerReadyWarnsAtOnce() {
    now = READY;
    pass(1);
    now = DOWN;
    pass(2);
    assertThat(lines()).containsExactly("INFO ready", "WARN not ready: " + DOWN);
  }
}
