// SPDX-License-Identifier: Apache-2.0
package io.stoa.server.config;

import java.util.Comparator;
import java.util.List;
import java.util.stream.Collectors;
import org.snakeyaml.engine.v2.exceptions.Mark;
import org.snakeyaml.engine.v2.nodes.Node;

/**
 * Thrown for a configuration that is invalid or cannot be read. Contains all mistakes. Threading:
 * immutable.
 */
public final class ConfigException extends Exception {
  /**
   * One mistake in a configuration file.
   *
   * <p>Threading: immutable.
   *
   * @param position its place in the file
   * @param message description for users
   */
  public record Problem(TextPosition position, String message) {}

  /**
   * A place in a configuration file.
   *
   * <p>Threading: immutable.
   *
   * @param line from 1
   * @param column from 1
   */
  public record TextPosition(int line, int column) implements Comparable<TextPosition> {
    /** Position of problems that belong to no line, such as a missing key. */
    public static final TextPosition START = new TextPosition(1, 1);

    static TextPosition of(Mark mark) {
      return new TextPosition(mark.getLine() + 1, mark.getColumn() + 1);
    }

    static TextPosition of(Node node) {
      return node.getStartMark().map(TextPosition::of).orElse(START);
    }

    @Override
    public int compareTo(TextPosition other) {
      return line != other.line
          ? Integer.compare(line, other.line)
          : Integer.compare(column, other.column);
    }

    @Override
    public String toString() {
      return line + ":" + column;
    }
  }

  private static final long serialVersionUID = 1L;

  private final transient List<Problem> problems;

  private ConfigException(String message, List<Problem> problems) {
    super(message);
    this.problems = problems;
  }

  /** Creates the exception for a file that cannot be read. */
  public static ConfigException unreadable(String file, String reason) {
    return new ConfigException(file + ": " + reason, List.of());
  }

  /**
   * Creates the exception for a file with mistakes. The message has one line for each, in the order
   * of the file.
   */
  static ConfigException of(String file, List<Problem> problems) {
    List<Problem> sorted =
        problems.stream().sorted(Comparator.comparing(Problem::position)).toList();
    return new ConfigException(
        sorted.stream()
            .map(problem -> file + ":" + problem.position() + ": " + problem.message())
            .collect(Collectors.joining("\n")),
        sorted);
  }

  /** Returns the mistakes in the order of the file; empty if it could not be read. */
  public List<Problem> problems() {
    return problems;
  }
}
