// SPDX-License-Identifier: Apache-2.0
package io.stoa.operation.external;

import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Names in braces, which stand for values of a client.
 *
 * <p>Threading: stateless.
 */
final class Placeholders {
  private static final Pattern NAME = Pattern.compile("\\{([A-Za-z][A-Za-z0-9]*)}");
  private static final char REPLACEMENT = '\uFFFD';

  private Placeholders() {}

  /** Returns the name if the text is one name in braces; null otherwise. */
  static @Nullable String nameOf(String text) {
    Matcher name = NAME.matcher(text);
    return name.matches() ? name.group(1) : null;
  }

  /** True if the text has a brace. */
  static boolean mayHave(String text) {
    return text.indexOf('{') >= 0 || text.indexOf('}') >= 0;
  }

  /**
   * Returns the names in a text.
   *
   * @throws IllegalArgumentException if it has other braces
   */
  static Set<String> in(String text) {
    if (mayHave(NAME.matcher(text).replaceAll(""))) {
      throw new IllegalArgumentException(
          "'"
              + text
              + "' has a brace that does not enclose a name: write {name} with letters and "
              + "digits");
    }
    return NAME.matcher(text).results().map(name -> name.group(1)).collect(Collectors.toSet());
  }

  /** Returns the text with the values in place of the names; all values must be present. */
  static String fill(String text, Map<String, String> values) {
    return NAME.matcher(text)
        .replaceAll(name -> Matcher.quoteReplacement(values.getOrDefault(name.group(1), "")));
  }

  /**
   * True if all readers see the same value: it is not blank, and has no control or replacement
   * character.
   */
  static boolean isClean(String value) {
    return !value.isBlank()
        && value.chars().noneMatch(c -> Character.isISOControl(c) || c == REPLACEMENT);
  }
}
