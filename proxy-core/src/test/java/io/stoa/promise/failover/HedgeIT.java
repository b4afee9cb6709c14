// SPDX-License-Identifier: Apache-2.0
package io.stoa.promise.failover;

import static io.stoa.testing.Requests.search;
import static org.assertj.core.api.Assertions.assertThat;

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
import io.stoa.testing.RunningProxy;
import io.stoa.testing.ScriptedUpstream;
import io.stoa.upstream.server.BackendStatus;
import java.util.List;
import java.util.function.ToLongFunction;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** A second server is asked, too, when the first takes longer than it does as a rule. */
@Tag("timed")
class HedgeIT {
  private static final int USUAL = 300;
  private static final int SLOW_ONES = 100;
  private static final int MAX_TWICE = 20;
  private static final RawRequest FAST = search("ou=fast").request();
  private static final RawRequest SLOW = search("ou=slow").request();

  @RegisterExtension final ExpectedLog log = new ExpectedLog();
  @RegisterExtension final ScriptedUpstream first = ScriptedUpstream.start();
  @RegisterExtension final ScriptedUpstream second = ScriptedUpstream.start();

  private static boolean isSlow(Received request) {
    return request.isSearchFor("ou=slow");
  }

  /** Others may be abandoned, too: whatever was late while the servers were found to be fast. */
  private static boolean isAbandoned(ScriptedUpstream server, Held held) {
    Received asked = held.awaitArrival();
    return server.received(request -> request.is(Received.ABANDON)).stream()
        .filter(abandon -> abandon.connection() == asked.connection())
        .map(abandon -> abandon.message().decoded().getAbandonRequestProtocolOp())
        .anyMatch(abandon -> abandon.getIDToAbandon() == asked.messageId());
  }

  /** Both servers are known to be fast. */
  private RunningProxy started(boolean caching) {
    RunningProxy proxy =
        ProxySetup.before(first.port(), second.port())
            .cache("enabled", caching)
            .replay("hedge", true)
            .start()
            .awaitUp();
    for (int loop = 0; loop < 4; loop++) {
      try (RawLdapClient client = proxy.client()) {
        for (int i = 0; i < USUAL; i++) {
          assertThat(client.code(search("ou=fast" + loop + "-" + i).request())).isZero();
        }
      }
    }
    return proxy;
  }

  private static long sum(RunningProxy proxy, ToLongFunction<BackendStatus> number) {
    return proxy.status().backends().stream().mapToLong(number).sum();
  }

  /** The one that was asked second, which is the first or the second by turns. */
  @Test
  void aHedgeThatWinsIsCounted() {
    Held atFirst = first.hold(HedgeIT::isSlow);
    Held atSecond = second.hold(HedgeIT::isSlow);
    try (RunningProxy proxy = started(false);
        RawLdapClient client = proxy.client()) {
      long won = sum(proxy, one -> one.hedges().won());
      int id = client.send(SLOW);
      Await.until("one is asked", () -> atFirst.hasArrived() || atSecond.hasArrived());
      Held later = atFirst.hasArrived() ? atSecond : atFirst;
      later.awaitArrival();
      later.answer(Answers.success());
      assertThat(RawLdapClient.last(client.await(id)).resultCode()).isZero();
      assertThat(sum(proxy, one -> one.hedges().won())).isEqualTo(won + 1);
    }
  }

  @Test
  void theFirstWholeAnswerIsTheClients() {
    Held atFirst = first.hold(HedgeIT::isSlow);
    Held atSecond = second.hold(HedgeIT::isSlow);
    try (RunningProxy proxy = started(true);
        RawLdapClient client = proxy.client()) {
      int id = client.send(SLOW);
      atFirst.awaitArrival();
      atSecond.awaitArrival();
      atSecond.answer(Answers.entries(Answers.person("a", "of the second")));
      assertThat(client.await(id).get(0).mentions("of the second")).isTrue();
      Await.until("it is abandoned", () -> isAbandoned(first, atFirst));
      atFirst.answer(Answers.entries(Answers.person("b", "of the first")));
      assertThat(client.call(SLOW).get(0).mentions("of the second")).isTrue();
      assertThat(isAbandoned(second, atSecond)).isFalse();
      client.send(Requests.unbind());
      assertThat(client.drain()).isEmpty();
    }
  }

  @Test
  void aClientThatLeavesHasBothAbandoned() {
    Held atFirst = first.hold(HedgeIT::isSlow);
    Held atSecond = second.hold(HedgeIT::isSlow);
    try (RunningProxy proxy = started(false);
        RawLdapClient client = proxy.client()) {
      long hedges = sum(proxy, one -> one.hedges().sent());
      int id = client.send(SLOW);
      atFirst.awaitArrival();
      atSecond.awaitArrival();
      Await.until("it is counted", () -> sum(proxy, one -> one.hedges().sent()) == hedges + 1);
      client.send(Requests.abandon(id));
      Await.until("the one is abandoned", () -> isAbandoned(first, atFirst));
      Await.until("the other is abandoned", () -> isAbandoned(second, atSecond));
      assertThat(client.code(FAST)).isZero();
    }
  }

  /** Whichever was asked first. */
  @Test
  void aRefusedHedgeLeavesTheAnswerToTheOther() {
    Held atFirst = first.hold(HedgeIT::isSlow);
    Held atSecond = second.hold(HedgeIT::isSlow);
    try (RunningProxy proxy = started(false);
        RawLdapClient client = proxy.client()) {
      int id = client.send(SLOW);
      atFirst.awaitArrival();
      atSecond.awaitArrival();
      atSecond.answer(Answers.result(51));
      atFirst.answer(Answers.entries(Answers.person("a", "of the first")));
      assertThat(RawLdapClient.last(client.await(id)).resultCode()).isZero();
    }
  }

  @Test
  void fewSearchesAreHedgedIfAllAreSlow() {
    for (ScriptedUpstream server : List.of(first, second)) {
      server.when(HedgeIT::isSlow, Answers.silence());
    }
    try (RunningProxy proxy = started(false);
        RawLdapClient client = proxy.client()) {
      for (int i = 0; i < SLOW_ONES; i++) {
        client.send(search("ou=slow" + i).request());
      }
      Await.until("some are asked twice", () -> sentRequests() >= SLOW_ONES + MAX_TWICE / 2);
      assertThat(client.code(FAST)).isZero();
      assertThat(sentRequests()).isLessThanOrEqualTo(SLOW_ONES + MAX_TWICE + SLOW_ONES / 10);
    }
  }

  private int sentRequests() {
    return first.received(HedgeIT::isSlow).size() + second.received(HedgeIT::isSlow).size();
  }

  @Test
  void bindsAndWritesAreNeverHedged() {
    Held bind = first.hold(request -> request.is(Received.BIND));
    Held otherBind = second.hold(request -> request.is(Received.BIND));
    Held write = first.hold(request -> request.is(Received.MODIFY));
    try (RunningProxy proxy = started(false);
        RawLdapClient client = proxy.client();
        RawLdapClient writing = proxy.client()) {
      int bound = client.send(Requests.bind(People.dn(1), People.PASSWORD));
      int written = writing.send(Requests.replace(People.dn(1), "sn", "x"));
      write.awaitArrival();
      Await.until("it has arrived", () -> bind.hasArrived() || otherBind.hasArrived());
      for (int i = 0; i < USUAL; i++) {
        assertThat(writing.code(FAST)).isZero();
      }
      assertThat(bind.hasArrived() && otherBind.hasArrived()).isFalse();
      assertThat(second.received(request -> request.is(Received.MODIFY))).isEmpty();
      (bind.hasArrived() ? bind : otherBind).answer(Answers.success());
      write.answer(Answers.success());
      assertThat(RawLdapClient.last(client.await(bound)).resultCode()).isZero();
      assertThat(RawLdapClient.last(writing.await(written)).resultCode()).isZero();
    }
  }
}
