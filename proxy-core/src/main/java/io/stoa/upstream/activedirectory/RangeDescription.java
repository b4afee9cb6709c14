// SPDX-License-Identifier: Apache-2.0
package io.stoa.upstream.activedirectory;

import java.nio.charset.StandardCharsets;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The description of an attribute that Active Directory returns in part, such as {@code
 * member;range=0-1499} (MS-ADTS, section 3.1.1.3.1.3.3).
 *
 * <p>Threading: immutable.
 *
 * @param name the attribute without the range
 * @param first number of the first value, from 0
 * @param last number of the last value; -1 for the final range ({@code *})
 */
record RangeDescription(String name, int first, int last) {
  static final int END = -1;

  private static final Pattern RANGE =
      Pattern.compile("(.+);range=(\\d{1,9})-(\\d{1,9}|\\*)", Pattern.CASE_INSENSITIVE);

  /** Returns the range of the description; null if it has none. */
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

  /** True if the range is the first of several. */
  boolean isFirstOfSeveral() {
    return first == 0 && last != END;
  }

  /** True if the range can have that number of values. */
  boolean isCount(int values) {
    return values > 0 && (last == END || values == last - first + 1);
  }

  /** Returns the description that requests all values from {@code number} on. */
  String from(int number) {
    return name + ";range=" + number + "-*";
  }
}
