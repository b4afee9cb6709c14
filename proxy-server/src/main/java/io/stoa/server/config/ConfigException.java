// SPDX-License-Identifier: Apache-2.0
package io.stoa.server.config;

import java.util.Comparator;
import java.util.List;
import java.util.stream.Collectors;

/** A configuration that cannot be used, with all that is wrong with it. Immutable. */
public final class ConfigException extends Exception {
  /**
   * One mistake in a configuration file. Immutable.
   *
   * @param position where
   * @param message what is wrong
   */
  public record Problem(Position position, String message) {}

  private static final long serialVersionUID = 1L;

  private final transient List<Problem> problems;

  private ConfigException(String message, List<Problem> problems) {
    super(message);
    this.problems = problems;
  }

  /** A file that cannot be read at all. */
  static ConfigException unreadable(String file, String reason) {
    return new ConfigException(file + ": " + reason, List.of());
  }

  /** A file with mistakes; the message has one line for each, in the order of the file. */
  static ConfigException of(String file, List<Problem> problems) {
    List<Problem> sorted =
        problems.stream().sorted(Comparator.comparing(Problem::position)).toList();
    return new ConfigException(
        sorted.stream()
            .map(problem -> file + ":" + problem.position() + ": " + problem.message())
            .collect(Collectors.joining("\n")),
        sorted);
  }

  /** The mistakes, in the order of the file; empty if it could not be read. */
  public List<Problem> problems() {
    return problems;
  }
}
