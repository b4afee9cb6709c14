// SPDX-License-Identifier: Apache-2.0
package io.stoa.promise.limits;

import static io.stoa.testing.Requests.search;
import static org.assertj.core.api.Assertions.assertThat;

import io.stoa.testing.Answers;
import io.stoa.testing.Await;
import io.stoa.testing.ClientSwarm;
import io.stoa.testing.ExpectedLog;
import io.stoa.testing.Held;
import io.stoa.testing.People;
import io.stoa.testing.ProxySetup;
import io.stoa.testing.RawLdapClient;
import io.stoa.testing.RawRequest;
import io.stoa.testing.Received;
import io.stoa.testing.Records;
import io.stoa.testing.Requests;
import io.stoa.testing.RunningProxy;
import io.stoa.testing.ScriptedUpstream;
import io.stoa.upstream.balancing.BalanceConfig;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** One server that takes one operation at a time, and a hundred places for those that wait. */
class QueueSharesIT {
  private static final int PLACES = 100;
  private static final int PLACES_OF_ONE = 88;
  private static final int BUSY = 51;
  private static final RawRequest READ = search("uid=x,dc=example,dc=com").request();

  @RegisterExtension final ExpectedLog log = new ExpectedLog();

  private ScriptedUpstream server;
  private RunningProxy proxy;
  private Held first;
  private final ClientSwarm crowd = new ClientSwarm();

  @BeforeEach
  void start() {
    server = ScriptedUpstream.start();
    first = server.hold(QueueSharesIT::isRead);
    proxy = setup().start().awaitUp();
  }

  private ProxySetup setup() {
    return ProxySetup.before(server.port())
        .cachesOff()
        .upstream("balance", Records.with(BalanceConfig.DEFAULTS, "maxInFlight", 1))
        .upstream("queueLimit", PLACES)
        .limit("operationsInFlight", PLACES);
  }

  @AfterEach
  void stop() {
    crowd.close();
    proxy.close();
    server.close();
  }

  private static boolean isRead(Received request) {
    return request.isSearchFor("uid=x,");
  }

  /** Clients of one name ask for more than there are places, until so many of them wait. */
  private void fill(int clients, int waiting) {
    for (int i = 0; i < clients; i++) {
      crowd.add(bound(1));
    }
    for (RawLdapClient client : crowd.all()) {
      for (int j = 0; j < 2 * PLACES; j++) {
        client.send(READ);
      }
    }
    first.awaitArrival();
    Await.until("no more is taken of them", () -> proxy.status().queued() == waiting);
    crowd.all().forEach(client -> assertThat(refused(client)).isTrue());
  }

  /** What came last is refused, and answered before what waits. */
  private static boolean refused(RawLdapClient client) {
    return client.next().filter(answer -> answer.resultCode() == BUSY).isPresent();
  }

  private RawLdapClient bound(int name) {
    return proxy.client().bind(People.dn(name), People.PASSWORD);
  }

  private void assertIsServed(RawLdapClient client) {
    int id = client.send(READ);
    first.answer(Answers.success());
    assertThat(RawLdapClient.last(client.await(id)).resultCode()).isZero();
  }

  /** A name gets no more than eight times what is free then. */
  @Test
  void oneIdentityLeavesPlacesToOthers() {
    try (RawLdapClient other = bound(2)) {
      fill(5, 89);
      assertIsServed(other);
    }
  }

  /** A client gets no more than eight times what its name may still have. */
  @Test
  void oneClientLeavesPlacesToOthersOfItsIdentity() {
    try (RawLdapClient other = bound(1)) {
      fill(1, PLACES_OF_ONE);
      assertIsServed(other);
    }
  }

  /** However what waits ends, its place is free again, and counts for nobody. */
  @Test
  void releasedPlacesAreReused() {
    proxy.close();
    proxy = setup().upstream("queueTimeout", Duration.ofSeconds(2)).start().awaitUp();
    try (RawLdapClient client = bound(1)) {
      List<Integer> asked = fill(client);
      asked.stream().skip(1).forEach(id -> client.send(Requests.abandon(id)));
      awaitEmptyQueue("all is abandoned");
      int late = fill(client).get(0);
      awaitEmptyQueue("all has waited for too long");
      assertThat(code(client, late)).isEqualTo(BUSY);
      int answered = fill(client).get(0);
      first.answer(Answers.success());
      awaitEmptyQueue("all is answered");
      assertThat(code(client, answered)).isZero();
      first = server.hold(QueueSharesIT::isRead);
      fill(client);
    }
  }

  /** A client asks for more than there are places, and has as many as it may. */
  private List<Integer> fill(RawLdapClient client) {
    List<Integer> asked = new ArrayList<>();
    for (int i = 0; i < 2 * PLACES; i++) {
      asked.add(client.send(READ));
    }
    assertThat(code(client, asked.get(asked.size() - 1))).isEqualTo(BUSY);
    assertThat(proxy.status().queued()).isEqualTo(PLACES_OF_ONE);
    return asked;
  }

  private static int code(RawLdapClient client, int id) {
    return RawLdapClient.last(client.await(id)).resultCode();
  }

  private void awaitEmptyQueue(String why) {
    Await.until(why, () -> proxy.status().queued() == 0);
  }
}
