// SPDX-License-Identifier: Apache-2.0
package io.stoa.cli.output;

/**
 * What a terminal shows as it is. Names of clients and messages of servers come from others, who
 * could otherwise move the cursor, hide text or write backwards. Stateless.
 */
public final class Printable {
  private static final char REPLACEMENT = '?';

  private Printable() {}

  /** The text in one line, with everything that is not safe replaced. */
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
