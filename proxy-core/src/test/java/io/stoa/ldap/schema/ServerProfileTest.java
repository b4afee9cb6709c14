// SPDX-License-Identifier: Apache-2.0
package io.stoa.ldap.schema;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.stoa.ldap.protocol.EncodedResponse;
import io.stoa.ldap.protocol.Octets;
import io.stoa.ldap.protocol.SearchEntry;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ServerProfileTest {
  @Test
  void theVendorDeterminesTheKind() {
    assertThat(Profiles.OPENLDAP.kind()).isEqualTo(ServerKind.OPENLDAP);
    assertThat(Profiles.DS389.kind()).isEqualTo(ServerKind.DS389);
    assertThat(Profiles.OTHER.kind()).isEqualTo(ServerKind.OTHER);
    assertThat(ServerProfile.EXACT.kind()).isEqualTo(ServerKind.UNKNOWN);
    SearchEntry byVersion =
        Profiles.entry("", Profiles.attribute("vendorVersion", List.of("389-Directory/2.3.1")));
    assertThat(ServerProfile.of(byVersion, null).kind()).isEqualTo(ServerKind.DS389);
  }

  @Test
  void theRootDseIsRead() {
    assertThat(Profiles.OPENLDAP.namingContexts())
        .containsExactly(dn("DC=example, dc=com"), dn("o=Second Tree"));
    assertThat(Profiles.OPENLDAP.isSchemaKnown()).isTrue();
  }

  @Test
  void withoutASchemaNothingIsFolded() {
    SearchEntry rootDse =
        Profiles.entry("", Profiles.attribute("objectClass", List.of("top", "OpenLDAProotDSE")));
    for (ServerProfile profile :
        List.of(
            ServerProfile.of(rootDse, null),
            ServerProfile.of(rootDse, Profiles.entry("cn=Subschema")))) {
      assertThat(profile.kind()).isEqualTo(ServerKind.OPENLDAP);
      assertThat(profile.isSchemaKnown()).isFalse();
      assertThat(profile.namingContexts()).isEmpty();
      assertThat(NormalDn.of("cn=A".getBytes(UTF_8), profile))
          .isNotEqualTo(NormalDn.of("cn=a".getBytes(UTF_8), profile));
      assertThat(AttributeSelection.of(List.of(), profile).covers(cn(profile))).isFalse();
    }
  }

  private static AttributeSelection cn(ServerProfile profile) {
    return AttributeSelection.of(List.of("cn".getBytes(UTF_8)), profile);
  }

  @ParameterizedTest
  @CsvSource({
    "cn,CN",
    "cn,commonName",
    "cn,2.5.4.3",
    "cn,cn;lang-de",
    "userPassword,2.5.4.35",
    "no,NO;x"
  })
  void allNamesOfAnAttributeShareAKey(String one, String other) {
    for (ServerProfile profile : List.of(Profiles.OPENLDAP, Profiles.OTHER, ServerProfile.EXACT)) {
      assertThat(key(one, profile)).isEqualTo(key(other, profile));
    }
  }

  @Test
  void differentAttributesHaveDifferentKeys() {
    assertThat(key("cn", Profiles.OPENLDAP)).isNotEqualTo(key("sn", Profiles.OPENLDAP));
    assertThat(key("cn", ServerProfile.EXACT)).isNotEqualTo(key("cnx", ServerProfile.EXACT));
  }

  @Test
  void theEndAtTheSizeLimitIsKnownForSomeServers() {
    for (ServerProfile profile : List.of(Profiles.OPENLDAP, Profiles.DS389)) {
      byte[] expected = {0x65, 0x07, 0x0a, 0x01, 0x04, 0x04, 0x00, 0x04, 0x00};
      assertThat(profile.sizeLimitExceededOp()).isEqualTo(new EncodedResponse(expected));
    }
    assertThat(Profiles.OTHER.sizeLimitExceededOp()).isNull();
    assertThat(ServerProfile.EXACT.sizeLimitExceededOp()).isNull();
  }

  private static Octets key(String description, ServerProfile profile) {
    return profile.attributeKey(description.getBytes(UTF_8));
  }

  private static NormalDn dn(String text) {
    return NormalDn.of(text.getBytes(UTF_8), Profiles.OPENLDAP);
  }
}
