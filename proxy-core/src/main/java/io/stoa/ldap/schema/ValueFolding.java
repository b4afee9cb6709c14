// SPDX-License-Identifier: Apache-2.0
package io.stoa.ldap.schema;

import io.stoa.ldap.schema.Schema.Folding;
import java.util.Map;
import java.util.Objects;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Folding of the values of one attribute type in cache keys.
 *
 * <p>Threading: immutable.
 *
 * @param rule the folding of assertion values
 * @param caseIgnored pattern of values that are valid in every directory, if they are text compared
 *     without regard to letter case; null if unknown
 * @param isText true if two equal values differ at most in spaces and letter case, so that they
 *     always have the same position in the tree
 * @param foldsSubstrings true if letter case in substrings may be folded
 */
public record ValueFolding(
    ValueRule rule, @Nullable Pattern caseIgnored, boolean isText, boolean foldsSubstrings) {
  /** No folding: the rules of the directory are unknown. */
  static final ValueFolding NONE = new ValueFolding(ValueRule.EXACT, null, false, false);

  private static final String COUNTRY_STRING = "1.3.6.1.4.1.1466.115.121.1.11";

  /** Directory String, IA5 String, Printable String and Country String. */
  private static final Map<String, Pattern> FORMS =
      Map.of(
          "1.3.6.1.4.1.1466.115.121.1.15",
          Pattern.compile("(?s).+"),
          "1.3.6.1.4.1.1466.115.121.1.26",
          Pattern.compile("[ -~]+"),
          "1.3.6.1.4.1.1466.115.121.1.44",
          Pattern.compile("[A-Za-z0-9'()+,./:?= -]+"),
          COUNTRY_STRING,
          Pattern.compile("[A-Za-z]{2}"));

  /** Ways to fold values of an attribute type without changing any response. */
  public enum ValueRule {
    /** No folding: the equality of the directory is unknown. */
    EXACT,

    /** Folds letter case; keeps spaces. */
    IGNORE_CASE,

    /** Folds letter case, squeezes runs of spaces to one, and removes spaces at both ends. */
    IGNORE_CASE_AND_SPACES,

    /** Treats names and OIDs of one object class as equal. */
    OBJECT_CLASS,

    /** Folds values as DNs. */
    DN;

    /** Returns the folding that is valid under both rules. */
    ValueRule and(ValueRule other) {
      boolean foldsCase = isOfCase() && other.isOfCase();
      return this == other ? this : foldsCase ? IGNORE_CASE : EXACT;
    }

    private boolean isOfCase() {
      return this == IGNORE_CASE || this == IGNORE_CASE_AND_SPACES;
    }
  }

  /**
   * Returns the folding of a type.
   *
   * @param folding the folding of the directory
   * @param equality null if there is none, or Stoa does not know it
   * @param substrings null if there is none, or Stoa does not know it
   * @param syntax the OID of the syntax of values; null if there is none
   */
  static ValueFolding of(
      Folding folding,
      boolean objectClass,
      @Nullable MatchingRule equality,
      @Nullable MatchingRule substrings,
      @Nullable String syntax) {
    if (!folding.foldsLetterCase() || equality == null) {
      return NONE;
    }
    Pattern form = syntax == null || !equality.isCaseIgnore() ? null : FORMS.get(syntax);
    boolean freeText = form != null && !COUNTRY_STRING.equals(syntax);
    boolean foldsSubstrings = freeText && substrings != null && substrings.isCaseIgnoreSubstrings();
    ValueRule rule = ValueRule.EXACT;
    if (freeText) {
      rule = folding.foldsEverything() ? ValueRule.IGNORE_CASE_AND_SPACES : ValueRule.IGNORE_CASE;
    } else if (folding.foldsEverything()) {
      rule = exceptText(equality, objectClass);
    }
    return new ValueFolding(rule, form, equality.isText(), foldsSubstrings);
  }

  private static ValueRule exceptText(MatchingRule equality, boolean objectClass) {
    boolean classes = objectClass && equality == MatchingRule.OBJECT_IDENTIFIER;
    ValueRule otherwise = classes ? ValueRule.OBJECT_CLASS : ValueRule.EXACT;
    return equality == MatchingRule.DISTINGUISHED_NAME ? ValueRule.DN : otherwise;
  }

  /** Returns the folding that is valid in both of two directories. */
  ValueFolding and(ValueFolding other) {
    return new ValueFolding(
        rule.and(other.rule),
        Objects.equals(caseIgnored, other.caseIgnored) ? caseIgnored : null,
        isText && other.isText,
        foldsSubstrings && other.foldsSubstrings);
  }
}
