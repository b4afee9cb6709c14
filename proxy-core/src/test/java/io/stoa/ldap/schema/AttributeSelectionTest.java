// SPDX-License-Identifier: Apache-2.0
package io.stoa.ldap.schema;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Lists are written with blanks between their items. */
class AttributeSelectionTest {
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "*                  | ''",
        "''                 | *",
        "''                 | cn sn",
        "*                  | CN 2.5.4.4 cn",
        "*                  | name",
        "*                  | cn;lang-de",
        "* createTimestamp  | *",
        "* createTimestamp  | createTimestamp sn",
        "* unknown          | sn",
        "cn sn              | sn cn",
        "cn sn              | SURNAME",
        "cn sn              | 1.1",
        "@person cn         | cn",
        "unknown cn         | cn 1.1",
        "name               | cn sn",
        "cn                 | cn;lang-de;x-a",
        "cn;x-a             | cn;lang-de;X-A",
        "+                  | entryUUID createTimestamp",
        "* +                | cn entryUUID",
        "* +                | + *",
        "* + unknown        | cn",
        "+                  | + 1.1",
        "+ createTimestamp  | +",
        "1.1                | 1.1 1.1",
        "cn                 | 1.1",
      })
  void aListCoversAnotherWhereSlapdAnswersAlike(String wide, String narrow) {
    assertThat(openLdap(wide).covers(openLdap(narrow))).isTrue();
    assertThat(of(wide, Profiles.DS389).covers(of(narrow, Profiles.DS389))).isFalse();
    assertThat(of(wide, Profiles.OTHER).covers(of(narrow, Profiles.OTHER))).isFalse();
    assertThat(of(wide, ServerProfile.EXACT).covers(of(narrow, ServerProfile.EXACT))).isFalse();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "cn                 | sn",
        "cn sn              | cn sn uid",
        "cn                 | *",
        "cn                 | ''",
        "1.1                | cn",
        "cn                 | name",
        "cn;lang-de         | cn",
        "cn;lang-de         | cn;lang-en",
        "*                  | createTimestamp",
        "*                  | +",
        "+                  | cn",
        "+                  | *",
        "*                  | * +",
        "* +                | +",
        "* +                | *",
        "+ cn               | +",
        "*                  | unknown",
        "* unknown          | unknown",
        "* unknown          | *",
        "*                  | person",
        "*                  | @person",
        "*                  | !person",
        "*                  | cn;lang-",
        "*                  | claimedTwice",
        "* +                | contextCSN",
        "* contextCSN       | contextCSN",
        "+ contextCSN       | +",
      })
  void aListDoesNotCoverAnotherWhereAnswersMayDiffer(String wide, String narrow) {
    assertThat(openLdap(wide).covers(openLdap(narrow))).isFalse();
  }

  /** A slapd that asks another server returns some attributes only to a list that names them. */
  @Test
  void anUnprovedDirectoryCoversOnlyEqualLists() {
    ServerProfile profile = Profiles.UNPROVED;
    assertThat(profile.schema().isLocal()).isFalse();
    assertThat(of("*", profile).covers(of("cn", profile))).isFalse();
    assertThat(of("cn sn", profile).covers(of("cn", profile))).isFalse();
    assertThat(of("*", profile).covers(of("*", profile))).isTrue();
    assertThat(Profiles.OPENLDAP.and(profile).schema().isLocal()).isFalse();
  }

  /** slapd shows attributes in the order of the entry, spelled as in the schema. */
  @ParameterizedTest
  @CsvSource({"cn sn,SN commonName cn", "cn;lang-de;x-a,CN;x-a;lang-de", "* +,+ *"})
  void orderAndSpellingDoNotDistinguishLists(String one, String other) {
    for (ServerProfile profile : List.of(Profiles.UNPROVED, Profiles.OPENLDAP)) {
      assertThat(of(one, profile)).isEqualTo(of(other, profile));
      assertThat(of(one, profile)).hasSameHashCodeAs(of(other, profile));
    }
    for (ServerProfile profile : List.of(Profiles.DS389, Profiles.OTHER, ServerProfile.EXACT)) {
      assertThat(of(one, profile)).isNotEqualTo(of(other, profile));
    }
  }

  @ParameterizedTest
  @CsvSource({
    "cn,sn",
    "cn,cn sn",
    "*,+",
    "*,",
    "cn,cn;lang-de",
    "1.1,",
    "nobody,NOBODY",
    "cnsn,cn sn"
  })
  void differentListsAreUnequal(String one, String other) {
    for (ServerProfile profile : List.of(Profiles.UNPROVED, Profiles.OPENLDAP, Profiles.DS389)) {
      assertThat(of(one, profile)).isNotEqualTo(of(other == null ? "" : other, profile));
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "*", "+", "1.1", "cn", "cn sn", "@person", "unknown", "!person +"})
  void everyListCoversItself(String list) {
    for (ServerProfile profile : List.of(Profiles.OPENLDAP, Profiles.DS389, ServerProfile.EXACT)) {
      assertThat(of(list, profile).covers(of(list, profile))).isTrue();
      assertThat(of(list, profile))
          .isEqualTo(of(list, profile))
          .hasSameHashCodeAs(of(list, profile));
    }
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "cn      | cn              | true",
        "CN      | cn              | true",
        "2.5.4.3 | cn              | true",
        "cn      | cn;lang-de      | true",
        "cn      | sn              | false",
        "cn      | unheardOf       | false",
        "name    | cn;lang-de      | true",
        "cn;b    | cn;a;b          | true",
        "cn;b    | cn;a            | false",
        "cn;b    | cn              | false",
        "userCertificate | userCertificate;binary | true",
        "userCertificate;binary | userCertificate | false",
        "*       | cn              | true",
        "''      | cn              | true",
        "''      | entryUUID       | false",
        "*       | unheardOf       | true",
        "* entryUUID | entryUUID   | true",
        "1.1     | cn              | false",
        "* +     | entryUUID       | true",
        "@person | cn              | true",
      })
  void selects(String list, String returned, boolean selected) {
    assertThat(openLdap(list).selects(returned.getBytes(UTF_8))).isEqualTo(selected);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "contextCSN",
        "cn CONTEXTCSN",
        "1.3.6.1.4.1.4203.666.1.25",
        "pwdFailureTime",
        "1.3.6.1.4.1.42.2.27.8.1.19",
        "nsRole",
        "Netlogon",
        "msDS-PrincipalName",
        "pwdWhatever",
        "lastLogon;range=0-1"
      })
  void namesVolatile(String list) {
    assertThat(openLdap(list).namesVolatile()).isTrue();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "*",
        "+",
        "cn",
        "entryUUID",
        "createTimestamp",
        "@person",
        "pwdAttribute",
        "pwdLastSet"
      })
  void namesNothingVolatile(String list) {
    assertThat(openLdap(list).namesVolatile()).isFalse();
  }

  private static AttributeSelection openLdap(String list) {
    return of(list, Profiles.OPENLDAP);
  }

  private static AttributeSelection of(String list, ServerProfile profile) {
    List<byte[]> items =
        Stream.of(list.split(" ")).filter(s -> !s.isEmpty()).map(s -> s.getBytes(UTF_8)).toList();
    return AttributeSelection.of(items, profile);
  }
}
