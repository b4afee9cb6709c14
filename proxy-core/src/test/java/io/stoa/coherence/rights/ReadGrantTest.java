// SPDX-License-Identifier: Apache-2.0
package io.stoa.coherence.rights;

import static io.stoa.testing.SmallDirectory.octets;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.stoa.ldap.schema.NormalDn;
import io.stoa.testing.SmallDirectory;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Which rules of access and limits prove that an account sees everything, and which do not. */
class ReadGrantTest {
  private static final List<String> UNLIMITED =
      List.of("{0}dn.base=\"cn=feed,dc=x\" size=unlimited  time=unlimited");

  private static final String ALL =
      "to *  by dn.base=\"cn=feed,dc=x\" read  by users read  by * none";

  private static final ReadGrant GRANT =
      new ReadGrant(
          octets("CN=Feed, dc=X"),
          dn -> NormalDn.of(dn, SmallDirectory.PROFILE),
          type -> new String(type, UTF_8).equalsIgnoreCase("userPassword"));

  private static List<String> numbered(String... values) {
    List<String> numbered = new ArrayList<>();
    for (int i = 0; i < values.length; i++) {
      numbered.add("{" + i + "}" + values[i]);
    }
    return numbered;
  }

  private static boolean grants(String... rules) {
    return GRANT.gap(List.of(), UNLIMITED, numbered(rules)) == null;
  }

  private static boolean limits(String... limits) {
    return GRANT.gap(List.of(), numbered(limits), numbered(ALL)) == null;
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        ALL,
        "to * by * read",
        "to * by users read",
        "to *  by anonymous none  by users manage stop",
        "to *  by self write  by * read",
        "to *  by dn.base=\"cn=other,dc=x\" none  by * read",
        "to *  by dn.subtree=\"ou=y,dc=x\" none  by dn.subtree=\"dc=x\" write",
        "to *  by group/groupOfNames/member.exact=\"cn=g,dc=x\" write  by users read",
      })
  void aSingleRuleThatGrantsRead(String rule) {
    assertThat(grants(rule)).isTrue();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "to *",
        "to * by * none",
        "to * by * search",
        "to * by dn.base=\"cn=feed,dc=x\" none by * read",
        "to * by dn.base=\"cn=feed,dc=x\" read break",
        "to * by dn.base=\"cn=feed,dc=x\" read continue by * read",
        "to * by dn.base=\"cn=other,dc=x\" read",
        "to * by dn.base=\"cn=other,dc=x\" break by * read break",
        "to * by self none by * read",
        "to * by group/groupOfNames/member.exact=\"cn=g,dc=x\" none by * read",
        "to * by dn.subtree=\"dc=x\" none by * read",
        "to * by dn.children=\"dc=x\" none by * read",
        "to * by dn.regex=\"cn=.*\" write by * read",
        "to * by dn.exact,expand=\"$1\" write by * read",
        "to * by set=\"user/manager\" write by * read",
        "to * by dnattr=manager write by * read",
        "to * by ssf=128 read by * none",
        "to * by dn.base=\"cn=feed,dc=x\" ssf=128 read by * read",
        "to * by peername.ip=\"127.0.0.1\" read by * read",
        "to * by realdn.base=\"cn=feed,dc=x\" read by * read",
        "to * by dynacl/aci write by * read",
        "to * by * +r",
        "to * by * =rscx",
        "to * by users +0",
        "to * by * selfread",
        "to dn.subtree=\"dc=x\" by * read",
        "to dn.regex=\".*\" by * read",
        "to * filter=\"(cn=a)\" by * read",
        "to filter=\"(cn=a)\" by * read",
        "to attrs=cn by * read",
        "by * read",
        "to * by * \"read",
        "to * by dn.base=\"cn=feed\\2Cdc=x\" none by * read",
      })
  void aSingleRuleThatProvesNothing(String rule) {
    assertThat(grants(rule)).isFalse();
  }

  @Test
  void theFirstRuleThatFitsDecides() {
    String secrets = "to attrs=userPassword  by anonymous auth  by self write  by * none";
    assertThat(grants(secrets, ALL)).isTrue();
    assertThat(grants("to attrs=userPassword,shadowLastChange by * none", ALL)).isFalse();
    assertThat(grants("to attrs=userPassword,shadowLastChange by users read", ALL)).isTrue();
    assertThat(grants("to attrs=entry by self write by * none", ALL)).isFalse();
    assertThat(grants("to attrs=@person by users read", ALL)).isFalse();
    assertThat(grants("to attrs=userPassword val.regex=\"x\" by * none", ALL)).isFalse();
    assertThat(grants("to dn.one=\"ou=a b,dc=x\" attrs=mail by self read by * none", ALL))
        .isFalse();
    assertThat(grants("to dn.one=\"ou=a by b,dc=x\" attrs=mail by * read", ALL)).isTrue();
    assertThat(grants("to dn.base=\"\" by * read", ALL)).isTrue();
    assertThat(grants("to dn.regex=\".*\" by * read", ALL)).isFalse();
    assertThat(grants(ALL, "to dn.regex=\".*\" by * none")).isTrue();
  }

  /** Values may be hidden from the account by themselves. */
  @Test
  void aHiddenRuleMayHideAnything() {
    assertThat(GRANT.gap(List.of(), UNLIMITED, List.of("{1}" + ALL))).contains("{0}");
    assertThat(GRANT.gap(List.of(), UNLIMITED, List.of(ALL))).contains("{0}");
    assertThat(GRANT.gap(List.of(), UNLIMITED, List.of())).contains("no access rule");
    List<String> turned = new ArrayList<>(numbered("to attrs=cn by users read", ALL));
    assertThat(GRANT.gap(List.of(), UNLIMITED, Arrays.asList(turned.get(1), turned.get(0))))
        .isNull();
  }

  @Test
  void limitsHoldUnlessTheAccountHasNone() {
    String own = "dn.base=\"cn=feed,dc=x\" size=unlimited time=unlimited";
    assertThat(limits()).isFalse();
    assertThat(limits(own)).isTrue();
    assertThat(limits("users size=10", own)).isFalse();
    assertThat(limits("anonymous size=10", "dn.base=\"cn=b,dc=x\" size=1", own)).isTrue();
    assertThat(limits("* size=unlimited time=unlimited")).isTrue();
    assertThat(limits("dn.base=\"cn=feed,dc=x\" size=unlimited")).isFalse();
    assertThat(limits("dn.base=\"cn=feed,dc=x\" size=unlimited time=unlimited size.pr=5"))
        .isFalse();
    assertThat(limits("dn.regex=\"cn=.*\" size=unlimited time=unlimited", own)).isFalse();
    assertThat(limits("group/groupOfNames/member=\"cn=g,dc=x\" size=5", own)).isFalse();
  }

  @Test
  void theRootDnSeesEverything() {
    assertThat(GRANT.gap(List.of("cn=feed,dc=x"), List.of(), List.of())).isNull();
    assertThat(GRANT.gap(List.of("cn=admin,dc=x"), List.of(), List.of())).isNotNull();
  }

  @Test
  void anAccountWithoutANameProvesNothing() {
    ReadGrant nobody = new ReadGrant(octets(""), GRANT.names(), GRANT.secret());
    assertThat(nobody.gap(List.of(""), UNLIMITED, numbered("to * by users read"))).isNotNull();
  }
}
