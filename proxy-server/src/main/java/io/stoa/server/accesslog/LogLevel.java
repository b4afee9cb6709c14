// SPDX-License-Identifier: Apache-2.0
package io.stoa.server.accesslog;

import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * The log level of a part of Stoa. A part is a domain, such as {@code feed}, or a logger below
 * {@code io.stoa}. Loggers of libraries have no level here, since some of them log received octets,
 * which may be passwords.
 *
 * <p>Threading: immutable.
 *
 * @param part the domain, or the name of the logger
 * @param level the level
 */
public record LogLevel(String part, Level level) {
  /** The domains, in alphabetical order. */
  public static final List<String> PARTS =
      List.of(
          "cache",
          "client",
          "coherence",
          "feed",
          "ldap",
          "metrics",
          "net",
          "operation",
          "proxy",
          "replication",
          "routing",
          "server",
          "upstream",
          "write");

  private static final String ROOT = "io.stoa";

  /** Maximum letters of the name of a logger: 200. */
  private static final int MAX_NAME = 200;

  private static final Pattern LOGGER = Pattern.compile("io\\.stoa(\\.\\w+)*");

  /** The levels. */
  public enum Level {
    ERROR,
    WARN,
    INFO,
    DEBUG,
    TRACE;

    /** Returns the word for users. */
    public String word() {
      return name().toLowerCase(Locale.ROOT);
    }

    /**
     * Returns the level of a word.
     *
     * @throws IllegalArgumentException if there is none; the message names the levels
     */
    public static Level parse(String word) {
      return Arrays.stream(values())
          .filter(level -> level.word().equalsIgnoreCase(word))
          .findFirst()
          .orElseThrow(
              () ->
                  new IllegalArgumentException(
                      "'" + word + "' is not a level; the levels are " + words()));
    }

    private static String words() {
      return Arrays.stream(values()).map(Level::word).collect(Collectors.joining(", "));
    }
  }

  /**
   * Parses a part and its level, such as {@code feed=debug}.
   *
   * @throws IllegalArgumentException if the text has another form; the message is for users
   */
  public static LogLevel parse(String text) {
    int equals = text.indexOf('=');
    if (equals < 0) {
      throw new IllegalArgumentException("'" + text + "' is not PART=LEVEL, such as feed=debug");
    }
    return of(text.substring(0, equals).strip(), text.substring(equals + 1).strip());
  }

  /**
   * Returns the level of a part.
   *
   * @throws IllegalArgumentException if one is unknown; the message names the parts or the levels
   */
  public static LogLevel of(String part, String level) {
    return new LogLevel(known(part), Level.parse(level));
  }

  private static String known(String part) {
    String domain = part.startsWith(ROOT + ".") ? part.substring(ROOT.length() + 1) : part;
    if (PARTS.contains(domain)) {
      return domain;
    }
    boolean logger = part.length() <= MAX_NAME && LOGGER.matcher(part).matches();
    if (logger && (part.equals(ROOT) || PARTS.contains(domain.split("\\.", 2)[0]))) {
      return part;
    }
    String shown = part.length() <= MAX_NAME ? part : part.substring(0, MAX_NAME) + "…";
    throw new IllegalArgumentException(
        "'"
            + shown
            + "' is not a part of Stoa; the parts are "
            + String.join(", ", PARTS)
            + ", io.stoa and loggers below it");
  }

  /** Returns the name of the logger. */
  public String logger() {
    return PARTS.contains(part) ? ROOT + "." + part : part;
  }

  /** Returns the form in the configuration. */
  public String text() {
    return part + "=" + level.word();
  }
}
