// SPDX-License-Identifier: Apache-2.0
package io.stoa.server.config;

import org.snakeyaml.engine.v2.exceptions.Mark;
import org.snakeyaml.engine.v2.nodes.Node;

/**
 * A place in a configuration file. Immutable.
 *
 * @param line from 1
 * @param column from 1
 */
public record Position(int line, int column) implements Comparable<Position> {
  /** The place of what is not in the file at all. */
  public static final Position START = new Position(1, 1);

  static Position of(Mark mark) {
    return new Position(mark.getLine() + 1, mark.getColumn() + 1);
  }

  static Position of(Node node) {
    return node.getStartMark().map(Position::of).orElse(START);
  }

  @Override
  public int compareTo(Position other) {
    return line != other.line
        ? Integer.compare(line, other.line)
        : Integer.compare(column, other.column);
  }

  @Override
  public String toString() {
    return line + ":" + column;
  }
}
