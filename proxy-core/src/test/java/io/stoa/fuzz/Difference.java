// SPDX-License-Identifier: Apache-2.0
package io.stoa.fuzz;

import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * An answer of a Stoa that the directory does not give. Immutable.
 *
 * @param at index of the act in its script
 * @param way index of the Stoa
 */
record Difference(
    int at, int way, String name, ScriptStep act, List<String> direct, List<String> stoa) {
  private static final Pattern SUFFIX = Pattern.compile("dc=(\\w+),\\s*dc=");

  /** Equal for differences that have probably one cause. */
  String signature() {
    Matcher suffix = SUFFIX.matcher(act.toString().toLowerCase(Locale.ROOT));
    int first = 0;
    int max = Math.min(direct.size(), stoa.size()) - 1;
    while (first < max && direct.get(first).equals(stoa.get(first))) {
      first++;
    }
    return (suffix.find() ? suffix.group(1) : "none")
        + " "
        + act.kind()
        + " "
        + tag(direct, first)
        + " "
        + tag(stoa, first);
  }

  private static int tag(List<String> told, int at) {
    return told.isEmpty() ? 0 : told.get(at).charAt(0);
  }

  @Override
  public String toString() {
    return "  directory:"
        + NormalizedResponse.printable(direct)
        + "\n  Stoa ("
        + name
        + "):"
        + NormalizedResponse.printable(stoa);
  }
}
