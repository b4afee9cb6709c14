// SPDX-License-Identifier: Apache-2.0
package io.stoa.coherence.rights;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What access rules of slapd depend on; as cn=config shows them. */
class AccessRuleTest {
  @ParameterizedTest
  @ValueSource(
      strings = {
        "{0}to *  by * read",
        "{0}to attrs=userPassword  by anonymous auth  by self write  by * none",
        "to dn.subtree=\"ou=a b,dc=x\" attrs=cn,sn val.exact=\"x\" by dn.base=\"cn=f,dc=x\" =rscd"
            + " continue by users selfwrite by realself.level{1} manage by * +x break",
        "{12}to dn.regex=\"^uid=([^,]+),dc=x$\"  by dn.expand=\"uid=$1,dc=x\" write stop"
      })
  void acceptsRulesWithSupportedSubjects(String rule) {
    AccessRule read = AccessRule.parse(rule);
    assertThat(read.reason()).isNull();
    assertThat(read.groups()).isEmpty();
    assertThat(read.patterns()).isEmpty();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "to * by peername.ip=127.0.0.1 read|peername.ip",
        "to * by users ssf=128 read|ssf",
        "to * by * tls_ssf=1 read|tls_ssf",
        "to * by sockurl=ldapi:/// read|sockurl",
        "to * by dnattr=manager write|dnattr",
        "to * by set=\"this/owner & user\" write|set",
        "to filter=(l=Rome) by * read|filter",
        "to * by aci write|aci",
        "to * by dynacl/aci write|dynacl/aci",
        "to * by group/groupOfURLs/memberURL=\"cn=g,dc=x\" read|group/groupofurls/memberurl",
        "to * by group/labeledURIObject/labeledURI=\"cn=g,dc=x\" read|group/labeleduriobject/labeleduri",
        "to * by group/organizationalRole/roleOccupant=\"cn=g,dc=x\" read|group/organizationalrole/roleoccupant",
        "to * by group/groupOfNames/memberOf=\"cn=g,dc=x\" read|group/groupofnames/memberof",
        "to * by something new|something"
      })
  void namesTheUnsupportedSubject(String rule, String reason) {
    assertThat(AccessRule.parse(rule).reason()).isEqualTo(reason);
  }

  @Test
  void namesGroups() {
    AccessRule rule =
        AccessRule.parse(
            "{0}to *  by group/groupOfNames/member.exact=\"cn=a b,dc=x\" read"
                + "  by group=\"cn=c,dc=x\" read  by group.expand=\"cn=$1,dc=x\" write  by * none");
    assertThat(rule.groups()).containsExactly("cn=a b,dc=x", "cn=c,dc=x");
    assertThat(rule.patterns()).containsExactly("cn=$1,dc=x");
    assertThat(rule.reason()).isNull();
  }

  /** Whatever its parts are, they take no stack. */
  @Test
  void longRulesAreParsedWithoutRecursion() {
    String name = "x".repeat(100_000);
    String parts = "cn=\"a b\"".repeat(20_000);
    AccessRule rule =
        AccessRule.parse(
            "{0}to dn.exact="
                + name
                + " by group=\"cn="
                + name
                + "\" read by dn.exact="
                + parts
                + " read by "
                + name
                + "\""
                + name);
    assertThat(rule.groups()).containsExactly("cn=" + name);
    assertThat(rule.reason()).isEqualTo(name);
    assertThat(AccessRule.limits("group=" + name + " size=1").groups()).containsExactly(name);
  }

  /** How many entries somebody is given is a right, too. */
  @Test
  void limitsNameGroups() {
    assertThat(AccessRule.limits("{0}group/groupOfNames/member=\"cn=a b,dc=x\" size=10").groups())
        .containsExactly("cn=a b,dc=x");
    for (String limits :
        List.of("* size=5", "{1}dn.exact=\"cn=f,dc=x\" size=unlimited", "users time=3", "")) {
      AccessRule read = AccessRule.limits(limits);
      assertThat(read.groups()).isEmpty();
      assertThat(read.reason()).isNull();
    }
    assertThat(AccessRule.limits("group/groupOfURLs/memberURL=\"cn=g,dc=x\" size=1").reason())
        .isNotNull();
  }
}
