// SPDX-License-Identifier: Apache-2.0
package io.stoa.promise.failover;

import static io.stoa.testing.Requests.search;
import static org.assertj.core.api.Assertions.assertThat;

import io.stoa.testing.Answer;
import io.stoa.testing.Answers;
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
import io.stoa.upstream.balancing.Balancing;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Predicate;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** A server refuses as busy, and whatever then becomes of the others, nobody notices. */
class BusyServersIT {
  private static final int BUSY = 51;
  private static final int UNAVAILABLE = 52;
  private static final RawRequest SEARCH = search("ou=many").request();
  private static final RawRequest BIND = Requests.bind(People.dn(1), People.PASSWORD);

  @RegisterExtension final ExpectedLog log = new ExpectedLog();
  @RegisterExtension final ScriptedUpstream first = ScriptedUpstream.start();
  @RegisterExtension final ScriptedUpstream second = ScriptedUpstream.start();
  @RegisterExtension final ScriptedUpstream third = ScriptedUpstream.start();

  private static boolean isSearch(Received request) {
    return request.isSearchFor("ou=many");
  }

  private static boolean isBind(Received request) {
    return request.is(Received.BIND);
  }

  /** The servers are asked in their order, and none is ejected. */
  private static ProxySetup before(ScriptedUpstream... servers) {
    BalanceConfig balance =
        Records.with(
            Records.with(BalanceConfig.DEFAULTS, "strategies", List.of(Balancing.FAILOVER)),
            "ejection",
            Duration.ZERO);
    int[] ports = List.of(servers).stream().mapToInt(ScriptedUpstream::port).toArray();
    return ProxySetup.before(ports).replay("bindAffinity", false).upstream("balance", balance);
  }

  /** From now on the next such request is answered so, and all further ones as ever. */
  private static void once(ScriptedUpstream server, Predicate<Received> condition, Answer answer) {
    AtomicBoolean next = new AtomicBoolean(true);
    server.when(request -> condition.test(request) && next.getAndSet(false), answer);
  }

  /** Only who may not be bound to the primary has a connection alone, past the caches. */
  @Test
  void aBindRefusedByTheBusyPrimaryStillUsesTheCache() {
    once(first, BusyServersIT::isBind, Answers.result(BUSY));
    try (RunningProxy proxy = before(first, second).start().awaitUp(2);
        RawLdapClient client = proxy.client()) {
      assertThat(client.code(BIND)).isZero();
      assertThat(second.received(BusyServersIT::isBind)).hasSize(1);
      assertThat(client.code(SEARCH)).isZero();
      assertThat(client.code(SEARCH)).isZero();
      assertThat(proxy.cache().filterHits()).isEqualTo(1);
    }
  }

  /** It could have waited there as well. */
  @Test
  void aSearchReturnsToTheBusyServerWhenTheOtherDies() {
    once(first, BusyServersIT::isSearch, Answers.result(BUSY));
    Held held = second.hold(BusyServersIT::isSearch);
    try (RunningProxy proxy = before(first, second).start().awaitUp(2);
        RawLdapClient client = proxy.client()) {
      int id = client.send(SEARCH);
      held.awaitArrival();
      second.goDown();
      assertThat(RawLdapClient.last(client.await(id)).resultCode()).isZero();
      assertThat(first.received(BusyServersIT::isSearch)).hasSize(2);
    }
  }

  /** One that hangs is asked by nobody before it is known to be well. */
  @Test
  void aSearchReturnsToTheBusyServerWhenTheOtherHangs() {
    once(first, BusyServersIT::isSearch, Answers.result(BUSY));
    try (RunningProxy proxy = before(first, second).start().awaitUp(2);
        RawLdapClient client = proxy.client()) {
      second.always(Answers.silence());
      assertThat(client.code(SEARCH)).isZero();
      assertThat(first.received(BusyServersIT::isSearch)).hasSize(2);
      assertThat(second.received(BusyServersIT::isSearch)).hasSize(1);
    }
  }

  /** The one that was busy has counted no password. */
  @Test
  void aBindIsSentToAThirdServerAfterABusyOneAndALostOne() {
    once(first, BusyServersIT::isBind, Answers.result(BUSY));
    second.when(BusyServersIT::isBind, Answers.close());
    try (RunningProxy proxy = before(first, second, third).start().awaitUp(3);
        RawLdapClient client = proxy.client()) {
      assertThat(client.code(BIND)).isZero();
      assertThat(third.received(BusyServersIT::isBind)).hasSize(1);
    }
  }

  @Test
  void aBindIsGivenUpAfterTwoLostServers() {
    once(first, BusyServersIT::isBind, Answers.result(BUSY));
    second.when(BusyServersIT::isBind, Answers.close());
    third.when(BusyServersIT::isBind, Answers.close());
    try (RunningProxy proxy = before(first, second, third).start().awaitUp(3);
        RawLdapClient client = proxy.client()) {
      assertThat(client.code(BIND)).isEqualTo(UNAVAILABLE);
      assertThat(first.received(BusyServersIT::isBind)).hasSize(1);
      assertThat(second.received(BusyServersIT::isBind)).hasSize(1);
      assertThat(third.received(BusyServersIT::isBind)).hasSize(1);
    }
  }

  /** However many they refuse, and however many of them: there is one that answers. */
  @Test
  void twoBusyServersAreHiddenByAThird() {
    first.when(BusyServersIT::isSearch, Answers.result(BUSY));
    second.when(BusyServersIT::isSearch, Answers.result(BUSY));
    try (RunningProxy proxy = before(first, second, third).cachesOff().start().awaitUp(3);
        RawLdapClient client = proxy.client()) {
      for (int i = 0; i < 500; i++) {
        assertThat(client.code(SEARCH)).isZero();
      }
    }
  }
}
