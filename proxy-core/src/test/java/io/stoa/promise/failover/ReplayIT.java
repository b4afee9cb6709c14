// SPDX-License-Identifier: Apache-2.0
package io.stoa.promise.failover;

import static io.stoa.testing.Requests.search;
import static org.assertj.core.api.Assertions.assertThat;

import com.unboundid.ldap.sdk.Entry;
import io.stoa.testing.Answer;
import io.stoa.testing.Answers;
import io.stoa.testing.Await;
import io.stoa.testing.ExpectedLog;
import io.stoa.testing.Held;
import io.stoa.testing.People;
import io.stoa.testing.ProxySetup;
import io.stoa.testing.RawLdapClient;
import io.stoa.testing.RawMessage;
import io.stoa.testing.RawRequest;
import io.stoa.testing.Received;
import io.stoa.testing.Records;
import io.stoa.testing.Requests;
import io.stoa.testing.Responses;
import io.stoa.testing.RunningProxy;
import io.stoa.testing.ScriptedUpstream;
import io.stoa.testing.ServiceWatch;
import io.stoa.upstream.balancing.BalanceConfig;
import java.io.ByteArrayOutputStream;
import java.time.Duration;
import java.util.List;
import java.util.function.Predicate;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What a server does not answer, or refuses, is asked of another, and the client sees nothing. */
@Tag("timed")
class ReplayIT {
  private static final int BUSY = 51;
  private static final int UNAVAILABLE = 52;
  private static final int TIME_LIMIT_EXCEEDED = 3;
  private static final int ENTRIES = 20;
  private static final RawRequest SEARCH = search("ou=many").request();

  @RegisterExtension final ExpectedLog log = new ExpectedLog();
  @RegisterExtension final ScriptedUpstream first = ScriptedUpstream.start();
  @RegisterExtension final ScriptedUpstream second = ScriptedUpstream.start();

  private static boolean isSearch(Received request) {
    return request.isSearchFor("ou=many");
  }

  private static boolean isBind(Received request) {
    return request.is(Received.BIND);
  }

  private ProxySetup setup() {
    return ProxySetup.before(first.port(), second.port())
        .cachesOff()
        .upstream("connectTimeout", Duration.ofSeconds(1));
  }

  private static RunningProxy started(ProxySetup setup) {
    return setup.start().awaitUp();
  }

  private static Entry[] people(int count) {
    return IntStream.range(0, count)
        .mapToObj(number -> Answers.person("p" + number, "x"))
        .toArray(Entry[]::new);
  }

  /** The first request that comes to either server is answered so; all others properly. */
  private void script(Predicate<Received> condition, Answer accident, Answer proper) {
    for (ScriptedUpstream server : List.of(first, second)) {
      server.when(
          condition,
          (request, link) -> (sentRequests(condition) == 1 ? accident : proper).to(request, link));
    }
  }

  private int sentRequests(Predicate<Received> condition) {
    return first.received(condition).size() + second.received(condition).size();
  }

  private static Answer entriesThenClose(int count) {
    return Answers.onlyEntries(people(count)).then(Answers.close());
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void aSearchIsRetriedIfItsServerDiesMidResult(boolean caching) {
    script(ReplayIT::isSearch, entriesThenClose(ENTRIES / 2), Answers.entries(people(ENTRIES)));
    try (RunningProxy proxy = started(setup().cache("enabled", caching));
        RawLdapClient client = proxy.client()) {
      assertThat(client.call(SEARCH)).hasSize(ENTRIES + 1);
      assertThat(sentRequests(ReplayIT::isSearch)).isEqualTo(2);
      assertThat(client.code(SEARCH)).isZero();
    }
  }

  /** What is not storable, as a reference is, is held all the same. */
  @Test
  void referencesAreBufferedToo() {
    Answer reference =
        (request, link) -> link.send(request.messageId(), Responses.reference("ldap://x/"));
    Answer entry = Answers.onlyEntries(people(1)).then(reference);
    script(ReplayIT::isSearch, entry.then(Answers.close()), entry.then(Answers.success()));
    try (RunningProxy proxy = started(setup().cache("enabled", true));
        RawLdapClient client = proxy.client()) {
      assertThat(client.call(SEARCH)).hasSize(3);
    }
  }

  @Test
  void aLargerResultEndsUnavailable() {
    script(ReplayIT::isSearch, entriesThenClose(ENTRIES / 2), Answers.entries(people(ENTRIES)));
    try (RunningProxy proxy = started(setup().cache("bypassLimit", ENTRIES / 4));
        RawLdapClient client = proxy.client()) {
      List<RawMessage> answer = client.call(SEARCH);
      assertThat(answer).hasSize(ENTRIES / 2 + 1);
      assertThat(code(answer)).isEqualTo(UNAVAILABLE);
      assertThat(RawLdapClient.last(answer).mentions("in the middle of the result")).isTrue();
      assertThat(sentRequests(ReplayIT::isSearch)).isEqualTo(1);
    }
  }

  @Test
  void aLargerResultOfAHungServerEndsWhenTheServerIsDown() {
    script(ReplayIT::isSearch, Answers.onlyEntries(people(ENTRIES)), Answers.success());
    try (RunningProxy proxy = started(setup().cache("bypassLimit", ENTRIES / 4));
        RawLdapClient client = proxy.client().patience(Duration.ofSeconds(10))) {
      int id = client.send(SEARCH);
      assertThat(client.await(id, ENTRIES)).hasSize(ENTRIES);
      ScriptedUpstream asked = first.received(ReplayIT::isSearch).isEmpty() ? second : first;
      asked.when(ServiceWatch::isRootDse, Answers.silence());
      assertThat(code(client.await(id))).isEqualTo(UNAVAILABLE);
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {BUSY, UNAVAILABLE})
  void anOperationRefusedByOneServerIsAnsweredByAnother(int code) {
    script(ReplayIT::isSearch, Answers.result(code), Answers.entries(people(1)));
    script(ReplayIT::isBind, Answers.result(code), Answers.success());
    try (RunningProxy proxy = started(setup());
        RawLdapClient client = proxy.client()) {
      assertThat(client.call(SEARCH)).hasSize(2);
      assertThat(client.code(Requests.bind(People.dn(1), People.PASSWORD))).isZero();
      assertThat(sentRequests(ReplayIT::isBind)).isGreaterThanOrEqualTo(2);
    }
  }

  @Test
  void anOperationRefusedByAllServersIsTriedOnceAtEach() {
    first.when(ReplayIT::isSearch, Answers.result(BUSY));
    second.when(ReplayIT::isSearch, Answers.result(BUSY));
    try (RunningProxy proxy = started(setup());
        RawLdapClient client = proxy.client()) {
      assertThat(client.code(SEARCH)).isEqualTo(BUSY);
      assertThat(first.received(ReplayIT::isSearch)).hasSize(1);
      assertThat(second.received(ReplayIT::isSearch)).hasSize(1);
    }
  }

  @Test
  void theRetryBudgetBoundsRetriesIfAllServersAreBusy() {
    first.when(ReplayIT::isSearch, Answers.result(BUSY));
    second.when(ReplayIT::isSearch, Answers.result(BUSY));
    int searches = 1_000;
    try (RunningProxy proxy = started(setup());
        RawLdapClient client = proxy.client()) {
      for (int i = 0; i < searches; i++) {
        assertThat(client.code(SEARCH)).isEqualTo(BUSY);
      }
      assertThat(sentRequests(ReplayIT::isSearch))
          .isBetween(searches + searches / 5, searches + searches / 3);
    }
  }

  /** However many a single server refuses: it alone is in trouble. */
  @Test
  void oneBusyServerIsHiddenFromClients() {
    first.when(ReplayIT::isSearch, Answers.result(BUSY));
    second.when(ReplayIT::isSearch, Answers.entries(people(1)));
    try (RunningProxy proxy = started(setup());
        RawLdapClient client = proxy.client()) {
      for (int i = 0; i < 1_000; i++) {
        assertThat(client.code(SEARCH)).isZero();
      }
    }
  }

  /** What it is asked earns the right to ask again, although nothing is held for it. */
  @Test
  void theOnlyServerGetsRetriesWithinTheBudgetOfItsRequests() {
    int burst = 250;
    try (RunningProxy proxy = alone(2 * burst).start();
        RawLdapClient client = proxy.client()) {
      for (int i = 0; i < 4 * burst; i++) {
        assertThat(client.code(SEARCH)).isZero();
      }
      List<Held> held = Stream.generate(() -> first.hold(ReplayIT::isSearch)).limit(burst).toList();
      List<Integer> ids = held.stream().map(each -> client.send(SEARCH)).toList();
      held.forEach(Held::awaitArrival);
      refuseAtOnce(held);
      ids.forEach(id -> assertThat(code(client.await(id))).isZero());
    }
  }

  private ProxySetup alone(int atMost) {
    return ProxySetup.before(first.port())
        .cachesOff()
        .limit("operationsInFlight", atMost)
        .upstream("maxInFlightPerConnection", atMost)
        .upstream("balance", Records.with(BalanceConfig.DEFAULTS, "maxInFlight", atMost));
  }

  /** All in one piece: none is asked again before all are refused. */
  private static void refuseAtOnce(List<Held> held) {
    ByteArrayOutputStream refusals = new ByteArrayOutputStream();
    Answer refusal =
        (request, link) ->
            refusals.writeBytes(Responses.searchDone(BUSY).encode(request.messageId()));
    held.subList(1, held.size()).forEach(each -> each.answer(refusal));
    held.get(0).answer(refusal.then((request, link) -> link.sendOctets(refusals.toByteArray())));
  }

  @Test
  void aNoticeOfDisconnectionBeforeAnAnswerIsNotNoticed() {
    script(
        ReplayIT::isSearch, Answers.noticeOfDisconnection(UNAVAILABLE), Answers.entries(people(1)));
    try (RunningProxy proxy = started(setup());
        RawLdapClient client = proxy.client()) {
      assertThat(client.call(SEARCH)).hasSize(2);
    }
  }

  @Test
  void aBindIsSentOnceMoreAndNoOftener() {
    first.when(ReplayIT::isBind, Answers.close());
    second.when(ReplayIT::isBind, Answers.close());
    try (RunningProxy proxy = started(setup());
        RawLdapClient client = proxy.client()) {
      assertThat(client.code(Requests.bind(People.dn(1), People.PASSWORD))).isEqualTo(UNAVAILABLE);
      assertThat(sentRequests(ReplayIT::isBind)).isEqualTo(2);
    }
  }

  /** The search hangs at one server, the first that is asked, which says nothing from then on. */
  private ScriptedUpstream awaitHanging(Held atFirst, Held atSecond) {
    Await.until("it is asked", () -> atFirst.hasArrived() || atSecond.hasArrived());
    ScriptedUpstream hanging = atFirst.hasArrived() ? first : second;
    hanging.when(ServiceWatch::isRootDse, Answers.silence());
    return hanging;
  }

  /** A server that hangs is suspect, and what it says later reaches nobody. */
  @Test
  void aLateAnswerOfAHungServerIsDropped() {
    Held atFirst = first.hold(ReplayIT::isSearch);
    Held atSecond = second.hold(ReplayIT::isSearch);
    try (RunningProxy proxy = started(setup());
        RawLdapClient client = proxy.client()) {
      int id = client.send(SEARCH);
      boolean hangsAtFirst = awaitHanging(atFirst, atSecond) == first;
      Held late = hangsAtFirst ? atFirst : atSecond;
      Held asked = hangsAtFirst ? atSecond : atFirst;
      asked.awaitArrival();
      late.answer(Answers.entries(people(3)));
      asked.answer(Answers.entries(people(1)));
      assertThat(client.await(id)).hasSize(2);
      assertThat(client.code(Requests.bind("", ""))).isZero();
      client.send(Requests.unbind());
      assertThat(client.drain()).isEmpty();
    }
  }

  @Test
  void aSlowSearchIsLeftAlone() {
    Held atFirst = first.hold(ReplayIT::isSearch);
    Held atSecond = second.hold(ReplayIT::isSearch);
    try (RunningProxy proxy = started(setup().upstream("attemptTimeout", Duration.ofMillis(50)));
        RawLdapClient client = proxy.client()) {
      int id = client.send(SEARCH);
      Await.until("it is asked", () -> atFirst.hasArrived() || atSecond.hasArrived());
      ScriptedUpstream asked = atFirst.hasArrived() ? first : second;
      int before = asked.received(ServiceWatch::isRootDse).size();
      asked.awaitReceived(before + 3, ServiceWatch::isRootDse);
      (asked == first ? atFirst : atSecond).answer(Answers.entries(people(1)));
      assertThat(client.await(id)).hasSize(2);
      assertThat(sentRequests(ReplayIT::isSearch)).isEqualTo(1);
      assertThat(proxy.up()).isEqualTo(2);
    }
  }

  @Test
  void anOperationHasOneDeadlineOverAllServers() {
    Duration timeout = Duration.ofSeconds(3);
    Duration attempt = Duration.ofSeconds(2); // with a deadline of its own each, more than 5 s
    Held atFirst = first.hold(ReplayIT::isSearch);
    Held atSecond = second.hold(ReplayIT::isSearch);
    ProxySetup setup = setup().operationTimeout(timeout).upstream("attemptTimeout", attempt);
    try (RunningProxy proxy = started(setup);
        RawLdapClient client = proxy.client()) {
      long began = System.nanoTime();
      int id = client.send(SEARCH);
      awaitHanging(atFirst, atSecond);
      assertThat(code(client.await(id))).isEqualTo(UNAVAILABLE);
      assertThat(Duration.ofNanos(System.nanoTime() - began))
          .isBetween(timeout, timeout.plus(attempt));
      assertThat(sentRequests(ReplayIT::isSearch)).isEqualTo(2);
    }
  }

  /** The client that asked first has gone; whoever waits for its search asks by itself. */
  @Test
  void aJoinedSearchIsServedWhenTheServerHangs() {
    Held atFirst = first.hold(ReplayIT::isSearch);
    Held atSecond = second.hold(ReplayIT::isSearch);
    try (RunningProxy proxy = started(setup().cache("enabled", true));
        RawLdapClient leaving = proxy.client();
        RawLdapClient staying = proxy.client()) {
      int left = leaving.send(SEARCH);
      Held asked = awaitHanging(atFirst, atSecond) == first ? atSecond : atFirst;
      int id = staying.send(SEARCH);
      Await.until("it waits", () -> proxy.cache().joined() == 1);
      leaving.send(Requests.abandon(left));
      asked.answer(Answers.entries(people(1)));
      assertThat(staying.await(id)).hasSize(2);
    }
  }

  private static int code(List<RawMessage> answer) {
    return RawLdapClient.last(answer).resultCode();
  }

  @Test
  void theClientsOwnTimeLimitHoldsOverAllServers() {
    script(ReplayIT::isSearch, Answers.close(), Answers.silence());
    try (RunningProxy proxy = started(setup());
        RawLdapClient client = proxy.client()) {
      assertThat(client.code(search("ou=many").timeLimit(1).request()))
          .isEqualTo(TIME_LIMIT_EXCEEDED);
      assertThat(sentRequests(ReplayIT::isSearch)).isEqualTo(2);
    }
  }
}
