// SPDX-License-Identifier: Apache-2.0
package io.stoa.upstream.activedirectory;

import java.nio.charset.StandardCharsets;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The description of an attribute of which a server returns some values only, {@code
 * member;range=0-1499} (MS-ADTS, section 3.1.1.3.1.3.3). Immutable.
 *
 * @param name the attribute without the range
 * @param first number of the first value, from 0
 * @param last number of the last value; -1 if there are no further ones ({@code *})
 */
record RangeDescription(String name, int first, int last) {
  static final int END = -1;

  private static final Pattern RANGE =
      Pattern.compile("(.+);range=(\\d{1,9})-(\\d{1,9}|\\*)", Pattern.CASE_INSENSITIVE);

  /** Null if the description names no range. */
  static @Nullable RangeDescription parse(byte[] description) {
    Matcher matcher = RANGE.matcher(text(description));
    if (!matcher.matches()) {
      return null;
    }
    String last = matcher.group(3);
    return new RangeDescription(
        matcher.group(1),
        Integer.parseInt(matcher.group(2)),
        last.equals("*") ? END : Integer.parseInt(last));
  }

  static String text(byte[] description) {
    return new String(description, StandardCharsets.UTF_8);
  }

  static byte[] utf8(String description) {
    return description.getBytes(StandardCharsets.UTF_8);
  }

  /** Whether it is the beginning of something longer. */
  boolean begins() {
    return first == 0 && last != END;
  }

  /** Whether so many values are what it says. */
  boolean counts(int values) {
    return values > 0 && (last == END || values == last - first + 1);
  }

  /** The description that asks for all values from a number on. */
  String from(int number) {
    return name + ";range=" + number + "-*";
  }
}
