// SPDX-License-Identifier: Apache-2.0
package io.stoa.testing;

import static io.stoa.testing.Requests.replace;
import static io.stoa.testing.Requests.search;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

/** The directories of the tests are what the tests take them for. */
class DirectoryServersIT {
  private static final String PERSON = "uid=alice,dc=example,dc=com";

  private static Ds389Config ds389() {
    Ldif ldif = Ldif.forDs389();
    ldif.entry(
        "dc=example,dc=com",
        "objectClass: domain",
        "dc: example",
        "aci: (targetattr=\"*\")(version 3.0; acl \"own\"; allow (all) userdn=\"ldap:///self\";)");
    ldif.entry(
        PERSON,
        "objectClass: inetOrgPerson",
        "uid: alice",
        "cn: Alice",
        "sn: Alice",
        "userPassword: pw-alice");
    return Ds389Config.stock().database("dc=example,dc=com", ldif);
  }

  @Test
  void ds389AnswersAndIsThereAgainAfterItWasKilled() {
    try (Ds389 server = Ds389.start(ds389())) {
      try (RawLdapClient client = RawLdapClient.connect(server.address())) {
        client.bind(Ds389Config.ROOT, Ds389Config.ROOT_PASSWORD);
        client.bind(PERSON, "pw-alice");
        assertThat(client.code(replace(PERSON, "description", "written"))).isZero();
      }
      server.kill();
      server.restart();
      assertThat(read(server, PERSON, "pw-alice", PERSON)).anyMatch(m -> m.mentions("written"));
      server.stop();
      server.restart();
      assertThat(read(server, PERSON, "pw-alice", PERSON)).anyMatch(m -> m.mentions("written"));
    }
  }

  @Test
  void twoDs389AreTheSame() {
    try (Ds389 one = Ds389.start(ds389());
        Ds389 two = Ds389.start(ds389())) {
      assertThat(bodies(read(one, PERSON, "pw-alice", "dc=example,dc=com")))
          .isEqualTo(bodies(read(two, PERSON, "pw-alice", "dc=example,dc=com")));
    }
  }

  @Test
  void twoSambasAreTheSame() {
    String name = SambaDirectory.person("alice");
    String team = "CN=group0," + SambaDirectory.GROUPS;
    try (SambaDirectory one = SambaDirectory.start();
        SambaDirectory two = SambaDirectory.start()) {
      assertThat(read(one, "alice@example.com", "pw-alice", name)).hasSize(2);
      assertThat(bodies(read(one, name, "pw-alice", team)))
          .isEqualTo(bodies(read(two, name, "pw-alice", team)));
    }
  }

  private static List<RawMessage> read(
      DirectoryServer server, String dn, String password, String base) {
    try (RawLdapClient client = RawLdapClient.connect(server.address())) {
      client.bind(dn, password);
      return client.call(search(base).attributes("*", "+").request());
    }
  }

  private static List<String> bodies(List<RawMessage> messages) {
    return messages.stream().map(RawMessage::toString).toList();
  }
}
