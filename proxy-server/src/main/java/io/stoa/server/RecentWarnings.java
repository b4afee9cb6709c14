// SPDX-License-Identifier: Apache-2.0
package io.stoa.server;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.classic.spi.IThrowableProxy;
import ch.qos.logback.classic.spi.LoggerContextListener;
import ch.qos.logback.core.AppenderBase;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayDeque;
import java.util.List;
import org.slf4j.LoggerFactory;

/**
 * Keeps the last warnings and errors of the log in memory, at most 50 of at most 1,000 characters.
 * Settings of logback that are read anew detach all appenders; this one attaches itself again.
 *
 * <p>Threading: thread-safe.
 */
final class RecentWarnings implements AutoCloseable {
  /** Maximum number of warnings and errors: 50, about 100 KiB. */
  private static final int MAX = 50;

  /** Maximum length of one in characters: 1,000. */
  private static final int MAX_LENGTH = 1_000;

  private final LoggerContext loggers;
  private final Appender appender = new Appender();
  private final Reattachment reattachment = new Reattachment();

  /** The newest first. Guarded by itself. */
  private final ArrayDeque<String> lines = new ArrayDeque<>(MAX);

  /** Begins to keep what is logged in this process. */
  RecentWarnings() {
    this((LoggerContext) LoggerFactory.getILoggerFactory());
  }

  /** Begins to keep what is logged by some loggers. */
  RecentWarnings(LoggerContext loggers) {
    this.loggers = loggers;
    appender.setContext(loggers);
    attach();
    loggers.addListener(reattachment);
  }

  private Logger root() {
    return loggers.getLogger(Logger.ROOT_LOGGER_NAME);
  }

  private void attach() {
    appender.start();
    root().addAppender(appender);
  }

  /** Receives what is logged. Threading: thread-safe. */
  private final class Appender extends AppenderBase<ILoggingEvent> {
    @Override
    protected void append(ILoggingEvent event) {
      if (event.getLevel().isGreaterOrEqual(Level.WARN)) {
        add(line(event));
      }
    }
  }

  /** Attaches the appender again after a reset. Threading: thread-safe. */
  private final class Reattachment implements LoggerContextListener {
    @Override
    public boolean isResetResistant() {
      return true;
    }

    @Override
    public void onReset(LoggerContext context) {
      attach();
    }

    @Override
    public void onStart(LoggerContext context) {}

    @Override
    public void onStop(LoggerContext context) {}

    @Override
    public void onLevelChange(Logger logger, Level level) {}
  }

  private void add(String line) {
    synchronized (lines) {
      if (lines.size() == MAX) {
        lines.removeLast();
      }
      lines.addFirst(line);
    }
  }

  private static String line(ILoggingEvent event) {
    String logger = event.getLoggerName();
    IThrowableProxy cause = event.getThrowableProxy();
    String line =
        Instant.ofEpochMilli(event.getTimeStamp()).truncatedTo(ChronoUnit.SECONDS)
            + " "
            + event.getLevel()
            + " "
            + logger.substring(logger.lastIndexOf('.') + 1)
            + ": "
            + event.getFormattedMessage()
            + (cause == null ? "" : ": " + cause.getClassName() + ": " + cause.getMessage());
    return line.substring(0, Math.min(line.length(), MAX_LENGTH)).replaceAll("\\p{Cntrl}", " ");
  }

  /** Returns time, level, logger and message of each, the newest first. */
  List<String> lines() {
    synchronized (lines) {
      return List.copyOf(lines);
    }
  }

  /** Ends to keep what is logged. */
  @Override
  public void close() {
    loggers.removeListener(reattachment);
    root().detachAppender(appender);
    appender.stop();
  }
}
