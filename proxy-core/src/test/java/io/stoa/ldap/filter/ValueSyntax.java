// SPDX-License-Identifier: Apache-2.0
package io.stoa.ldap.filter;

import java.util.List;

/**
 * A sort of values as a schema defines it, and some values of it that are alike for some rules.
 * Immutable.
 */
@SuppressWarnings("ImmutableEnumChecker") // the lists are made by List.of
enum ValueSyntax {
  TEXT(
      "EQUALITY caseIgnoreMatch ORDERING caseIgnoreOrderingMatch SUBSTR caseIgnoreSubstringsMatch"
          + " SYNTAX 1.3.6.1.4.1.1466.115.121.1.15",
      Texts.ANY),
  EXACT_TEXT(
      "EQUALITY caseExactMatch ORDERING caseExactOrderingMatch SUBSTR caseExactSubstringsMatch"
          + " SYNTAX 1.3.6.1.4.1.1466.115.121.1.15",
      Texts.ANY),
  UNORDERED_TEXT("EQUALITY caseIgnoreMatch SYNTAX 1.3.6.1.4.1.1466.115.121.1.15", Texts.ANY),
  IA5(
      "EQUALITY caseIgnoreIA5Match SUBSTR caseIgnoreIA5SubstringsMatch"
          + " SYNTAX 1.3.6.1.4.1.1466.115.121.1.26",
      Texts.PLAIN),
  EXACT_IA5(
      "EQUALITY caseExactIA5Match SUBSTR caseExactIA5SubstringsMatch"
          + " SYNTAX 1.3.6.1.4.1.1466.115.121.1.26",
      Texts.PLAIN),
  PRINTABLE(
      "EQUALITY caseIgnoreMatch SUBSTR caseIgnoreSubstringsMatch"
          + " SYNTAX 1.3.6.1.4.1.1466.115.121.1.44",
      List.of("Red Hat", "red  hat", "RED-HAT", "a+b", "x", "xyz", "0")),
  INTEGER(
      "EQUALITY integerMatch ORDERING integerOrderingMatch SYNTAX 1.3.6.1.4.1.1466.115.121.1.27",
      List.of("0", "1", "-1", "7", "10", "-10", "99", "100", "12345678901234567890")),
  BOOLEAN("EQUALITY booleanMatch SYNTAX 1.3.6.1.4.1.1466.115.121.1.7", List.of("TRUE", "FALSE")),
  NAME(
      "EQUALITY distinguishedNameMatch SYNTAX 1.3.6.1.4.1.1466.115.121.1.12",
      List.of(
          "cn=One,dc=example,dc=com",
          "CN=one , DC=Example,dc=com",
          "2.5.4.3=one,dc=example,dc=com",
          "cn=Two  Words,dc=example,dc=com",
          "cn=two words,dc=example,dc=com",
          "cn=a+sn=b,dc=example,dc=com",
          "sn=B+cn=A,dc=example,dc=com",
          "cn=M\u00fcller,dc=example,dc=com",
          "cn=M\u00dcLLER,dc=example,dc=com",
          "cn=Stra\u00dfe,dc=example,dc=com",
          "cn=strasse,dc=example,dc=com",
          "cn=Smith\\, John,dc=example,dc=com",
          "cn=Smith\\2C john,dc=example,dc=com",
          "telephoneNumber=12 34,dc=example,dc=com",
          "telephoneNumber=1234,dc=example,dc=com",
          "dc=com")),
  UNIQUE_NAME(
      "EQUALITY uniqueMemberMatch SYNTAX 1.3.6.1.4.1.1466.115.121.1.34",
      List.of(
          "cn=One,dc=example,dc=com",
          "cn=one,dc=example,dc=com",
          "cn=one,dc=example,dc=com#'0101'B",
          "cn=two,dc=example,dc=com")),
  TELEPHONE(
      "EQUALITY telephoneNumberMatch SUBSTR telephoneNumberSubstringsMatch"
          + " SYNTAX 1.3.6.1.4.1.1466.115.121.1.50",
      List.of("+49 30 1", "+49301", "+49-30-1", "1234", "12 34", "(030) 1", "12")),
  NUMERIC(
      "EQUALITY numericStringMatch SUBSTR numericStringSubstringsMatch"
          + " SYNTAX 1.3.6.1.4.1.1466.115.121.1.36",
      List.of("12 34", "1234", "0012", "12", "7")),
  TIME(
      "EQUALITY generalizedTimeMatch ORDERING generalizedTimeOrderingMatch"
          + " SYNTAX 1.3.6.1.4.1.1466.115.121.1.24",
      List.of(
          "20240101000000Z",
          "20240101000001Z",
          "20231231235959Z",
          "20240101010000+0100",
          "20240101000000.0Z",
          "19991231235959Z")),
  OCTETS(
      "EQUALITY octetStringMatch SYNTAX 1.3.6.1.4.1.1466.115.121.1.40",
      List.of("abc", "ABC", "a", " a", "\u00fc")),
  WITHOUT_RULE("SYNTAX 1.3.6.1.4.1.1466.115.121.1.15", List.of("x", "y"));

  private final String rules;
  private final List<String> samples;

  ValueSyntax(String rules, List<String> samples) {
    this.rules = rules;
    this.samples = samples;
  }

  /** As a definition of an attribute type has them. */
  String rules() {
    return rules;
  }

  List<String> samples() {
    return samples;
  }

  /** Texts that some directory takes for equal to another one, and others. Immutable. */
  private static final class Texts {
    static final List<String> PLAIN =
        List.of(
            "alpha",
            "Alpha",
            "ALPHA",
            "beta gamma",
            "Beta  Gamma",
            " beta gamma ",
            "a",
            "ab",
            "abc",
            "abcd",
            "a@b.example",
            "A@B.Example",
            "a_b",
            "[x]",
            "~",
            "0",
            "-1");

    static final List<String> ANY =
        List.of(
            "alpha",
            "Alpha",
            "ALPHA BETA",
            "alpha  beta",
            " alpha beta ",
            "abc",
            "abcd",
            "a_b",
            "A-B",
            "[x]",
            "M\u00fcller",
            "M\u00dcLLER",
            "Mu\u0308ller",
            "Mueller",
            "Stra\u00dfe",
            "STRASSE",
            "so\u00adft",
            "soft",
            "\ufb01sh",
            "fish",
            "\uff26\uff35\uff2c\uff2c",
            "full",
            "\u03a3\u0391\u03a3",
            "\u03c3\u03b1\u03c2",
            "\u03c3\u03b1\u03c3",
            "\u0130stanbul",
            "istanbul",
            "\u0131stanbul",
            "\u0416\u0443\u043a",
            "\u0436\u0443\u043a",
            "\u65e5\u672c",
            "\u00e9cole",
            "e\u0301cole",
            "\u00c9COLE",
            "\u212bngstr\u00f6m",
            "\u00e5ngstr\u00f6m",
            "a\u00a0b",
            "a b",
            "x\u200by",
            "xy",
            "7",
            "0");

    private Texts() {}
  }
}
