// SPDX-License-Identifier: Apache-2.0
package io.stoa.ldap.filter;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.stoa.ldap.protocol.FilterNode;
import io.stoa.ldap.protocol.Octets;
import io.stoa.ldap.protocol.RequestOp.CompareOp;
import io.stoa.ldap.protocol.RequestOp.SearchOp;
import io.stoa.ldap.schema.Filters;
import io.stoa.ldap.schema.Profiles;
import io.stoa.ldap.schema.ServerProfile;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Which requests share a key. What slapd says to each of these pairs is NormalizationIT. */
class QueryNormalizerTest {
  private static final QueryNormalizer OPENLDAP = new QueryNormalizer(Profiles.OPENLDAP);
  private static final QueryNormalizer OTHER = new QueryNormalizer(Profiles.OTHER);
  private static final QueryNormalizer EXACT = new QueryNormalizer(ServerProfile.EXACT);
  private static final Octets NO_CONTROLS = Octets.EMPTY;
  private static final String BASE = "dc=example,dc=com";

  @ParameterizedTest
  @CsvSource(
      delimiterString = "===",
      value = {
        "(cn=John Smith) === (CN=JOHN SMITH)",
        "(cn=John Smith) === (commonName=john  smith)",
        "(cn=John Smith) === (2.5.4.3=\\20John Smith\\20)",
        "(mail=a@b) === (RFC822mailbox=A@B)",
        "(cn;lang-de=x) === (commonname;LANG-DE=X)",
        "(cn;a;b=x) === (cn;B;A=x)",
        "(telephoneNumber=1) === (2.5.4.20=1)",
        "(uidNumber=7) === (UIDNUMBER=7)",
        "(objectClass=person) === (OBJECTCLASS=2.5.6.6)",
        "(objectClass=thing) === (objectClass=STOATHING)",
        "(member=cn=a,dc=b) === (member=CN = A, domainComponent=B)",
        "(cn=*) === (2.5.4.3=*)",
        "(cn>=A) === (commonName>=A)",
        "(cn~=A) === (commonName~=A)",
        "(uid=Ab*cD*eF) === (userid=aB*Cd*Ef)",
        "(&(cn=a)(sn=b)) === (&(sn=B)(cn=A))",
        "(&(cn=a)(sn=b)(cn=A)) === (&(cn=a)(sn=b))",
        "(&(cn=a)(&(sn=b)(uid=c))) === (&(uid=c)(sn=b)(cn=a))",
        "(|(cn=a)(|(sn=b))) === (|(sn=b)(cn=a))",
        "(&(cn=a)) === (cn=a)",
        "(|(cn=a)(CN=A)) === (cn=a)",
        "(&(|(cn=a)(sn=b))(uid=c)) === (&(uid=c)(|(sn=b)(cn=a)))",
        "(!(cn=a)) === (!(commonName=A))",
        "(!(!(cn=a))) === (!(!(CN=a)))",
      })
  void searchesThatSlapdAnswersAlikeShareAKey(String one, String other) {
    assertThat(key(OPENLDAP, one)).isEqualTo(key(OPENLDAP, other));
    assertThat(key(EXACT, one)).isNotEqualTo(key(EXACT, other));
  }

  @ParameterizedTest
  @CsvSource(
      delimiterString = "===",
      value = {
        "(cn=a) === (cn=b)",
        "(cn=a) === (sn=a)",
        "(cn=a) === (name=a)",
        "(cn=a) === (cn;lang-de=a)",
        "(cn=a) === (cn~=a)",
        "(cn>=a) === (cn<=a)",
        "(cn>=a) === (cn>=A)",
        "(cn~=a) === (cn~=A)",
        "(cn=a) === (!(cn=a))",
        "(cn=a) === (!(!(cn=a)))",
        "(cn=a) === (cn=a*)",
        "(cn=a*) === (cn=*a*)",
        "(cn=a*b) === (cn=a*b*)",
        "(cn=a b*) === (cn=a  b*)",
        "(cn=*) === (cn=\\2a)",
        "(cn=\\20) === (cn=\\20\\20)",
        "(cn=\\09a) === (cn=\\20a)",
        "(cn=\\c3\\84) === (cn=\\c3\\a4)",
        "(cn=\\00) === (cn=\\00\\00)",
        "(homeDirectory=/a) === (homeDirectory=/A)",
        "(secretName=a) === (secretName=A)",
        "(description=a*) === (description=A*)",
        "(telephoneNumber=1 2) === (telephoneNumber=12)",
        "(uidNumber=7) === (uidNumber=07)",
        "(c=de) === (c=\\20de)",
        "(objectClass=person) === (objectClass=\\20person)",
        "(objectClass=nothing) === (objectClass=NOTHING)",
        "(unknown=a) === (UNKNOWN=a)",
        "(oneOfTwo=a) === (ONEOFTWO=a)",
        "(otherOfTwo=a) === (1.1.1.5=a)",
        "(claimedTwice=a) === (CLAIMEDTWICE=a)",
        "(cn;binary;binary=a) === (cn;binary=a)",
        "(cn;lang-=a) === (cn;LANG-=a)",
        "(cn;=a) === (CN;=a)",
        "(member=cn=a,dc=b) === (member=cn=a,dc=c)",
        "(member=x) === (member=X)",
        "(&) === (|)",
        "(&(cn=a)(&)) === (cn=a)",
        "(&(cn=a)(sn=b)) === (|(cn=a)(sn=b))",
        "(&(cn=a)(sn=b)) === (&(cn=a)(!(sn=b)))",
        "(&(cn=a)(|(sn=b)(uid=c))) === (|(uid=c)(&(cn=a)(sn=b)))",
        "(cn:caseExactMatch:=a) === (cn:caseExactMatch:=A)",
        "(cn:caseExactMatch:=a) === (cn:dn:caseExactMatch:=a)",
        "(cn:=a) === (cn=a)",
        "(:caseExactMatch:=a) === (cn:caseExactMatch:=a)",
      })
  void searchesThatMayDifferHaveTwoKeys(String one, String other) {
    assertThat(key(OPENLDAP, one)).isNotEqualTo(key(OPENLDAP, other));
    assertThat(key(EXACT, one)).isNotEqualTo(key(EXACT, other));
    assertThat(key(OTHER, one)).isNotEqualTo(key(OTHER, other));
  }

  @ParameterizedTest
  @CsvSource({"(cn=Ab),(CN=aB)", "(cn=Ab*),(CN=aB*)", "(homeDirectory=/a),(HOMEDIRECTORY=/a)"})
  void letterCaseIsFoldedForEveryDirectory(String one, String other) {
    assertThat(key(OTHER, one)).isEqualTo(key(OTHER, other));
  }

  @ParameterizedTest
  @CsvSource({
    "(cn=a),(commonName=a)",
    "(cn=a),(2.5.4.3=a)",
    "(cn=a  b),(cn=a b)",
    "(&(cn=a)(sn=b)),(&(sn=b)(cn=a))",
    "(&(cn=a)),(cn=a)",
    "(objectClass=person),(objectClass=2.5.6.6)",
    "(homeDirectory=/a),(homeDirectory=/A)",
  })
  void onlyLetterCaseIsFoldedForOtherDirectories(String one, String other) {
    assertThat(key(OTHER, one)).isNotEqualTo(key(OTHER, other));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "DC=Example,dc=com",
        "dc=example, dc=com",
        " domainComponent = example , 0.9.2342.19200300.100.1.25=COM ",
        "dc=e\\78ample,dc=com",
        "dc=\\20example\\20,dc=com",
      })
  void spellingsOfTheBaseShareAKey(String base) {
    assertThat(key(OPENLDAP, search(base))).isEqualTo(key(OPENLDAP, search(BASE)));
    assertThat(key(OTHER, search(base))).isNotEqualTo(key(OTHER, search(BASE)));
    assertThat(key(EXACT, search(base))).isNotEqualTo(key(EXACT, search(BASE)));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        " ",
        "dc=example",
        "dc=com,dc=example",
        "dc=example;dc=com",
        "dc=\"example\",dc=com",
        "dc=#04076578616d706c65,dc=com",
        "OID.0.9.2342.19200300.100.1.25=example,dc=com",
        "dc=example,dc=com,",
        "cn=example,dc=com",
        "dc=example+dc=example,dc=com",
      })
  void differentBasesHaveDifferentKeys(String base) {
    assertThat(key(OPENLDAP, search(base))).isNotEqualTo(key(OPENLDAP, search(BASE)));
  }

  @Test
  void theKeyHoldsEverythingThatControlsTheResult() {
    FilterNode filter = Filters.parse("(cn=a)");
    List<byte[]> all = List.of();
    byte[] base = BASE.getBytes(UTF_8);
    for (QueryNormalizer normalizer : List.of(OPENLDAP, OTHER, EXACT)) {
      assertThat(
              List.of(
                  key(normalizer, new SearchOp(base, 2, 0, 0, 0, false, filter, all)),
                  key(normalizer, new SearchOp(base, 1, 0, 0, 0, false, filter, all)),
                  key(normalizer, new SearchOp(base, 2, 3, 0, 0, false, filter, all)),
                  key(normalizer, new SearchOp(base, 2, 0, 0, 0, true, filter, all)),
                  normalizer.searchKey(
                      new SearchOp(base, 2, 0, 0, 0, false, filter, all), Octets.ofUtf8("x"))))
          .doesNotHaveDuplicates();
    }
  }

  @Test
  void theKeyOmitsTheLimits() {
    FilterNode filter = Filters.parse("(cn=a)");
    byte[] base = BASE.getBytes(UTF_8);
    SearchOp plain = new SearchOp(base, 2, 0, 0, 0, false, filter, List.of());
    SearchOp limited = new SearchOp(base, 2, 0, 5, 10, false, filter, List.of());
    assertThat(key(EXACT, plain)).isEqualTo(key(EXACT, limited));
  }

  /** An overlay or another server may decide by the list which entries match. */
  @Test
  void theKeyHoldsTheAttributesUnlessTheDirectoryIsLocal() {
    assertThat(key(OPENLDAP, listing("cn"))).isEqualTo(key(OPENLDAP, listing("sn")));
    for (ServerProfile profile :
        List.of(ServerProfile.EXACT, Profiles.UNPROVED, Profiles.DS389, Profiles.OTHER)) {
      QueryNormalizer normalizer = new QueryNormalizer(profile);
      assertThat(key(normalizer, listing("cn"))).isNotEqualTo(key(normalizer, listing("sn")));
    }
    QueryNormalizer unverified = new QueryNormalizer(Profiles.UNPROVED);
    assertThat(key(unverified, listing("cn", "sn")))
        .isEqualTo(key(unverified, listing("SN", "cn")));
    assertThat(key(unverified, listing("cn"))).isNotEqualTo(key(OPENLDAP, listing("cn")));
  }

  private static SearchOp listing(String... attributes) {
    List<byte[]> list = Stream.of(attributes).map(name -> name.getBytes(UTF_8)).toList();
    FilterNode filter = Filters.parse("(cn=a)");
    return new SearchOp(BASE.getBytes(UTF_8), 2, 0, 0, 0, false, filter, list);
  }

  @Test
  void anEntryKeyOmitsValuesAttributesAndLimits() {
    FilterNode filter = Filters.parse("(cn=a)");
    byte[] base = BASE.getBytes(UTF_8);
    SearchOp plain = new SearchOp(base, 2, 0, 0, 0, false, filter, List.of());
    List<byte[]> list = List.of("cn".getBytes(UTF_8));
    FilterNode value = Filters.parse("(!(commonName=b))");
    assertThat(entryKey(new SearchOp(base, 2, 0, 5, 10, false, value, list)))
        .isEqualTo(entryKey(plain));
    byte[] below = "ou=x,dc=example,dc=com".getBytes(UTF_8);
    assertThat(
            List.of(
                entryKey(plain),
                entryKey(new SearchOp(below, 2, 0, 0, 0, false, filter, List.of())),
                entryKey(new SearchOp(base, 1, 0, 0, 0, false, filter, List.of())),
                entryKey(new SearchOp(base, 2, 3, 0, 0, false, filter, List.of())),
                entryKey(new SearchOp(base, 2, 0, 0, 0, true, filter, List.of())),
                entryKey(search(Filters.parse("(&(cn=a)(member=*))"))),
                OPENLDAP.entryKey(plain, null, Octets.ofUtf8("x"), named(filter)),
                key(OPENLDAP, plain)))
        .doesNotHaveDuplicates();
  }

  private static Octets entryKey(SearchOp op) {
    return OPENLDAP.entryKey(op, null, NO_CONTROLS, named(op.filter()));
  }

  private static Set<Octets> named(FilterNode filter) {
    return FilterAttributes.of(filter, Profiles.OPENLDAP).named();
  }

  @Test
  void anUnreadableFilterIsKeptVerbatim() {
    FilterNode one = new FilterNode.Unknown(new byte[] {(byte) 0xaa, 1, 2});
    FilterNode other = new FilterNode.Unknown(new byte[] {(byte) 0xaa, 1, 3});
    assertThat(key(OPENLDAP, search(one))).isNotEqualTo(key(OPENLDAP, search(other)));
  }

  @Test
  void comparesFoldLikeEqualities() {
    assertThat(compare("cn=A, dc=b", "commonName", " X  Y "))
        .isEqualTo(compare("cn=a,dc=b", "cn", "x y"));
    assertThat(compare("cn=a,dc=b", "homeDirectory", "/X"))
        .isNotEqualTo(compare("cn=a,dc=b", "homeDirectory", "/x"));
    assertThat(compare("cn=a,dc=b", "cn", "x")).isNotEqualTo(key(OPENLDAP, "(cn=x)"));
  }

  private static Octets compare(String dn, String attribute, String value) {
    CompareOp op =
        new CompareOp(dn.getBytes(UTF_8), attribute.getBytes(UTF_8), value.getBytes(UTF_8));
    return OPENLDAP.compareKey(op, NO_CONTROLS);
  }

  private static Octets key(QueryNormalizer normalizer, String filter) {
    return key(normalizer, search(Filters.parse(filter)));
  }

  private static Octets key(QueryNormalizer normalizer, SearchOp op) {
    return normalizer.searchKey(op, NO_CONTROLS);
  }

  private static SearchOp search(FilterNode filter) {
    return new SearchOp(BASE.getBytes(UTF_8), 2, 0, 0, 0, false, filter, List.of());
  }

  private static SearchOp search(String base) {
    FilterNode filter = Filters.parse("(objectClass=*)");
    return new SearchOp(base.getBytes(UTF_8), 0, 0, 0, 0, false, filter, List.of());
  }
}
