// SPDX-License-Identifier: Apache-2.0
package io.stoa.server.config;

import java.util.Collection;
import java.util.Iterator;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** Writes JSON (RFC 8259), with two spaces for each level. Threading: confined to one call. */
public final class JsonText {
  private static final String STEP = "  ";
  private static final int FIRST_PRINTABLE = 0x20;

  private final StringBuilder out = new StringBuilder();

  private JsonText() {}

  /** Returns a value with a line break at its end. Numbers and booleans stay as they are. */
  static String of(Object value) {
    JsonText text = new JsonText();
    text.write(value, "\n");
    return text.out.append('\n').toString();
  }

  /** Returns a string with its quotes. Control characters are escaped. */
  public static String quoted(String text) {
    StringBuilder quoted = new StringBuilder("\"");
    for (int i = 0; i < text.length(); i++) {
      char one = text.charAt(i);
      if (one == '"' || one == '\\') {
        quoted.append('\\').append(one);
      } else if (isControl(one)) {
        quoted.append(String.format(Locale.ROOT, "\\u%04x", (int) one));
      } else {
        quoted.append(one);
      }
    }
    return quoted.append('"').toString();
  }

  /** True for characters that could change how a terminal shows the others. */
  public static boolean isControl(int character) {
    return character < FIRST_PRINTABLE
        || Character.getType(character) == Character.CONTROL
        || Character.getType(character) == Character.FORMAT;
  }

  private void write(Object value, String line) {
    if (value instanceof Map<?, ?> map) {
      List<Runnable> members =
          map.entrySet().stream().<Runnable>map(entry -> () -> member(entry, line + STEP)).toList();
      enclosed("{", members, "}", line);
    } else if (value instanceof Collection<?> list) {
      boolean flat = list.stream().noneMatch(one -> one instanceof Map);
      List<Runnable> elements =
          list.stream().<Runnable>map(one -> () -> write(one, line + STEP)).toList();
      enclosed("[", elements, "]", flat ? "" : line);
    } else if (value instanceof Number || value instanceof Boolean) {
      out.append(value);
    } else {
      out.append(quoted(value.toString()));
    }
  }

  private void member(Map.Entry<?, ?> entry, String line) {
    out.append(quoted(String.valueOf(entry.getKey()))).append(": ");
    write(entry.getValue(), line);
  }

  /**
   * Writes parts with commas between them, each on a line of its own unless {@code line} is empty.
   */
  private void enclosed(String open, List<Runnable> parts, String close, String line) {
    out.append(open);
    for (Iterator<Runnable> rest = parts.iterator(); rest.hasNext(); ) {
      out.append(line.isEmpty() ? "" : line + STEP);
      rest.next().run();
      out.append(!rest.hasNext() ? "" : line.isEmpty() ? ", " : ",");
    }
    out.append(parts.isEmpty() ? "" : line).append(close);
  }
}
