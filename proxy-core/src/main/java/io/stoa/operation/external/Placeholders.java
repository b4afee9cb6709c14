// SPDX-License-Identifier: Apache-2.0
package io.stoa.operation.external;

import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Names in braces, which stand for values of a client. Stateless. */
final class Placeholders {
  private static final Pattern NAME = Pattern.compile("\\{([A-Za-z][A-Za-z0-9]*)}");
  private static final char REPLACEMENT = '\uFFFD';

  private Placeholders() {}

  /** The name that a text consists of; null if it is anything else. */
  static @Nullable String nameOf(String text) {
    Matcher name = NAME.matcher(text);
    return name.matches() ? name.group(1) : null;
  }

  /** Whether a text may have been meant to hold a name. */
  static boolean mayHave(String text) {
    return text.indexOf('{') >= 0 || text.indexOf('}') >= 0;
  }

  /**
   * The names in a text.
   *
   * @throws IllegalArgumentException if there are other braces
   */
  static Set<String> in(String text) {
    if (mayHave(NAME.matcher(text).replaceAll(""))) {
      throw new IllegalArgumentException("'" + text + "' has braces around what is no name");
    }
    return NAME.matcher(text).results().map(name -> name.group(1)).collect(Collectors.toSet());
  }

  /** The text with the values, all of which are there. */
  static String fill(String text, Map<String, String> values) {
    return NAME.matcher(text)
        .replaceAll(name -> Matcher.quoteReplacement(values.getOrDefault(name.group(1), "")));
  }

  /** Whether every reader sees the same in a value: there is something, and no control in it. */
  static boolean isClean(String value) {
    return !value.isBlank()
        && value.chars().noneMatch(c -> Character.isISOControl(c) || c == REPLACEMENT);
  }
}
