// SPDX-License-Identifier: Apache-2.0
package io.stoa.server;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.classic.spi.IThrowableProxy;
import ch.qos.logback.core.AppenderBase;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayDeque;
import java.util.List;
import org.slf4j.LoggerFactory;

/**
 * Keeps the last warnings and errors of the log in memory, at most 50 of at most 1,000 characters.
 *
 * <p>Threading: thread-safe.
 */
final class RecentWarnings extends AppenderBase<ILoggingEvent> implements AutoCloseable {
  /** Maximum number of warnings and errors: 50, about 100 KiB. */
  private static final int MAX = 50;

  /** Maximum length of one in characters: 1,000. */
  private static final int MAX_LENGTH = 1_000;

  private final Logger root =
      ((LoggerContext) LoggerFactory.getILoggerFactory()).getLogger(Logger.ROOT_LOGGER_NAME);

  /** The newest first. Guarded by itself. */
  private final ArrayDeque<String> lines = new ArrayDeque<>(MAX);

  /** Begins to keep what is logged. */
  RecentWarnings() {
    setContext(root.getLoggerContext());
    start();
    root.addAppender(this);
  }

  @Override
  protected void append(ILoggingEvent event) {
    if (event.getLevel().isGreaterOrEqual(Level.WARN)) {
      String line = line(event);
      synchronized (lines) {
        if (lines.size() == MAX) {
          lines.removeLast();
        }
        lines.addFirst(line);
      }
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
    root.detachAppender(this);
    stop();
  }
}
