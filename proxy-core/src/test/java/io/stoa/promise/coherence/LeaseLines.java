// SPDX-License-Identifier: Apache-2.0
package io.stoa.promise.coherence;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.AppenderBase;
import io.stoa.proxy.feeds.LeaseWatch;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.slf4j.LoggerFactory;

/** A JUnit extension that hears what the log says of leases during each test. Thread-safe. */
public final class LeaseLines implements BeforeEachCallback, AfterEachCallback {
  private final Logger logger = (Logger) LoggerFactory.getLogger(LeaseWatch.class);
  private final List<String> lines = new CopyOnWriteArrayList<>();
  private final AppenderBase<ILoggingEvent> appender =
      new AppenderBase<>() {
        @Override
        protected void append(ILoggingEvent event) {
          lines.add(event.getLevel() + " " + event.getFormattedMessage());
        }
      };

  @Override
  public void beforeEach(ExtensionContext context) {
    appender.setContext(logger.getLoggerContext());
    appender.start();
    logger.setLevel(Level.INFO);
    logger.addAppender(appender);
  }

  @Override
  public void afterEach(ExtensionContext context) {
    logger.detachAppender(appender);
    logger.setLevel(null);
    appender.stop();
  }

  /** Those that contain a text, with their level. */
  public List<String> with(String part) {
    return lines.stream().filter(line -> line.contains(part)).toList();
  }
}
