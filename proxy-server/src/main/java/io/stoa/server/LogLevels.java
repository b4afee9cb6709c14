// SPDX-License-Identifier: Apache-2.0
package io.stoa.server;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.LoggerContext;
import io.stoa.server.accesslog.LogLevel;
import io.stoa.server.admin.action.Action;
import io.stoa.server.admin.action.Action.ActionResult;
import io.stoa.server.admin.action.ActionException;
import io.stoa.server.config.value.ValueTypes;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.LoggerFactory;

/**
 * The log levels of the parts of Stoa. A level that the administrator has set precedes {@code
 * log.levels}, and that precedes the settings of logback.
 *
 * <ol>
 *   <li>A level for a limited time ends by itself, and all others at a reset or a restart.
 *   <li>Settings of logback that are read anew end no level here: levels are applied again within 5
 *       s.
 * </ol>
 *
 * <p>Threading: thread-safe.
 */
final class LogLevels implements AutoCloseable {
  /** Maximum number of levels that the administrator has set: 100. */
  private static final int MAX_SET = 100;

  /** Maximum time of a level for a limited time: 24 h. */
  private static final Duration MAX_TIME = Duration.ofHours(24);

  /** Seconds after which levels are applied again, and expired ones end: 5. */
  private static final long CHECK_SECONDS = 5;

  private static final String USAGE = "log set: PART LEVEL [TIME] is required";
  private static final DateTimeFormatter TIME =
      DateTimeFormatter.ofPattern("yyyyMMddHHmmss'Z'").withZone(ZoneOffset.UTC);

  private final LoggerContext loggers = (LoggerContext) LoggerFactory.getILoggerFactory();
  private final Map<String, Setting> set = new TreeMap<>();

  /** Levels of logback before the first change here, by logger; null if it inherits its level. */
  private final Map<String, @Nullable Level> originals = new HashMap<>();

  private final ScheduledThreadPoolExecutor timer =
      new ScheduledThreadPoolExecutor(1, LogLevels::thread);
  private List<LogLevel> configured = List.of();

  /** A level that the administrator has set, until a time or for ever. Threading: immutable. */
  private record Setting(LogLevel level, @Nullable Instant until, long deadline) {
    boolean hasExpired() {
      return until != null && System.nanoTime() - deadline >= 0;
    }
  }

  private static Thread thread(Runnable work) {
    Thread thread = new Thread(work, "stoa-log-levels");
    thread.setDaemon(true);
    return thread;
  }

  /** Starts the thread. */
  LogLevels start() {
    timer.scheduleWithFixedDelay(this::apply, CHECK_SECONDS, CHECK_SECONDS, TimeUnit.SECONDS);
    return this;
  }

  /** Applies the levels of {@code log.levels}. */
  synchronized void configure(List<LogLevel> levels) {
    configured = List.copyOf(levels);
    apply();
  }

  private synchronized void apply() {
    set.values().removeIf(Setting::hasExpired);
    Map<String, Level> wanted = new HashMap<>();
    configured.forEach(one -> wanted.put(one.logger(), logback(one)));
    set.values().forEach(one -> wanted.put(one.level().logger(), logback(one.level())));
    wanted.forEach(
        (name, level) -> {
          Logger logger = loggers.getLogger(name);
          if (!originals.containsKey(name)) {
            originals.put(name, logger.getLevel());
          }
          setLevel(logger, level);
        });
    for (String name : List.copyOf(originals.keySet())) {
      if (!wanted.containsKey(name)) {
        setLevel(loggers.getLogger(name), originals.remove(name));
      }
    }
  }

  private static void setLevel(Logger logger, @Nullable Level level) {
    if (level != logger.getLevel()) {
      logger.setLevel(level);
    }
  }

  private static Level logback(LogLevel level) {
    return Level.toLevel(level.level().name());
  }

  /** Returns the actions of the administrator on levels. */
  List<Action> actions() {
    return List.of(
        Action.of("log set", "PART LEVEL [TIME]", this::set),
        Action.of("log reset", none -> reset()));
  }

  private ActionResult set(String argument) throws ActionException {
    String[] words = argument.split("\\s+");
    if (words.length < 2 || words.length > 3) {
      throw ActionException.invalidArgument(USAGE);
    }
    try {
      LogLevel level = LogLevel.of(words[0], words[1]);
      requireInUse(level);
      Duration time = words.length == 3 ? ValueTypes.DURATION.parser().apply(words[2]) : null;
      if (time != null && (time.isZero() || time.compareTo(MAX_TIME) > 0)) {
        throw new IllegalArgumentException("the time must be between 1ms and 24h");
      }
      put(level, time);
      return new ActionResult(
          "log level of "
              + level.part()
              + " is "
              + level.level().word()
              + (time == null ? " until a reset or a restart" : " for " + words[2]));
    } catch (IllegalArgumentException e) {
      throw ActionException.invalidArgument("log set: " + e.getMessage());
    }
  }

  /** Refuses a logger that nothing uses, since logback would keep it until the end. */
  private void requireInUse(LogLevel level) {
    if (!LogLevel.PARTS.contains(level.part()) && loggers.exists(level.logger()) == null) {
      throw new IllegalArgumentException("no part of Stoa logs as " + level.logger() + " so far");
    }
  }

  private synchronized void put(LogLevel level, @Nullable Duration time) throws ActionException {
    if (set.size() >= MAX_SET && !set.containsKey(level.part())) {
      throw ActionException.unwilling(MAX_SET + " levels are set; reset them first");
    }
    long nanos = time == null ? 0 : time.toNanos();
    Instant until = time == null ? null : Instant.now().plus(time);
    set.put(level.part(), new Setting(level, until, System.nanoTime() + nanos));
    apply();
  }

  private synchronized ActionResult reset() {
    set.clear();
    apply();
    return new ActionResult("log levels are those of the configuration");
  }

  /**
   * Returns a line for each part: its name, its level, and {@code default}, {@code configured},
   * {@code set} or the time until which it is set.
   */
  synchronized List<String> lines() {
    set.values().removeIf(Setting::hasExpired);
    Set<String> parts = new LinkedHashSet<>(LogLevel.PARTS);
    configured.forEach(one -> parts.add(one.part()));
    parts.addAll(set.keySet());
    List<String> lines = new ArrayList<>();
    for (String part : parts) {
      String logger = new LogLevel(part, LogLevel.Level.INFO).logger();
      String level = loggers.getLogger(logger).getEffectiveLevel().toString();
      lines.add(part + " " + level.toLowerCase(Locale.ROOT) + " " + source(part));
    }
    return lines;
  }

  private String source(String part) {
    Setting setting = set.get(part);
    if (setting != null) {
      Instant until = setting.until();
      return until == null ? "set" : TIME.format(until);
    }
    return configured.stream().anyMatch(one -> one.part().equals(part)) ? "configured" : "default";
  }

  /** Ends the thread, and restores the levels of logback. */
  @Override
  public void close() {
    timer.shutdownNow();
    synchronized (this) {
      set.clear();
      configure(List.of());
    }
  }
}
