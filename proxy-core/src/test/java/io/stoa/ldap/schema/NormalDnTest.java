// SPDX-License-Identifier: Apache-2.0
package io.stoa.ldap.schema;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.stoa.ldap.protocol.Octets;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class NormalDnTest {
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "cn=a,dc=b                 | CN=A,DC=B",
        "cn=a b,dc=b               | cn=a   b , dc = b",
        "cn=a\\,b,dc=b             | cn=a\\2Cb,dc=b",
        "cn=a+sn=b,dc=b            | surname=B + CN=A,dc=b",
        "cn=\\23a                  | cn=\\#a",
        "cn=a=b                    | cn=a\\=b",
        "cn=\\C3\\84               | cn=\u00c4",
        "homeDirectory=/a\\2fb     | homeDirectory=/a/b",
      })
  void spellingsOfOneNameShareAKey(String one, String other) {
    assertThat(openLdap(one)).isEqualTo(openLdap(other));
    assertThat(exact(one)).isNotEqualTo(exact(other));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "cn=a                      | sn=a",
        "cn=a                      | cn=a+cn=a",
        "cn=a,dc=b                 | cn=a+dc=b",
        "cn=a,dc=b                 | dc=b,cn=a",
        "cn=a                      | cn=\"a\"",
        "cn=a                      | cn=#040161",
        "cn=#040161                | cn=\\#040161",
        "cn=\\20                   | cn=\\20\\20",
        "cn=                       | cn=\\20",
        "c=de                      | c=\\20de",
        "homeDirectory=/a          | homeDirectory=/A",
        "homeDirectory=/a          | homeDirectory= /a",
        "uidNumber=7               | uidNumber=07",
        "unknown=a                 | UNKNOWN=a",
        "cn;lang-de=a              | cn;LANG-DE=a",
        "cn=\\c3\\84               | cn=\\c3\\a4",
        "cn=a<b                    | cn=a\\3cb",
        "cn=a/b                    | cn=a\\/b",
        "DOMAIN\\user              | domain\\user",
      })
  void namesThatSlapdMayDistinguishHaveTwoKeys(String one, String other) {
    assertThat(openLdap(one)).isNotEqualTo(openLdap(other));
  }

  /** slapd drops a line feed at the end, unless it is escaped. */
  @Test
  void controlCharactersAreNotFolded() {
    assertThat(openLdap("cn=a\n")).isNotEqualTo(openLdap("cn=a\\0a"));
  }

  @Test
  void aVerbatimNameNeverEqualsAFoldedOne() {
    byte[] folded = openLdap("cn=a").octets().array();
    assertThat(NormalDn.of(folded, Profiles.OPENLDAP).octets())
        .isNotEqualTo(openLdap("cn=a").octets());
    assertThat(NormalDn.of(folded, Profiles.OPENLDAP).isDn()).isFalse();
  }

  @Test
  void withoutASchemaTheKeyIsTheName() {
    assertThat(exact("cn=A, dc=b").octets()).isEqualTo(Octets.ofUtf8("cn=A, dc=b"));
  }

  @Test
  void aNameAboveSlapdsLimitIsNotFolded() {
    String spaces = "dc=a" + " ".repeat(9000) + ",dc=b";
    assertThat(openLdap(spaces)).isNotEqualTo(openLdap("dc=a,dc=b"));
    assertThat(openLdap(spaces).isBelowOrEqual(openLdap("dc=a,dc=b"))).isTrue();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "cn=x,dc=example,dc=com          | dc=example,dc=com",
        "dc=example,dc=com               | DC=EXAMPLE, DC=COM",
        "cn=x,DC=Example,dc=com          | domainComponent=example,0.9.2342.19200300.100.1.25=com",
        "cn=x,dc=\"example\";dc=com      | dc=example,dc=com",
        "OID.2.5.4.3=x,dc=com            | cn=x,dc=com",
        "cn=x,ou=a   b,dc=com            | ou=A B,dc=com",
        "cn=x,cn=#040161                 | cn=a",
        "cn=x,sn=b+cn=a                  | cn=a+sn=b",
        "cn=x,ou=\u00c4\u00d6,dc=com     | ou=a\u0308\u00f6,dc=com",
        "cn=x,ou=stra\u00dfe             | ou=STRASSE",
        "cn=x,ou=a\u00adb                | ou=ab",
        "cn=a\\\\b,dc=com                | cn=A\\5Cb,dc=com",
        "cn=Monitor                      | cn=monitor",
        "cn=x,unknown=a                  | UNKNOWN=A",
        "cn=x                            | ''",
        "DOMAIN\\user                    | ''",
        "DOMAIN\\user                    | DOMAIN\\user",
      })
  void aDnIsBelowItsAncestorInEveryProfile(String dn, String ancestor) {
    for (ServerProfile profile : profiles()) {
      assertThat(of(dn, profile).isBelowOrEqual(of(ancestor, profile))).isTrue();
    }
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "dc=example,dc=com               | cn=x,dc=example,dc=com",
        "dc=com                          | dc=example,dc=com",
        "''                              | dc=com",
        "cn=x,dc=example2,dc=com         | dc=example,dc=com",
        "cn=x\\,dc=example,dc=com        | dc=example,dc=com",
        "cn=monitor,dc=com               | cn=monitor",
        "cn=mon itor                     | cn=monitor",
        "cn=m\u00f6nitor                 | cn=monitor",
        "cn=a                            | sn=a",
        "DOMAIN\\user                    | cn=x",
        "cn=x                            | DOMAIN\\user",
        "DOMAIN\\user                    | DOMAIN\\other",
      })
  void notBelow(String dn, String ancestor) {
    for (ServerProfile profile : profiles()) {
      assertThat(of(dn, profile).isBelowOrEqual(of(ancestor, profile))).isFalse();
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        " ", "a", "<SID=S-1-5>", "DOM\\user", "user@example.com", "cn=a,", ",cn=a", "cn=a,,dc=b",
        "=a", "cn=\"a", "cn=\"a\"b", "cn=a\\", "cn=a+", "cn=a+b", "oid.=a", "c n=a"
      })
  void anInvalidDnIsKeptVerbatim(String text) {
    assertThat(openLdap(text).isDn()).isFalse();
    assertThat(openLdap(text).isRoot()).isFalse();
    assertThat(openLdap(text).octets()).isEqualTo(Octets.ofUtf8(text));
  }

  @Test
  void theRootIsTheEmptyName() {
    assertThat(openLdap("").isRoot()).isTrue();
    assertThat(exact("").isRoot()).isTrue();
    assertThat(exact("cn=a").isRoot()).isFalse();
  }

  @Test
  void showsNoValueAsText() {
    assertThat(exact("cn=secret")).asString().doesNotContain("secret");
    assertThat(exact("cn=a")).hasSameHashCodeAs(exact("cn=a"));
  }

  private static List<ServerProfile> profiles() {
    return List.of(Profiles.OPENLDAP, Profiles.DS389, ServerProfile.EXACT);
  }

  private static NormalDn openLdap(String dn) {
    return of(dn, Profiles.OPENLDAP);
  }

  private static NormalDn exact(String dn) {
    return of(dn, ServerProfile.EXACT);
  }

  private static NormalDn of(String dn, ServerProfile profile) {
    return NormalDn.of(dn.getBytes(UTF_8), profile);
  }
}
