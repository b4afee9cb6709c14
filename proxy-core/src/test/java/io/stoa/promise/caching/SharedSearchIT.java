// SPDX-License-Identifier: Apache-2.0
package io.stoa.promise.caching;

import static io.stoa.testing.Requests.search;
import static org.assertj.core.api.Assertions.assertThat;

import com.unboundid.ldap.sdk.Entry;
import io.stoa.ldap.protocol.Oids;
import io.stoa.testing.Answers;
import io.stoa.testing.Await;
import io.stoa.testing.ClientSwarm;
import io.stoa.testing.ExpectedLog;
import io.stoa.testing.Held;
import io.stoa.testing.ProxySetup;
import io.stoa.testing.RawLdapClient;
import io.stoa.testing.RawRequest;
import io.stoa.testing.Received;
import io.stoa.testing.Requests;
import io.stoa.testing.RunningProxy;
import io.stoa.testing.ScriptedUpstream;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Equal searches share one of the directory's: it goes on while anybody waits, and no longer. */
class SharedSearchIT {
  private static final int CANCELED = 118;
  private static final int MANY = 20;
  private static final String IN_CHAIN = "1.2.840.113556.1.4.1941";
  private static final RawRequest SLOW = search("ou=slow,dc=example,dc=com").request();

  @RegisterExtension final ExpectedLog log = new ExpectedLog();

  private ScriptedUpstream upstream;
  private RunningProxy proxy;
  private RawLdapClient first;
  private RawLdapClient second;

  @BeforeEach
  void start() {
    upstream = ScriptedUpstream.start();
    proxy = ProxySetup.before(upstream.port()).start();
    first = proxy.client();
    second = proxy.client();
  }

  @AfterEach
  void stop() {
    first.close();
    second.close();
    try {
      proxy.close();
    } finally {
      upstream.close();
    }
  }

  private static boolean isSlow(Received request) {
    return request.isSearchFor("ou=slow");
  }

  private Held bothWait() {
    Held held = upstream.hold(SharedSearchIT::isSlow);
    first.send(7, SLOW);
    held.awaitArrival();
    second.send(9, SLOW);
    Await.until("the second has joined", () -> proxy.cache().joined() > 0);
    return held;
  }

  private int abandons() {
    return upstream.received(request -> request.is(Received.ABANDON)).size();
  }

  @Test
  void aSharedSearchIsAbandonedWhenItsLastClientLeaves() {
    bothWait();
    second.send(10, Requests.abandon(9));
    assertThat(second.code(search("ou=other,dc=example,dc=com").request())).isZero();
    assertThat(abandons()).as("while the first waits").isZero();
    first.send(8, Requests.abandon(7));
    upstream.awaitReceived(1, request -> request.is(Received.ABANDON));
    assertThat(upstream.received(SharedSearchIT::isSlow)).hasSize(1);
  }

  /** Groups of groups, as Active Directory resolves them: what takes minutes is asked for once. */
  @Test
  void equalNestedGroupSearchesAreSentOnce() {
    RawRequest nested =
        search("dc=example,dc=com")
            .filter("(member:" + IN_CHAIN + ":=cn=x,dc=example,dc=com)")
            .request();
    Held held = upstream.hold(request -> request.isSearchFor(IN_CHAIN));
    first.send(7, nested);
    held.awaitArrival();
    try (ClientSwarm crowd = new ClientSwarm()) {
      for (int i = 0; i < MANY; i++) {
        crowd.add(proxy.client()).send(9, nested);
      }
      Await.until("all have joined", () -> proxy.cache().joined() == MANY);
      held.answer(Answers.entries(Answers.person("group", "of groups")));
      crowd.all().forEach(client -> assertThat(client.await(9)).hasSize(2));
    }
    assertThat(first.await(7)).hasSize(2);
    assertThat(second.call(nested)).as("once more").hasSize(2);
    assertThat(upstream.received(request -> request.isSearchFor(IN_CHAIN))).hasSize(1);
  }

  @ParameterizedTest
  @EnumSource
  void aSharedSearchContinuesForTheRemainingClient(Departure departure) {
    Held held = bothWait();
    depart(departure);
    held.answer(Answers.entries(Answers.person("slow", "at last")));
    assertThat(second.await(9).get(0).mentions("at last")).isTrue();
    assertThat(upstream.received(SharedSearchIT::isSlow)).hasSize(1);
    assertThat(abandons()).isZero();
    assertThat(RawLdapClient.last(second.call(SLOW)).resultCode()).isZero();
    assertThat(upstream.received(SharedSearchIT::isSlow)).as("the answer was stored").hasSize(1);
  }

  /** How the client that asked first leaves the search. */
  private enum Departure {
    CLOSE,
    ABANDON,
    CANCEL
  }

  private void depart(Departure departure) {
    switch (departure) {
      case CLOSE -> {
        first.close();
        Await.until("the first is gone", () -> proxy.status().connections() == 1);
      }
      case ABANDON -> {
        first.send(8, Requests.abandon(7));
        assertThat(first.code(search("ou=other,dc=example,dc=com").request())).isZero();
      }
      case CANCEL -> {
        assertThat(first.code(Requests.extended(Oids.CANCEL, new byte[] {0x30, 3, 2, 1, 7})))
            .isZero();
        assertThat(RawLdapClient.last(first.await(7)).resultCode()).isEqualTo(CANCELED);
      }
    }
  }

  @Test
  void aSharedSearchIsAbandonedWhenTheJoinedClientLeavesLast() {
    bothWait();
    first.close();
    Await.until("the first is gone", () -> proxy.status().connections() == 1);
    assertThat(abandons()).isZero();
    second.send(10, Requests.abandon(9));
    upstream.awaitReceived(1, request -> request.is(Received.ABANDON));
    Await.until("nothing is filled any more", () -> proxy.status().fillsInFlight() == 0);
    assertThat(upstream.received(SharedSearchIT::isSlow)).hasSize(1);
  }

  @Test
  void theRemainingClientSearchesAgainWhenTheConnectionEnds() {
    Held held = bothWait();
    upstream.when(SharedSearchIT::isSlow, Answers.entries(Answers.person("slow", "at last")));
    first.close();
    Await.until("the first is gone", () -> proxy.status().connections() == 1);
    held.answer(Answers.close());
    assertThat(second.await(9).get(0).mentions("at last")).isTrue();
  }

  @Test
  void anUnsharedSearchWhoseClientLeftIsAbandoned() {
    Held held = bothWait();
    upstream.when(SharedSearchIT::isSlow, Answers.success());
    first.close();
    Await.until("the first is gone", () -> proxy.status().connections() == 1);
    held.answer(Answers.onlyEntries(many()));
    upstream.awaitReceived(1, request -> request.is(Received.ABANDON));
    assertThat(RawLdapClient.last(second.await(9)).resultCode()).isZero();
  }

  /** More than may be stored. */
  private static Entry[] many() {
    return IntStream.range(0, 200)
        .mapToObj(number -> Answers.person("slow" + number, "one of many"))
        .toArray(Entry[]::new);
  }
}
