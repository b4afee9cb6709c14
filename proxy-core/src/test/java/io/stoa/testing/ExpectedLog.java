// SPDX-License-Identifier: Apache-2.0
package io.stoa.testing;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.classic.spi.IThrowableProxy;
import ch.qos.logback.classic.spi.ThrowableProxyUtil;
import ch.qos.logback.core.AppenderBase;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.slf4j.LoggerFactory;

/**
 * A JUnit extension that hears the log during each test: no buffer may leak, no error may be
 * logged, and no stack trace may appear, whatever clients and directories do. Thread-safe.
 */
public final class ExpectedLog implements BeforeEachCallback, AfterEachCallback {
  private final List<ILoggingEvent> events = new CopyOnWriteArrayList<>();
  private final AppenderBase<ILoggingEvent> appender =
      new AppenderBase<>() {
        @Override
        protected void append(ILoggingEvent event) {
          if (isWrong(event) || isOurs(event, Level.WARN)) {
            events.add(event);
          }
        }
      };

  @Override
  public void beforeEach(ExtensionContext context) {
    events.clear();
    appender.setContext(root().getLoggerContext());
    appender.start();
    root().addAppender(appender);
  }

  @Override
  public void afterEach(ExtensionContext context) {
    root().detachAppender(appender);
    appender.stop();
    List<String> wrong = wrong();
    if (!wrong.isEmpty()) {
      throw new AssertionError("the log has " + wrong.size() + " bad lines: " + wrong);
    }
  }

  /** The lines for which the test will fail, as far as they have come. */
  public List<String> wrong() {
    return events.stream().filter(ExpectedLog::isWrong).map(this::text).toList();
  }

  /** Lines of the proxy at WARN and above since the test began. */
  public List<String> warnings() {
    return events.stream().filter(event -> isOurs(event, Level.WARN)).map(this::text).toList();
  }

  /**
   * The arguments of the warnings of a class since the test began, one list for each line.
   *
   * @param logger name of the class without its package
   */
  public List<List<Object>> warningsOf(String logger) {
    return events.stream()
        .filter(event -> event.getLevel() == Level.WARN)
        .filter(event -> event.getLoggerName().endsWith("." + logger))
        .map(
            event ->
                event.getArgumentArray() == null ? List.of() : List.of(event.getArgumentArray()))
        .toList();
  }

  /**
   * Waits until a logger has given this number of warnings at least, and returns the arguments of
   * each. A state may be visible a moment before its line.
   *
   * @param logger name of the class without its package
   */
  public List<List<Object>> awaitWarningsOf(String logger, int count) {
    Await.until(count + " warnings of " + logger, () -> warningsOf(logger).size() >= count);
    return warningsOf(logger);
  }

  private static boolean isWrong(ILoggingEvent event) {
    boolean leak = event.getFormattedMessage().contains("LEAK");
    boolean trace = event.getThrowableProxy() != null && isOurs(event, Level.INFO);
    return leak || trace || isOurs(event, Level.ERROR);
  }

  private static boolean isOurs(ILoggingEvent event, Level least) {
    return event.getLoggerName().startsWith("io.") && event.getLevel().isGreaterOrEqual(least);
  }

  private String text(ILoggingEvent event) {
    String message = event.getLoggerName() + ": " + event.getFormattedMessage();
    IThrowableProxy thrown = event.getThrowableProxy();
    return thrown == null ? message : message + "\n" + ThrowableProxyUtil.asString(thrown);
  }

  private static Logger root() {
    return (Logger) LoggerFactory.getLogger(Logger.ROOT_LOGGER_NAME);
  }
}
