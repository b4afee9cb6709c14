// SPDX-License-Identifier: Apache-2.0
package io.stoa.promise.identity;

import static io.stoa.testing.Requests.search;
import static org.assertj.core.api.Assertions.assertThat;

import io.stoa.operation.event.ClientChoice;
import io.stoa.proxy.AdminCommands;
import io.stoa.testing.Answer;
import io.stoa.testing.Answers;
import io.stoa.testing.Await;
import io.stoa.testing.ExpectedLog;
import io.stoa.testing.Held;
import io.stoa.testing.People;
import io.stoa.testing.ProxySetup;
import io.stoa.testing.RawLdapClient;
import io.stoa.testing.RawRequest;
import io.stoa.testing.Received;
import io.stoa.testing.Requests;
import io.stoa.testing.Responses;
import io.stoa.testing.RunningProxy;
import io.stoa.testing.ScriptedUpstream;
import io.stoa.testing.Tlv;
import io.stoa.upstream.connection.ConnectionStatus;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** SASL binds before a directory that answers as the test says. */
class SaslUpstreamIT {
  private static final String MECHANISM = "X-TEST";
  private static final RawRequest STEP = Requests.saslBind(MECHANISM, "token");
  private static final RawRequest READ = search(People.dn(1)).baseScope().request();
  private static final int IN_PROGRESS = 14;
  private static final int MAX_STEPS = 64;
  private static final int MAX_NEGOTIATIONS = 64;
  private static final int EVENT_LOOPS = 2;
  private static final int ROUNDS = 5;
  private static final int BUSY = 51;
  private static final int UNAVAILABLE = 52;
  private static final byte[] WRAPPED = {0, 0, 0, 3, 'a', 'b', 'c'};

  @RegisterExtension final ExpectedLog log = new ExpectedLog();

  private ScriptedUpstream upstream;
  private RunningProxy proxy;

  @BeforeEach
  void start() {
    upstream = ScriptedUpstream.start();
    upstream.when(
        request -> request.isSearchFor(People.dn(1)),
        Answers.entries(Answers.person("anna", "old")));
    proxy = ProxySetup.before(upstream.port()).maxAge(Duration.ofHours(1)).start();
  }

  @AfterEach
  void stop() {
    try {
      proxy.close();
    } finally {
      upstream.close();
    }
  }

  private void stepsAreAnswered(Answer answer) {
    upstream.when(SaslUpstreamIT::isBind, answer);
  }

  private static boolean isBind(Received request) {
    return request.is(Received.BIND);
  }

  private static boolean isWhoAmI(Received request) {
    return request.is(Received.EXTENDED);
  }

  private void whoAmIIsAnswered(Answer answer) {
    upstream.when(SaslUpstreamIT::isWhoAmI, answer);
  }

  private static Answer authzId(String authzId) {
    return (request, link) -> link.send(request.messageId(), Responses.extendedValue(authzId));
  }

  private int reads() {
    return upstream.received(request -> request.isSearchFor(People.dn(1))).size();
  }

  @Test
  void whoAmIIsSentOnlyBeforeTheFirstRead() {
    whoAmIIsAnswered(authzId("u:anna"));
    try (RawLdapClient client = proxy.client()) {
      assertThat(client.code(STEP)).isZero();
      assertThat(client.code(STEP)).isZero();
      assertThat(upstream.received(SaslUpstreamIT::isWhoAmI)).isEmpty();
      client.send(READ);
      client.send(READ);
      assertThat(client.await(1 + 2).get(0).mentions("old")).isTrue();
      assertThat(client.await(2 + 2).get(0).mentions("old")).isTrue();
      assertThat(upstream.received(SaslUpstreamIT::isWhoAmI)).hasSize(1);
      assertThat(client.code(READ)).isZero();
      assertThat(reads()).isEqualTo(1);
    }
  }

  @Test
  void aClientOfUnknownIdentityBypassesTheCache() {
    whoAmIIsAnswered(Answers.result(2));
    try (RawLdapClient client = proxy.client()) {
      assertThat(client.code(STEP)).isZero();
      assertThat(client.code(READ)).isZero();
      assertThat(client.code(READ)).isZero();
      assertThat(reads()).isEqualTo(2);
      assertThat(proxy.cache().fills()).isZero();
    }
  }

  /** Nobody but the client could bind another. */
  @Test
  void theConnectionStaysWithItsSaslClient() {
    whoAmIIsAnswered(authzId("dn:uid=anna,dc=example,dc=com"));
    AdminCommands steering = proxy.proxy().adminCommands();
    ConnectionStatus own;
    try (RawLdapClient client = proxy.client()) {
      assertThat(client.code(STEP)).isZero();
      assertThat(client.code(READ)).isZero();
      own = named(steering).orElseThrow();
      assertThat(steering.close(own.number()).join()).isTrue();
      assertThat(client.code(search(People.dn(1)).baseScope().filter("(sn=x)").request())).isZero();
      assertThat(named(steering).map(ConnectionStatus::state)).contains("closing");
    }
    Await.until("it has ended", () -> named(steering).isEmpty());
  }

  private static Optional<ConnectionStatus> named(AdminCommands steering) {
    return steering.connections(ClientChoice.ALL).join().stream()
        .filter(one -> one.identity().equals("uid=anna,dc=example,dc=com"))
        .findFirst();
  }

  @Test
  void anonymousBySaslIsNotAnonymousWithout() {
    whoAmIIsAnswered(authzId(""));
    try (RawLdapClient client = proxy.client();
        RawLdapClient unbound = proxy.client()) {
      assertThat(client.code(STEP)).isZero();
      assertThat(client.code(READ)).isZero();
      assertThat(unbound.code(READ)).isZero();
      assertThat(client.code(READ)).isZero();
      assertThat(unbound.code(READ)).isZero();
      assertThat(reads()).isEqualTo(2);
    }
  }

  @Test
  void stepsWithoutEndAreEnded() {
    stepsAreAnswered(Answers.result(IN_PROGRESS));
    try (RawLdapClient client = proxy.client()) {
      for (int i = 0; i < MAX_STEPS; i++) {
        assertThat(client.code(STEP)).isEqualTo(IN_PROGRESS);
      }
      assertThat(client.code(STEP)).isNotIn(0, IN_PROGRESS);
      Await.until("the connection has ended", () -> upstream.openConnections() <= 2);
      assertThat(client.code(STEP)).isEqualTo(IN_PROGRESS);
    }
  }

  @Test
  void aBindThatSucceedsAfterTheClientLeftIsDropped() {
    Held bind = upstream.hold(SaslUpstreamIT::isBind);
    RawLdapClient client = proxy.client();
    client.send(STEP);
    bind.awaitArrival();
    int open = upstream.openConnections();
    client.reset();
    Await.until("the client is gone", () -> proxy.status().connections() == 0);
    bind.answer(Answers.success());
    Await.until("its connection is closed", () -> upstream.openConnections() < open);
    assertThat(upstream.received(SaslUpstreamIT::isWhoAmI)).isEmpty();
  }

  @Test
  void anIdleSaslExchangeIsDisconnected() {
    stepsAreAnswered(Answers.result(IN_PROGRESS));
    try (RunningProxy hasty =
            ProxySetup.before(upstream.port())
                .limit("negotiationTimeout", Duration.ofSeconds(1))
                .start();
        RawLdapClient client = hasty.client()) {
      assertThat(client.code(STEP)).isEqualTo(IN_PROGRESS);
      assertThat(RawLdapClient.last(client.drain()).resultCode()).isEqualTo(UNAVAILABLE);
    }
  }

  /** Those who began a bind and do not go on with it make room for others. */
  @Test
  void idleSaslExchangesMakeRoomForOthers() {
    stepsAreAnswered(Answers.result(IN_PROGRESS));
    List<RawLdapClient> idlers = new ArrayList<>();
    try (RawLdapClient last = proxy.client()) {
      IntStream.range(0, EVENT_LOOPS * MAX_NEGOTIATIONS).forEach(i -> idlers.add(proxy.client()));
      idlers.forEach(idler -> assertThat(idler.code(STEP)).isEqualTo(IN_PROGRESS));
      assertThat(last.code(STEP)).isEqualTo(IN_PROGRESS);
    } finally {
      idlers.forEach(RawLdapClient::close);
    }
  }

  /** Whoever comes from elsewhere does not wait behind all that one address has begun. */
  @Test
  void exchangesOfOneAddressDoNotBlockAnother() {
    stepsAreAnswered(Answers.result(IN_PROGRESS));
    List<RawLdapClient> idlers = new ArrayList<>();
    try (RawLdapClient last = proxy.client()) {
      for (int i = 0; i < ROUNDS * EVENT_LOOPS * MAX_NEGOTIATIONS; i++) {
        idlers.add(RawLdapClient.from("127.0.0.2", proxy.address()));
        idlers.get(i).send(STEP);
      }
      upstream.awaitReceived(EVENT_LOOPS * MAX_NEGOTIATIONS, SaslUpstreamIT::isBind);
      assertThat(last.code(STEP)).isEqualTo(IN_PROGRESS);
    } finally {
      idlers.forEach(RawLdapClient::close);
    }
  }

  /** Once they are bound nothing could take their connections from them. */
  @Test
  void oneAddressCannotTakeAllConnections() {
    stepsAreAnswered(Answers.success());
    try (RunningProxy small =
            ProxySetup.before(upstream.port()).upstream("maxConnections", 10).start();
        RawLdapClient last = small.client()) {
      List<RawLdapClient> greedy = new ArrayList<>();
      for (int i = 0; i < 5; i++) {
        greedy.add(RawLdapClient.from("127.0.0.2", small.address()));
        assertThat(greedy.get(i).code(STEP)).isZero();
      }
      try (RawLdapClient further = RawLdapClient.from("127.0.0.2", small.address())) {
        assertThat(further.code(STEP)).isEqualTo(BUSY);
        assertThat(last.code(STEP)).isZero();
        greedy.get(0).close();
        Await.until("its place is free", () -> further.code(STEP) == 0);
      } finally {
        greedy.forEach(RawLdapClient::close);
      }
    }
  }

  /** Who has waited for a connection in vain is in nobody's way, though the client stays. */
  @Test
  void aTimedOutWaiterTakesNoConnectionFromOthers() {
    stepsAreAnswered(Answers.success());
    ProxySetup setup =
        ProxySetup.before(upstream.port())
            .upstream("maxConnections", 2)
            .upstream("queueTimeout", Duration.ofSeconds(1));
    try (RunningProxy full = setup.start();
        RawLdapClient one = RawLdapClient.from("127.0.0.2", full.address());
        RawLdapClient other = RawLdapClient.from("127.0.0.3", full.address());
        RawLdapClient vain = full.client();
        RawLdapClient next = full.client()) {
      assertThat(one.code(STEP)).isZero();
      assertThat(other.code(STEP)).isZero();
      assertThat(vain.code(STEP)).isEqualTo(BUSY);
      int id = next.send(STEP);
      Await.until("it waits", () -> full.status().queued() == 1);
      one.close();
      assertThat(RawLdapClient.last(next.await(id)).resultCode()).isZero();
    }
  }

  @Test
  void aServerLostBetweenStepsDisconnectsTheClient() {
    stepsAreAnswered(Answers.result(IN_PROGRESS));
    try (RawLdapClient client = proxy.client()) {
      assertThat(client.code(STEP)).isEqualTo(IN_PROGRESS);
      upstream.dropConnections();
      assertThat(client.drain()).isEmpty();
    }
  }

  /** No other server knows of the step before, and the client may begin again. */
  @Test
  void aServerThatIsLostDuringAStepIsUnavailable() {
    stepsAreAnswered(Answers.result(IN_PROGRESS));
    try (RawLdapClient client = proxy.client()) {
      assertThat(client.code(STEP)).isEqualTo(IN_PROGRESS);
      stepsAreAnswered(Answers.close());
      assertThat(client.code(STEP)).isEqualTo(UNAVAILABLE);
      stepsAreAnswered(Answers.success());
      assertThat(client.code(STEP)).isZero();
      assertThat(client.code(READ)).isZero();
    }
  }

  @Test
  void aServerHungDuringAStepIsUnavailableWhenDown() {
    stepsAreAnswered(Answers.result(IN_PROGRESS));
    ProxySetup hasty =
        ProxySetup.before(upstream.port()).upstream("connectTimeout", Duration.ofSeconds(1));
    try (RunningProxy own = hasty.start();
        RawLdapClient client = own.client()) {
      assertThat(client.code(STEP)).isEqualTo(IN_PROGRESS);
      upstream.always(Answers.silence());
      assertThat(client.patience(Duration.ofSeconds(10)).code(STEP)).isEqualTo(UNAVAILABLE);
    }
  }

  @Test
  void aFirstStepThatIsNotAnsweredIsSentAgain() {
    Held first = upstream.hold(SaslUpstreamIT::isBind);
    try (RawLdapClient client = proxy.client()) {
      client.send(STEP);
      first.awaitArrival();
      first.answer(Answers.close());
      assertThat(RawLdapClient.last(client.await(1)).resultCode()).isZero();
    }
  }

  @Test
  void theServerMaySendFirstUnderALayer() {
    stepsAreAnswered(Answers.success().then((request, link) -> link.sendOctets(WRAPPED)));
    try (RawLdapClient client = proxy.client()) {
      client.send(STEP);
      assertThat(client.next().orElseThrow().resultCode()).isZero();
      assertThat(client.octets(WRAPPED.length)).isEqualTo(WRAPPED);
    }
    assertThat(upstream.received(SaslUpstreamIT::isWhoAmI)).isEmpty();
  }

  @Test
  void anUnprotectedNoticeReachesTheClient() {
    stepsAreAnswered(Answers.success().then(Answers.noticeOfDisconnection(UNAVAILABLE)));
    try (RawLdapClient client = proxy.client()) {
      client.send(STEP);
      assertThat(client.next().orElseThrow().resultCode()).isZero();
      assertThat(client.next().orElseThrow().messageId()).isZero();
    }
  }

  @Test
  void abandonAndCancelReachTheDirectoryUnderTheClientsMessageId() {
    try (RawLdapClient client = proxy.client()) {
      assertThat(client.code(STEP)).isZero();
      Held first = upstream.hold(request -> request.isSearchFor("first"));
      Held second = upstream.hold(request -> request.isSearchFor("second"));
      int abandoned = client.send(search(People.dn(1)).filter("(cn=first)").request());
      int cancelled = client.send(search(People.dn(1)).filter("(cn=second)").request());
      assertThat(first.awaitArrival().messageId()).isEqualTo(abandoned);
      assertThat(second.awaitArrival().messageId()).isEqualTo(cancelled);
      client.send(Requests.abandon(abandoned));
      byte[] target = Tlv.of(0x30, Tlv.integer(0x02, cancelled));
      client.send(Requests.extended("1.3.6.1.1.8", target));
      upstream.awaitReceived(1, request -> request.is(Received.ABANDON));
      upstream.awaitReceived(2, SaslUpstreamIT::isWhoAmI);
      second.answer(Answers.result(118));
      assertThat(RawLdapClient.last(client.await(cancelled)).resultCode()).isEqualTo(118);
    }
  }

  @Test
  void aWriteIsSeenByAllOfTheIdentity() {
    whoAmIIsAnswered(authzId("dn:" + People.dn(1)));
    try (RawLdapClient writer = proxy.client();
        RawLdapClient reader = proxy.client()) {
      assertThat(writer.code(STEP)).isZero();
      assertThat(reader.code(STEP)).isZero();
      assertThat(reader.call(READ).get(0).mentions("old")).isTrue();
      assertThat(writer.call(READ).get(0).mentions("old")).isTrue();
      assertThat(reads()).isEqualTo(1);
      upstream.when(
          request -> request.isSearchFor(People.dn(1)),
          Answers.entries(Answers.person("anna", "new")));
      assertThat(writer.code(Requests.replace(People.dn(1), "description", "new"))).isZero();
      assertThat(reader.call(READ).get(0).mentions("new")).isTrue();
      assertThat(writer.call(READ).get(0).mentions("new")).isTrue();
    }
  }
}
