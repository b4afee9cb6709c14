// SPDX-License-Identifier: Apache-2.0
package io.stoa.ldap.filter;

import static org.assertj.core.api.Assertions.assertThat;

import io.stoa.ldap.protocol.SearchEntry;
import io.stoa.ldap.schema.Filters;
import io.stoa.ldap.schema.NormalDn;
import io.stoa.ldap.schema.Samples;
import io.stoa.ldap.schema.Schema;
import io.stoa.ldap.schema.ServerProfile;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

/** What a filter is for an entry, and where Stoa does not decide. */
class FilterProgramTest {
  private static final SearchEntry PERSON =
      Samples.entry(
          "cn=Anna,dc=example,dc=com",
          "objectClass: top",
          "objectClass: inetOrgPerson",
          "cn: Anna",
          "cn: Anna  Maria",
          "cn;lang-de: Annchen",
          "sn: M\u00fcller",
          "uidNumber: 7",
          "telephoneNumber: +49 30-1");

  private static Truth test(String filter) {
    return test(filter, Samples.image(PERSON));
  }

  private static Truth test(String filter, Image image) {
    return FilterProgram.of(Filters.parse(filter), Samples.SLAPD_PROFILE).test(image);
  }

  @Test
  void equalityFollowsTheRuleOfTheType() {
    assertThat(test("(cn=ANNA)")).isEqualTo(Truth.TRUE);
    assertThat(test("(cn= anna maria )")).isEqualTo(Truth.TRUE);
    assertThat(test("(commonName=anna)")).isEqualTo(Truth.TRUE);
    assertThat(test("(2.5.4.3=anna)")).isEqualTo(Truth.TRUE);
    assertThat(test("(cn=annamaria)")).isEqualTo(Truth.FALSE);
    assertThat(test("(sn=m\u00dcLLER)")).isEqualTo(Truth.TRUE);
    assertThat(test("(telephoneNumber=+49301)")).isEqualTo(Truth.TRUE);
    assertThat(test("(uidNumber=7)")).isEqualTo(Truth.TRUE);
    assertThat(test("(uidNumber=8)")).isEqualTo(Truth.FALSE);
  }

  @Test
  void aSupertypeStandsForItsSubtypes() {
    assertThat(test("(name=anna)")).isEqualTo(Truth.TRUE);
    assertThat(test("(name=m\u00fcller)")).isEqualTo(Truth.TRUE);
    assertThat(test("(name=*)")).isEqualTo(Truth.TRUE);
    assertThat(test("(ou=anna)")).isEqualTo(Truth.FALSE);
  }

  @Test
  void anAssertedOptionRestrictsTheMatch() {
    assertThat(test("(cn=annchen)")).isEqualTo(Truth.TRUE);
    assertThat(test("(cn;lang-de=annchen)")).isEqualTo(Truth.TRUE);
    assertThat(test("(cn;lang-de=anna)")).isNotEqualTo(Truth.TRUE);
  }

  @Test
  void objectClassMatchesSuperclasses() {
    assertThat(test("(objectClass=person)")).isEqualTo(Truth.TRUE);
    assertThat(test("(objectClass=IOP)")).isEqualTo(Truth.TRUE);
    assertThat(test("(objectClass=groupOfNames)")).isEqualTo(Truth.FALSE);
    assertThat(test("(objectClass=2.5.6.6)")).isEqualTo(Truth.TRUE);
  }

  @Test
  void theNegationOfUndefinedIsUndefined() {
    assertThat(test("(nobodyKnows=x)")).isEqualTo(Truth.UNDEFINED);
    assertThat(test("(!(nobodyKnows=x))")).isEqualTo(Truth.UNDEFINED);
    assertThat(test("(|(cn=anna)(nobodyKnows=x))")).isEqualTo(Truth.TRUE);
    assertThat(test("(uidNumber=x)")).isEqualTo(Truth.UNDEFINED);
    assertThat(test("(noRule=x)")).isEqualTo(Truth.UNDEFINED);
    assertThat(test("(cn>=a)")).isEqualTo(Truth.UNDEFINED);
  }

  @Test
  void absoluteTrueAndFalse() {
    assertThat(test("(&)")).isEqualTo(Truth.TRUE);
    assertThat(test("(|)")).isEqualTo(Truth.FALSE);
    assertThat(test("(!(&))")).isEqualTo(Truth.FALSE);
  }

  @Test
  void matchesSubstringsAndOrdering() {
    assertThat(test("(cn=an*ia)")).isEqualTo(Truth.TRUE);
    assertThat(test("(cn=*n*m*)")).isEqualTo(Truth.TRUE);
    assertThat(test("(cn=anna*anna)")).isEqualTo(Truth.FALSE);
    assertThat(test("(uidNumber>=6)")).isEqualTo(Truth.TRUE);
    assertThat(test("(uidNumber<=6)")).isEqualTo(Truth.FALSE);
    assertThat(test("(uidNumber>=10)")).isEqualTo(Truth.FALSE);
  }

  @Test
  void unsupportedAssertionsAreUnknown() {
    assertThat(test("(cn~=anna)")).isEqualTo(Truth.UNKNOWN);
    assertThat(test("(cn:caseExactMatch:=anna)")).isEqualTo(Truth.UNKNOWN);
    assertThat(test("(cn:dn:=anna)")).isEqualTo(Truth.UNKNOWN);
    assertThat(test("(memberOf=cn=x)")).isEqualTo(Truth.UNKNOWN);
    assertThat(test("(!(userPassword=x))")).isEqualTo(Truth.UNKNOWN);
    assertThat(test("(certificate=x)")).isNotEqualTo(Truth.TRUE);
    assertThat(test("(twice=x)")).isEqualTo(Truth.UNKNOWN);
    assertThat(test("(orphan=x)")).isEqualTo(Truth.UNKNOWN);
  }

  @Test
  void anUncomparableValueHidesOnlyPossibleMatches() {
    Image image =
        Samples.image(
            Samples.entry("cn=x,dc=com", "objectClass: person", "cn: Stra\u00dfe", "cn: x"));
    assertThat(test("(cn=strasse)", image)).isEqualTo(Truth.UNKNOWN);
    assertThat(test("(cn=stra\u00dfe)", image)).isEqualTo(Truth.UNKNOWN);
    assertThat(test("(cn=weg)", image)).isEqualTo(Truth.FALSE);
    assertThat(test("(cn=x)", image)).isEqualTo(Truth.TRUE);
  }

  @Test
  void anAttributeMissingFromAPartialImageIsUnknown() {
    Image image = Image.of(PERSON, false, Samples.SLAPD_PROFILE);
    assertThat(test("(ou=x)", image)).isEqualTo(Truth.UNKNOWN);
    assertThat(test("(cn=x)", image)).isEqualTo(Truth.UNKNOWN);
    assertThat(test("(cn=anna)", image)).isEqualTo(Truth.TRUE);
  }

  @Test
  void aDisjunctionWithANegationIsUnknownOn389Ds() {
    assertThat(testBy389("(|(cn=anna)(sn=x))")).isEqualTo(Truth.TRUE);
    assertThat(testBy389("(|(cn=anna)(!(cn=x)))")).isEqualTo(Truth.UNKNOWN);
    assertThat(testBy389("(&(|(cn=anna)(&(cn=y)(!(cn=x))))(cn=anna))")).isEqualTo(Truth.UNKNOWN);
    assertThat(testBy389("(&(|(cn=anna)(!(cn=x)))(cn=bob))")).isEqualTo(Truth.FALSE);
    assertThat(test("(|(cn=anna)(!(cn=x)))")).isEqualTo(Truth.TRUE);
  }

  @Test
  void aConjunctionOfNestedOrsIsUnknownOn389Ds() {
    assertThat(testBy389("(&(|(cn=anna)(sn=x)))")).isEqualTo(Truth.TRUE);
    assertThat(testBy389("(|(cn=anna)(|(sn=x)(sn=y)))")).isEqualTo(Truth.TRUE);
    assertThat(testBy389("(&(|(cn=anna)(|(sn=x)(sn=y))))")).isEqualTo(Truth.UNKNOWN);
    assertThat(test("(&(|(cn=anna)(|(sn=x)(sn=y))))")).isEqualTo(Truth.TRUE);
  }

  @Test
  void aConjunctionOfAnExtensibleOrIsUnknownOn389Ds() {
    assertThat(testBy389("(|(cn:=x)(cn=anna))")).isEqualTo(Truth.TRUE);
    assertThat(testBy389("(&(|(cn:=x)(cn=anna)))")).isEqualTo(Truth.UNKNOWN);
    assertThat(test("(&(|(cn:=x)(cn=anna)))")).isEqualTo(Truth.TRUE);
  }

  private static Truth testBy389(String filter) {
    return FilterProgram.of(Filters.parse(filter), Samples.DS389_PROFILE)
        .test(Image.of(PERSON, true, Samples.DS389_PROFILE));
  }

  @Test
  void filtersOfOtherDirectoriesAreUnknown() {
    assertUnknown(Samples.OTHER_PROFILE);
    assertUnknown(ServerProfile.EXACT);
  }

  @Test
  void filtersOfSeveralDirectoriesAreUnknown() {
    assertUnknown(Samples.SLAPD_PROFILE.and(Samples.SLAPD_PROFILE));
    assertUnknown(Samples.SLAPD_PROFILE.and(Samples.SLAPD_PROFILE).ofLocal());
    assertUnknown(Samples.SLAPD_PROFILE.and(Samples.DS389_PROFILE));
  }

  private static void assertUnknown(ServerProfile profile) {
    assertThat(profile.evaluationSchema()).isSameAs(Schema.NONE);
    assertThat(
            FilterProgram.of(Filters.parse("(cn=anna)"), profile)
                .test(Image.of(PERSON, true, profile)))
        .isEqualTo(Truth.UNKNOWN);
  }

  @Test
  void namesOfAnOidDefinedTwiceAreUnknown() {
    assertThat(test("(oneOfTwo=x)")).isEqualTo(Truth.UNKNOWN);
    assertThat(test("(!(otherOfTwo=x))")).isEqualTo(Truth.UNKNOWN);
    assertThat(test("(1.3.6.1.4.1.99.7=x)")).isEqualTo(Truth.UNKNOWN);
  }

  @Test
  void caseExactIa5SubstringsOfAnotherEqualityAreUnknown() {
    Image image =
        Samples.image(Samples.entry("cn=x,dc=com", "objectClass: person", "exactParts: Abc"));
    assertThat(test("(exactParts=ab*)", image)).isEqualTo(Truth.UNKNOWN);
    assertThat(test("(exactParts=abc)", image)).isEqualTo(Truth.TRUE);
  }

  @Test
  void attributesThatNoChangeReportsAreNeverKnown() {
    assertThat(neverKnown("(memberOf=cn=x)")).isTrue();
    assertThat(neverKnown("(&(cn=x)(memberOf=cn=x))")).isFalse();
    assertThat(neverKnown("(cn~=x)")).isTrue();
    assertThat(neverKnown("(&(cn~=x)(sn=y))")).isFalse();
    assertThat(neverKnown("(cn=x)")).isFalse();
  }

  private static boolean neverKnown(String filter) {
    return Samples.query("dc=com", 2, filter).isUntrackable();
  }

  @Test
  void theScopeIsKnownWhereNamesAreComparable() {
    assertThat(scope("DC=Example, dc=com", 2, "cn=x,dc=example,dc=com")).isEqualTo(Truth.TRUE);
    assertThat(scope("dc=example,dc=com", 1, "cn=x,dc=example,dc=com")).isEqualTo(Truth.TRUE);
    assertThat(scope("dc=example,dc=com", 1, "cn=y,cn=x,dc=example,dc=com")).isEqualTo(Truth.FALSE);
    assertThat(scope("dc=example,dc=com", 0, "dc=EXAMPLE,dc=com")).isEqualTo(Truth.TRUE);
    assertThat(scope("dc=example,dc=com", 2, "dc=com")).isEqualTo(Truth.FALSE);
    assertThat(scope("dc=other,dc=com", 2, "cn=x,dc=example,dc=com")).isEqualTo(Truth.FALSE);
    assertThat(scope("", 2, "cn=x,dc=example,dc=com")).isEqualTo(Truth.TRUE);
    assertThat(scope("cn=Stra\u00dfe,dc=com", 2, "cn=strasse,dc=com")).isEqualTo(Truth.UNKNOWN);
    assertThat(scope("cn=Stra\u00dfe,dc=com", 2, "cn=weg,dc=com")).isEqualTo(Truth.FALSE);
    assertThat(scope("telephoneNumber=1 2,dc=com", 2, "telephoneNumber=12,dc=com"))
        .isEqualTo(Truth.UNKNOWN);
    assertThat(scope("telephoneNumber=1 2,dc=com", 2, "telephoneNumber=12,dc=org"))
        .isEqualTo(Truth.FALSE);
  }

  private static Truth scope(String base, int scope, String dn) {
    return Samples.query(base, scope, "(cn=*)")
        .inScope(NormalDn.of(dn.getBytes(StandardCharsets.UTF_8), Samples.SLAPD_PROFILE));
  }

  @Test
  void aReferralMayMatchAnyFilter() {
    Image referral =
        Samples.image(Samples.entry("ou=far,dc=com", "objectClass: referral", "ou: far"));
    assertThat(Samples.query("dc=com", 2, "(cn=x)").matches(referral)).isEqualTo(Truth.UNKNOWN);
    assertThat(Samples.query("dc=org", 2, "(cn=x)").matches(referral)).isEqualTo(Truth.FALSE);
  }
}
