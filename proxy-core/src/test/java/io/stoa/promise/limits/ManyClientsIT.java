// SPDX-License-Identifier: Apache-2.0
package io.stoa.promise.limits;

import static io.stoa.testing.Requests.search;
import static org.assertj.core.api.Assertions.assertThat;

import com.unboundid.asn1.ASN1OctetString;
import com.unboundid.ldap.sdk.Control;
import com.unboundid.ldap.sdk.LDAPException;
import com.unboundid.ldap.sdk.controls.SimplePagedResultsControl;
import io.stoa.testing.ClientSwarm;
import io.stoa.testing.ExpectedLog;
import io.stoa.testing.Parallel;
import io.stoa.testing.People;
import io.stoa.testing.ProxySetup;
import io.stoa.testing.RawLdapClient;
import io.stoa.testing.RawMessage;
import io.stoa.testing.RunningProxy;
import io.stoa.testing.Slapd;
import io.stoa.testing.Soak;
import io.stoa.upstream.server.BackendStatus;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Crowds of clients before one slapd with its stock limits. */
@Tag("soak")
@Tag("alone")
class ManyClientsIT {
  private static final Duration PATIENCE = Duration.ofMinutes(10);
  private static final int THREADS = 64;
  private static final int ANONYMOUS = 2_000;
  private static final int IDENTITIES = 5_000;
  private static final double BINDS_PER_LOGIN = 1.02;

  @RegisterExtension final ExpectedLog log = new ExpectedLog();

  /** All connected at the same time, each with several searches in flight. */
  @Test
  void twoThousandAnonymousClientsWithoutCaches() {
    int rounds = Soak.scale(3, 100);
    try (Slapd slapd = Slapd.start(People.slapd(100));
        RunningProxy proxy = ProxySetup.before(slapd.port()).cachesOff().start();
        ClientSwarm crowd = new ClientSwarm()) {
      Parallel.run(ANONYMOUS, THREADS, PATIENCE, number -> crowd.add(proxy.client()));
      for (int round = 0; round < rounds; round++) {
        searchAllAtOnce(crowd.all());
      }
      assertThat(backend(proxy).connectionsLost()).isZero();
      Soak.record(
          ANONYMOUS + " anonymous clients, " + rounds * ANONYMOUS * 5 + " searches, no error");
    }
  }

  /** Everybody sends five searches before anybody reads an answer. */
  private static void searchAllAtOnce(List<RawLdapClient> clients) {
    for (int i = 0; i < clients.size(); i++) {
      for (int id = 1; id <= 5; id++) {
        clients.get(i).send(id, People.find((i + id) % 100));
      }
    }
    for (RawLdapClient client : clients) {
      for (int id = 1; id <= 5; id++) {
        assertThat(client.await(id)).hasSize(2);
      }
    }
  }

  @Test
  void fiftyClientsPageAtOnceOnOneIdentity() {
    try (Slapd slapd = Slapd.start(People.slapd(400));
        RunningProxy proxy = ProxySetup.before(slapd.port()).start()) {
      Parallel.run(
          50,
          PATIENCE,
          number -> {
            try (RawLdapClient client = proxy.client()) {
              client.bind(People.dn(1), People.PASSWORD);
              assertThat(pageThrough(client)).isEqualTo(400);
            }
          });
      assertThat(backend(proxy).connectionsLost()).isZero();
    }
  }

  private static int pageThrough(RawLdapClient client) throws LDAPException {
    int entries = 0;
    ASN1OctetString cookie = null;
    do {
      Control page = new SimplePagedResultsControl(10, cookie);
      List<RawMessage> answer =
          client.call(search(People.PEOPLE).oneLevel().attributes("uid").request().with(page));
      RawMessage done = RawLdapClient.last(answer);
      assertThat(done.resultCode()).as("%s", done).isZero();
      entries += answer.size() - 1;
      Control response = done.decoded().getControls().get(0);
      cookie =
          new SimplePagedResultsControl(response.getOID(), false, response.getValue()).getCookie();
    } while (cookie != null && cookie.getValueLength() > 0);
    return entries;
  }

  /** They all stay: more identities than there may be upstream connections. */
  @Test
  void fiveThousandIdentitiesLogInAndSearch() {
    try (Slapd slapd = Slapd.start(People.slapd(IDENTITIES));
        RunningProxy proxy = ProxySetup.before(slapd.port()).start();
        ClientSwarm crowd = new ClientSwarm()) {
      final long bindsBefore = slapd.completed("Bind");
      Parallel.run(
          IDENTITIES,
          THREADS,
          PATIENCE,
          number -> {
            RawLdapClient client = crowd.add(proxy.client());
            client.bind(People.dn(number), People.PASSWORD);
            assertOwnDescription(client, number);
            assertThat(backend(proxy).connections()).isLessThanOrEqualTo(1_000);
          });
      long binds = slapd.completed("Bind") - bindsBefore;
      Soak.record(IDENTITIES + " identities logged in with " + binds + " binds at slapd");
      assertThat(binds).isLessThanOrEqualTo((long) (BINDS_PER_LOGIN * IDENTITIES));
    }
  }

  /** Most have lost their upstream connections to others, and all search at the same time. */
  @Test
  void moreIdentitiesThanConnectionsSearchAtOnce() {
    int identities = 2_000;
    try (Slapd slapd = Slapd.start(People.slapd(identities));
        RunningProxy proxy =
            ProxySetup.before(slapd.port()).cachesOff().upstream("maxConnections", 200).start();
        ClientSwarm crowd = new ClientSwarm()) {
      for (int i = 0; i < identities; i++) {
        crowd.add(proxy.client()).bind(People.dn(i), People.PASSWORD);
      }
      crowd.all().forEach(client -> client.send(1000, People.find(1)));
      for (RawLdapClient client : crowd.all()) {
        assertThat(RawLdapClient.last(client.await(1000)).resultCode()).isZero();
      }
      assertThat(backend(proxy).connections()).isLessThanOrEqualTo(200);
    }
  }

  private static void assertOwnDescription(RawLdapClient client, int number) {
    List<RawMessage> answer =
        client.call(
            search(People.PEOPLE)
                .filter("(uid=user." + number + ")")
                .attributes("description")
                .request());
    assertThat(answer).hasSize(2);
    assertThat(answer.get(0).mentions("description")).isTrue();
  }

  private static BackendStatus backend(RunningProxy proxy) {
    return proxy.status().backends().get(0);
  }
}
