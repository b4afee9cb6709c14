// SPDX-License-Identifier: Apache-2.0
package io.stoa.ldap.schema;

import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The matching rules of RFC 4517 that Stoa knows.
 *
 * <p>Threading: immutable.
 */
public enum MatchingRule {
  CASE_IGNORE("caseIgnoreMatch", "2.5.13.2", ValueComparison.CASE_IGNORE),
  CASE_IGNORE_ORDERING("caseIgnoreOrderingMatch", "2.5.13.3", ValueComparison.CASE_IGNORE),
  CASE_IGNORE_SUBSTRINGS("caseIgnoreSubstringsMatch", "2.5.13.4", ValueComparison.CASE_IGNORE),
  CASE_IGNORE_IA5(
      "caseIgnoreIA5Match",
      "1.3.6.1.4.1.1466.109.114.2",
      ValueComparison.CASE_IGNORE,
      Syntax.IA5_STRING),
  CASE_IGNORE_IA5_SUBSTRINGS(
      "caseIgnoreIA5SubstringsMatch",
      "1.3.6.1.4.1.1466.109.114.3",
      ValueComparison.CASE_IGNORE,
      Syntax.IA5_STRING),
  CASE_EXACT("caseExactMatch", "2.5.13.5", ValueComparison.CASE_EXACT),
  CASE_EXACT_ORDERING("caseExactOrderingMatch", "2.5.13.6", ValueComparison.CASE_EXACT),
  CASE_EXACT_SUBSTRINGS("caseExactSubstringsMatch", "2.5.13.7", ValueComparison.CASE_EXACT),
  CASE_EXACT_IA5(
      "caseExactIA5Match",
      "1.3.6.1.4.1.1466.109.114.1",
      ValueComparison.CASE_EXACT,
      Syntax.IA5_STRING),
  CASE_EXACT_IA5_SUBSTRINGS(
      "caseExactIA5SubstringsMatch",
      "1.3.6.1.4.1.4203.1.2.1",
      ValueComparison.CASE_EXACT,
      Syntax.IA5_STRING),
  INTEGER("integerMatch", "2.5.13.14", ValueComparison.INTEGER),
  INTEGER_ORDERING("integerOrderingMatch", "2.5.13.15", ValueComparison.INTEGER),
  BOOLEAN("booleanMatch", "2.5.13.13", ValueComparison.BOOLEAN),
  DISTINGUISHED_NAME("distinguishedNameMatch", "2.5.13.1", ValueComparison.DN),
  UNIQUE_MEMBER("uniqueMemberMatch", "2.5.13.23", ValueComparison.DN, Syntax.NAME_AND_OPTIONAL_UID),
  TELEPHONE_NUMBER("telephoneNumberMatch", "2.5.13.20", ValueComparison.TELEPHONE_NUMBER),
  TELEPHONE_NUMBER_SUBSTRINGS(
      "telephoneNumberSubstringsMatch", "2.5.13.21", ValueComparison.TELEPHONE_NUMBER),
  NUMERIC_STRING("numericStringMatch", "2.5.13.8", ValueComparison.NUMERIC_STRING),
  NUMERIC_STRING_SUBSTRINGS(
      "numericStringSubstringsMatch", "2.5.13.10", ValueComparison.NUMERIC_STRING),
  GENERALIZED_TIME("generalizedTimeMatch", "2.5.13.27", ValueComparison.GENERALIZED_TIME),
  GENERALIZED_TIME_ORDERING(
      "generalizedTimeOrderingMatch", "2.5.13.28", ValueComparison.GENERALIZED_TIME),
  OCTET_STRING("octetStringMatch", "2.5.13.17", ValueComparison.OCTET_STRING),
  UUID("UUIDMatch", "1.3.6.1.1.16.2", ValueComparison.UUID),

  /** Equality of names and OIDs. Filters with it are not evaluated. */
  OBJECT_IDENTIFIER("objectIdentifierMatch", "2.5.13.0", null, null);

  private static final Map<String, MatchingRule> BY_NAME = new HashMap<>();

  static {
    for (MatchingRule rule : values()) {
      rule.names.forEach(name -> BY_NAME.put(name.toLowerCase(Locale.ROOT), rule));
    }
  }

  private final @Nullable ValueComparison comparison;
  private final @Nullable Syntax syntax;

  @SuppressWarnings("ImmutableEnumChecker") // List.of
  private final List<String> names;

  MatchingRule(String name, String oid, ValueComparison comparison) {
    this(name, oid, comparison, comparison.syntax());
  }

  MatchingRule(
      String name, String oid, @Nullable ValueComparison comparison, @Nullable Syntax syntax) {
    this.names = List.of(name, oid);
    this.comparison = comparison;
    this.syntax = syntax;
  }

  /** Returns the rule with this name or OID; null if there is none, or Stoa does not know it. */
  static @Nullable MatchingRule of(@Nullable String name) {
    return name == null ? null : BY_NAME.get(name.toLowerCase(Locale.ROOT));
  }

  /** Returns the comparison; null if Stoa does not implement it. */
  @Nullable ValueComparison comparison() {
    return comparison;
  }

  /** Returns the syntax of assertion values; null if Stoa does not know it. */
  @Nullable Syntax syntax() {
    return syntax;
  }

  boolean isCaseIgnore() {
    return this == CASE_IGNORE || this == CASE_IGNORE_IA5;
  }

  /** True if equal values differ at most in spaces and letter case. */
  boolean isText() {
    return isCaseIgnore() || this == CASE_EXACT || this == CASE_EXACT_IA5 || this == UUID;
  }

  boolean isCaseIgnoreSubstrings() {
    return this == CASE_IGNORE_SUBSTRINGS || this == CASE_IGNORE_IA5_SUBSTRINGS;
  }
}
