// SPDX-License-Identifier: Apache-2.0
package io.stoa.operation;

import static org.assertj.core.api.Assertions.assertThat;

import io.stoa.ldap.protocol.Octets;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

class ClientIdentityTest {
  @Test
  void nameOfASimpleBindIsTheAuthorizationIdentityIfItIsADn() {
    ClientIdentity identity = ClientIdentity.simple(octets("cn=Ann,dc=example"), null);
    assertThat(identity.name()).isEqualTo(Octets.ofUtf8("cn=Ann,dc=example"));
    assertThat(identity.authzId()).isEqualTo(Octets.ofUtf8("dn:cn=Ann,dc=example"));
    assertThat(ClientIdentity.simple(octets("DOM\\ann"), null).authzId()).isNull();
  }

  @Test
  void saslIdentitiesOfTwoMechanismsDiffer() {
    ClientIdentity scram = ClientIdentity.sasl("SCRAM-SHA-256", octets("dn:cn=Ann"));
    assertThat(scram.name())
        .isEqualTo(ClientIdentity.sasl("scram-sha-256", octets("dn:cn=Ann")).name())
        .isNotEqualTo(ClientIdentity.sasl("PLAIN", octets("dn:cn=Ann")).name())
        .isNotEqualTo(ClientIdentity.simple(octets("cn=Ann"), null).name());
    assertThat(scram.authzId()).isEqualTo(Octets.ofUtf8("dn:cn=Ann"));
    assertThat(scram.isAnonymous()).isFalse();
  }

  @Test
  void aSimpleBindCannotTakeASaslIdentity() {
    byte[] name = ClientIdentity.sasl("ANONYMOUS", new byte[0]).name().array();
    assertThat(ClientIdentity.mayBeBound(name)).isFalse();
    assertThat(ClientIdentity.mayBeBound(octets("cn=Ann"))).isTrue();
    assertThat(ClientIdentity.mayBeBound(new byte[0])).isTrue();
  }

  @Test
  void identitiesOfTwoPeerAddressesDiffer() throws UnknownHostException {
    ClientIdentity ann = ClientIdentity.sasl("PLAIN", octets("dn:cn=Ann"));
    ClientIdentity here = ann.from(InetAddress.getByName("10.0.0.1"));
    assertThat(here.name())
        .isEqualTo(ann.from(InetAddress.getByName("10.0.0.1")).name())
        .isNotEqualTo(ann.from(InetAddress.getByName("10.0.0.2")).name())
        .isNotEqualTo(ann.from(InetAddress.getByName("::a00:1")).name())
        .isNotEqualTo(ann.name());
    assertThat(here.authzId()).isEqualTo(ann.authzId());
    assertThat(ClientIdentity.mayBeBound(here.name().array())).isFalse();
    assertThat(ann.from(null)).isEqualTo(ann);
  }

  private static byte[] octets(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }
}
