// SPDX-License-Identifier: Apache-2.0
package io.stoa.ldap.filter;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.stoa.ldap.protocol.FilterNode;
import io.stoa.ldap.protocol.Octets;
import io.stoa.ldap.protocol.RequestOp.CompareOp;
import io.stoa.ldap.schema.Filters;
import io.stoa.ldap.schema.Profiles;
import io.stoa.ldap.schema.ServerProfile;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class FilterAttributesTest {
  @ParameterizedTest
  @ValueSource(
      strings = {
        "(userPassword=x)",
        "(&(cn=a)(|(sn=b)(!(USERPASSWORD=x))))",
        "(2.5.4.35=*)",
        "(userPassword;lang-de>=x)",
        "(userPassword<=x)",
        "(userPassword~=x)",
        "(userPassword=x*)",
        "(userPassword:octetStringMatch:=x)",
        "(:octetStringMatch:=x)",
        "(:dn:octetStringMatch:=x)",
      })
  void aFilterTouchesItsSecrets(String filter) {
    for (ServerProfile profile : List.of(Profiles.OPENLDAP, ServerProfile.EXACT)) {
      assertThat(of(filter, profile).touches(secrets(profile))).isTrue();
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"(cn=userPassword)", "(&)", "(objectClass=*)", "(cn:caseExactMatch:=a)"})
  void aFilterWithoutSecretsTouchesNone(String filter) {
    for (ServerProfile profile : List.of(Profiles.OPENLDAP, ServerProfile.EXACT)) {
      assertThat(of(filter, profile).touches(secrets(profile))).isFalse();
    }
  }

  @Test
  void anUnreadableFilterMayTouchAnySecret() {
    FilterAttributes attributes =
        FilterAttributes.of(new FilterNode.Unknown(new byte[] {1, 0}), Profiles.OPENLDAP);
    assertThat(attributes.touches(secrets(Profiles.OPENLDAP))).isTrue();
    assertThat(attributes.touches(Set.of())).isFalse();
  }

  @Test
  void aSupertypeOfASecretTouchesIt() {
    Set<Octets> secrets = Set.of(Profiles.OPENLDAP.attributeKey("secretName".getBytes(UTF_8)));
    assertThat(of("(name=x)", Profiles.OPENLDAP).touches(secrets)).isTrue();
    assertThat(of("(cn=x)", Profiles.OPENLDAP).touches(secrets)).isFalse();
  }

  @Test
  void attributeKeysFollowTheProfile() {
    Octets cn = Profiles.OPENLDAP.attributeKey("cn".getBytes(UTF_8));
    assertThat(of("(|(COMMONNAME=a)(2.5.4.3=b))", Profiles.OPENLDAP).keys())
        .containsExactlyInAnyOrder(cn, Profiles.OPENLDAP.attributeKey("name".getBytes(UTF_8)));
  }

  @Test
  void volatileAttributesAreSeen() {
    assertThat(of("(&(cn=a)(contextCSN=*))", Profiles.OPENLDAP).namesVolatile()).isTrue();
    assertThat(of("(pwdFailureTime>=x)", ServerProfile.EXACT).namesVolatile()).isTrue();
    assertThat(of("(cn=contextCSN)", ServerProfile.EXACT).namesVolatile()).isFalse();
  }

  @Test
  void aCompareLooksAtOneAttribute() {
    CompareOp compare = new CompareOp(new byte[0], "UserPassword".getBytes(UTF_8), new byte[0]);
    FilterAttributes attributes = FilterAttributes.of(compare, Profiles.OPENLDAP);
    assertThat(attributes.touches(secrets(Profiles.OPENLDAP))).isTrue();
    assertThat(attributes.any()).isFalse();
  }

  private static FilterAttributes of(String filter, ServerProfile profile) {
    return FilterAttributes.of(Filters.parse(filter), profile);
  }

  private static Set<Octets> secrets(ServerProfile profile) {
    return Set.of(profile.attributeKey("userPassword".getBytes(UTF_8)));
  }
}
