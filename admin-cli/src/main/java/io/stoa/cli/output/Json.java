// SPDX-License-Identifier: Apache-2.0
package io.stoa.cli.output;

import java.util.Iterator;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Writes maps, lists, text, numbers, booleans and null as JSON (RFC 8259) in one line. Characters
 * that could move a terminal's cursor are escaped. Threading: stateless.
 */
public final class Json {
  private static final String HEX = "0123456789abcdef";

  private Json() {}

  /** Returns a value as JSON. */
  public static String of(@Nullable Object value) {
    StringBuilder out = new StringBuilder();
    write(value, out);
    return out.toString();
  }

  private static void write(@Nullable Object value, StringBuilder out) {
    if (value instanceof Map<?, ?> map) {
      object(map, out);
    } else if (value instanceof Iterable<?> list) {
      array(list, out);
    } else if (value instanceof Double number) {
      out.append(Double.isFinite(number) ? number.toString() : "null");
    } else if (value == null || value instanceof Number || value instanceof Boolean) {
      out.append(value);
    } else {
      text(value.toString(), out);
    }
  }

  private static void object(Map<?, ?> map, StringBuilder out) {
    out.append('{');
    String separator = "";
    for (Map.Entry<?, ?> entry : map.entrySet()) {
      out.append(separator);
      text(String.valueOf(entry.getKey()), out);
      out.append(':');
      write(entry.getValue(), out);
      separator = ",";
    }
    out.append('}');
  }

  private static void array(Iterable<?> list, StringBuilder out) {
    out.append('[');
    for (Iterator<?> values = list.iterator(); values.hasNext(); ) {
      write(values.next(), out);
      out.append(values.hasNext() ? "," : "");
    }
    out.append(']');
  }

  private static void text(String text, StringBuilder out) {
    out.append('"');
    for (int i = 0; i < text.length(); i++) {
      character(text.charAt(i), out);
    }
    out.append('"');
  }

  private static void character(char c, StringBuilder out) {
    if (c == '"' || c == '\\') {
      out.append('\\').append(c);
    } else if (Printable.isSafe(c) && !Character.isSurrogate(c)) {
      out.append(c);
    } else {
      out.append("\\u");
      for (int shift = 12; shift >= 0; shift -= 4) {
        out.append(HEX.charAt(c >> shift & 0xf));
      }
    }
  }
}
