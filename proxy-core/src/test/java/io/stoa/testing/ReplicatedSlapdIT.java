// SPDX-License-Identifier: Apache-2.0
package io.stoa.testing;

import static org.assertj.core.api.Assertions.assertThat;

import com.unboundid.ldap.sdk.LDAPConnection;
import com.unboundid.ldap.sdk.LDAPException;
import com.unboundid.ldap.sdk.Modification;
import com.unboundid.ldap.sdk.ModificationType;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** The fixture does what tests of replication take for granted. */
class ReplicatedSlapdIT {
  private static final String SUFFIX = "dc=example,dc=com";

  private static Ldif ldif() {
    return new Ldif()
        .entry(SUFFIX, "objectClass: domain", "dc: example")
        .entry("cn=a," + SUFFIX, "objectClass: device", "cn: a", "description: old");
  }

  private static String description(Slapd server) throws LDAPException {
    try (LDAPConnection connection = new LDAPConnection("127.0.0.1", server.port())) {
      return connection.getEntry("cn=a," + SUFFIX).getAttributeValue("description");
    }
  }

  private static void write(Slapd server, String description) throws LDAPException {
    try (LDAPConnection connection =
        new LDAPConnection("127.0.0.1", server.port(), "cn=admin," + SUFFIX, "secret")) {
      connection.modify(
          "cn=a," + SUFFIX, new Modification(ModificationType.REPLACE, "description", description));
    }
  }

  @Test
  void replicasFollowAndLag() throws LDAPException {
    try (ReplicatedSlapd servers =
        ReplicatedSlapd.start(SlapdConfig.stock(), SUFFIX, "", ldif(), 2)) {
      assertThat(description(servers.replica(1))).isEqualTo("old");
      servers.relay(0).delay(Duration.ofHours(1));
      write(servers.primary(), "new");
      Await.until("one follows", () -> description(servers.replica(1)).equals("new"));
      assertThat(description(servers.replica(0))).isEqualTo("old");
      servers.lag(Duration.ZERO);
      servers.awaitEqual();
      assertThat(description(servers.replica(0))).isEqualTo("new");
      servers.primary().kill();
      servers.primary().restart();
      write(servers.primary(), "newer");
      servers.awaitEqual();
    }
  }
}
