// SPDX-License-Identifier: Apache-2.0
package io.stoa.cli.output;

/**
 * Makes text safe for a terminal. Names of clients and messages of servers could otherwise move the
 * cursor, hide text or reverse its direction. Threading: stateless.
 */
public final class Printable {
  private static final char REPLACEMENT = '?';

  private Printable() {}

  /** Returns the text in one line, with unsafe characters replaced. */
  public static String of(String text) {
    StringBuilder out = new StringBuilder(text.length());
    text.codePoints()
        .forEach(
            c -> {
              if (isSafe(c)) {
                out.appendCodePoint(c);
              } else {
                out.append(c == '\n' || c == '\r' || c == '\t' ? ' ' : REPLACEMENT);
              }
            });
    return out.toString();
  }

  static boolean isSafe(int c) {
    return switch (Character.getType(c)) {
      case Character.CONTROL,
          Character.FORMAT,
          Character.LINE_SEPARATOR,
          Character.PARAGRAPH_SEPARATOR,
          Character.SURROGATE,
          Character.PRIVATE_USE,
          Character.UNASSIGNED ->
          false;
      default -> true;
    };
  }
}
