// SPDX-License-Identifier: Apache-2.0
package io.stoa.ldap.schema;

import io.stoa.ldap.schema.AttributeType.ValueRule;
import io.stoa.ldap.schema.Schema.Folding;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Matching rules and syntax of an attribute type, inherited ones included, each by name or OID.
 *
 * <p>Threading: immutable.
 *
 * @param equality null if there is none
 * @param substrings null if there is none
 * @param syntax null if there is none
 */
record MatchingRules(
    @Nullable String equality, @Nullable String substrings, @Nullable String syntax) {
  private static final Set<String> IGNORE_CASE =
      Set.of("caseignorematch", "2.5.13.2", "caseignoreia5match", "1.3.6.1.4.1.1466.109.114.2");
  private static final Set<String> IGNORE_CASE_SUBSTRINGS =
      Set.of(
          "caseignoresubstringsmatch",
          "2.5.13.4",
          "caseignoreia5substringsmatch",
          "1.3.6.1.4.1.1466.109.114.3",
          "1.3.6.1.4.1.4203.1.2.1");
  private static final Map<String, Pattern> FORMS =
      Map.of(
          "1.3.6.1.4.1.1466.115.121.1.15",
          Pattern.compile("(?s).+"),
          "1.3.6.1.4.1.1466.115.121.1.26",
          Pattern.compile("[ -~]+"),
          "1.3.6.1.4.1.1466.115.121.1.44",
          Pattern.compile("[A-Za-z0-9'()+,./:?= -]+"),
          "1.3.6.1.4.1.1466.115.121.1.11",
          Pattern.compile("[A-Za-z]{2}"));

  /**
   * Rules other than {@link #IGNORE_CASE} under which equal values differ at most in spaces and
   * letter case.
   */
  private static final Set<String> OTHER_TEXT =
      Set.of(
          "caseexactmatch",
          "2.5.13.5",
          "caseexactia5match",
          "1.3.6.1.4.1.1466.109.114.1",
          "uuidmatch",
          "1.3.6.1.1.16.2");

  private static final Set<String> DN = Set.of("distinguishednamematch", "2.5.13.1");
  private static final Set<String> OBJECT_IDENTIFIER = Set.of("objectidentifiermatch", "2.5.13.0");

  /**
   * Directory String, IA5 String and Printable String. The validity of a value of these depends
   * neither on letter case nor, unless it is blank, on spaces. (A Country String has two letters.)
   */
  private static final Set<String> FREE_TEXT =
      Set.of(
          "1.3.6.1.4.1.1466.115.121.1.15",
          "1.3.6.1.4.1.1466.115.121.1.26",
          "1.3.6.1.4.1.1466.115.121.1.44");

  ValueRule valueRule(Folding folding, boolean objectClass) {
    if (isIn(IGNORE_CASE, equality) && folding.letterCase() && isIn(FREE_TEXT, syntax)) {
      return folding.everything() ? ValueRule.IGNORE_CASE_AND_SPACES : ValueRule.IGNORE_CASE;
    }
    if (isIn(DN, equality) && folding.everything()) {
      return ValueRule.DN;
    }
    boolean classes = objectClass && folding.everything() && isIn(OBJECT_IDENTIFIER, equality);
    return classes ? ValueRule.OBJECT_CLASS : ValueRule.EXACT;
  }

  /**
   * Returns the pattern of values that are valid in every directory, for a type that ignores letter
   * case; null if there is none.
   */
  @Nullable Pattern caseIgnored() {
    return syntax == null || !isIn(IGNORE_CASE, equality) ? null : FORMS.get(syntax);
  }

  /**
   * True if two equal values always have the same position in the tree, however they are spelled.
   */
  boolean isText() {
    return isIn(IGNORE_CASE, equality) || isIn(OTHER_TEXT, equality);
  }

  boolean ignoresCaseInSubstrings() {
    return isIn(IGNORE_CASE, equality)
        && isIn(IGNORE_CASE_SUBSTRINGS, substrings)
        && isIn(FREE_TEXT, syntax);
  }

  private static boolean isIn(Set<String> names, @Nullable String name) {
    return name != null && names.contains(name.toLowerCase(Locale.ROOT));
  }
}
