// SPDX-License-Identifier: Apache-2.0
package io.stoa.operation;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.stoa.ldap.protocol.Octets;
import java.net.InetAddress;
import org.junit.jupiter.api.Test;

/** Whose entry an identity is, told by its name alone, however it has bound. */
class ClientIdentityDnTest {
  private static final String DN = "uid=anna,dc=example";
  private static final ClientIdentity SIMPLE = ClientIdentity.simple(DN.getBytes(UTF_8), null);

  private static String dn(ClientIdentity identity) {
    byte[] dn = ClientIdentity.dnOf(identity.name());
    return dn == null ? "unknown" : new String(dn, UTF_8);
  }

  private static ClientIdentity sasl(String authzId) {
    return ClientIdentity.sasl("SCRAM-SHA-256", authzId.getBytes(UTF_8));
  }

  @Test
  void dnIdentitiesAreNamedByTheirEntry() throws Exception {
    InetAddress four = InetAddress.getByName("192.0.2.1");
    InetAddress six = InetAddress.getByName("2001:db8::1");
    assertThat(dn(SIMPLE)).isEqualTo(DN);
    assertThat(dn(SIMPLE.from(four))).isEqualTo(DN);
    assertThat(dn(SIMPLE.from(six))).isEqualTo(DN);
    assertThat(dn(sasl("dn:" + DN))).isEqualTo(DN);
    assertThat(dn(sasl("dn:" + DN).from(six))).isEqualTo(DN);
    assertThat(dn(ClientIdentity.external(Octets.ofUtf8("dn:" + DN)))).isEqualTo(DN);
  }

  @Test
  void anonymousClientsHaveNoName() throws Exception {
    assertThat(dn(ClientIdentity.ANONYMOUS)).isEmpty();
    assertThat(dn(ClientIdentity.ANONYMOUS.from(InetAddress.getByName("192.0.2.1")))).isEmpty();
  }

  @Test
  void otherIdentitiesAreUnknown() {
    assertThat(dn(sasl("u:anna"))).isEqualTo("unknown");
    assertThat(dn(sasl(""))).isEqualTo("unknown");
    assertThat(dn(ClientIdentity.administrator("cn=admin,cn=configuration"))).isEqualTo("unknown");
  }
}
