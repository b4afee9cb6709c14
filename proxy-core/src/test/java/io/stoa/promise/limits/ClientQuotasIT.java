// SPDX-License-Identifier: Apache-2.0
package io.stoa.promise.limits;

import static io.stoa.testing.Requests.search;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.stoa.client.quota.QuotaConfig;
import io.stoa.client.quota.Quotas;
import io.stoa.net.peer.Network;
import io.stoa.operation.OperationCounters;
import io.stoa.operation.event.QuotaLimit;
import io.stoa.proxy.Extensions;
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
import io.stoa.testing.RunningProxy;
import io.stoa.testing.ScriptedUpstream;
import io.stoa.testing.Slapd;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** The limits of one client network and of one identity, one after the other. */
class ClientQuotasIT {
  private static final int BUSY = 51;
  private static final int INVALID_CREDENTIALS = 49;
  private static final String ATTACKER = "127.0.0.2";
  private static final RawRequest READ = search(People.dn(1)).baseScope().request();

  private static Slapd slapd;

  @RegisterExtension final ExpectedLog log = new ExpectedLog();

  @BeforeAll
  static void start() {
    slapd = Slapd.start(People.slapd(3));
  }

  @AfterAll
  static void stop() {
    slapd.close();
  }

  private static QuotaConfig limit(String limit, Object value) {
    return Records.with(QuotaConfig.OFF, limit, value);
  }

  private static ProxySetup network(QuotaConfig limits) {
    return before(slapd.port(), new Quotas(limits, QuotaConfig.OFF));
  }

  private static ProxySetup identity(QuotaConfig limits) {
    return before(slapd.port(), new Quotas(QuotaConfig.OFF, limits));
  }

  private static ProxySetup before(int port, Quotas quotas) {
    return ProxySetup.before(port).limit("quotas", quotas);
  }

  private static RawLdapClient attacker(RunningProxy proxy) {
    return RawLdapClient.from(ATTACKER, proxy.address());
  }

  private static long busy(RawLdapClient client, int requests) {
    List<Integer> ids = new ArrayList<>();
    for (int i = 0; i < requests; i++) {
      ids.add(client.send(READ));
    }
    return ids.stream()
        .map(id -> RawLdapClient.last(client.await(id)).resultCode())
        .filter(code -> code == BUSY)
        .count();
  }

  @Test
  void aNetworkHasSoManyConnections() {
    try (RunningProxy proxy = network(limit("connections", 2)).start();
        RawLdapClient first = attacker(proxy);
        RawLdapClient second = attacker(proxy);
        RawLdapClient other = proxy.client()) {
      assertThat(first.code(READ)).isZero();
      assertThat(second.code(READ)).isZero();
      try (RawLdapClient third = attacker(proxy)) {
        RawMessage notice = third.next().orElseThrow();
        assertThat(notice.messageId()).isZero();
        assertThat(notice.resultCode()).isEqualTo(BUSY);
        assertThat(third.closesWithin(Duration.ofSeconds(30))).isTrue();
      }
      assertThat(other.code(READ)).isZero();
      second.close();
      Await.until("there is room again", () -> isServed(proxy));
      proxy.proxy().reconfigure(network(QuotaConfig.OFF).config());
      assertThat(isServed(proxy)).isTrue();
    }
  }

  /** Clients that are closed together. Not thread-safe. */
  private static final class Clients implements AutoCloseable {
    private final List<RawLdapClient> all = new ArrayList<>();

    RawLdapClient add(RawLdapClient client) {
      all.add(client);
      return client;
    }

    @Override
    public void close() {
      all.forEach(RawLdapClient::close);
    }
  }

  private static RawLdapClient from(String address, RunningProxy proxy) {
    RawLdapClient client = proxy.client();
    client.sendOctets(("PROXY TCP4 " + address + " 192.0.2.1 50000 389\r\n").getBytes(UTF_8));
    return client;
  }

  @Test
  void byDefaultANetworkLeavesAnEighthOfAllConnections() {
    ProxySetup setup =
        ProxySetup.before(slapd.port())
            .limit("connections", 8)
            .access("proxyProtocol", List.of(Network.parse("127.0.0.1/32")));
    try (RunningProxy proxy = setup.start();
        Clients clients = new Clients()) {
      for (int i = 0; i < 7; i++) {
        RawLdapClient client = clients.add(from("192.0.2.66", proxy));
        assertThat(client.bind(People.dn(1), People.PASSWORD).code(READ)).isZero();
      }
      try (RawLdapClient beyond = from("192.0.2.66", proxy)) {
        assertThat(beyond.next().orElseThrow().resultCode()).isEqualTo(BUSY);
        assertThat(beyond.closesWithin(Duration.ofSeconds(30))).isTrue();
      }
      try (RawLdapClient other = from("192.0.2.67", proxy)) {
        assertThat(other.code(READ)).isZero();
      }
    }
  }

  @Test
  void byDefaultLoopbackAddressesHaveNoLimit() {
    try (RunningProxy proxy = ProxySetup.before(slapd.port()).limit("connections", 8).start();
        Clients clients = new Clients()) {
      for (int i = 0; i < 8; i++) {
        RawLdapClient client = clients.add(attacker(proxy));
        assertThat(client.bind(People.dn(1), People.PASSWORD).code(READ)).isZero();
      }
    }
  }

  private static boolean isServed(RunningProxy proxy) {
    try (RawLdapClient client = attacker(proxy)) {
      client.send(1, READ);
      return client.next().map(RawMessage::messageId).orElse(0) == 1;
    }
  }

  @Test
  void aNetworkHasSoManyOperationsInASecond() {
    QuotaConfig limits = Records.with(limit("operationsPerSecond", 1), "burst", 5);
    try (RunningProxy proxy = network(limits).start();
        RawLdapClient flood = attacker(proxy);
        RawLdapClient more = attacker(proxy);
        RawLdapClient other = proxy.client()) {
      assertThat(busy(flood, 30)).isBetween(5L, 25L);
      assertThat(busy(more, 30)).isGreaterThan(5);
      assertThat(other.code(READ)).isZero();
      Await.until("a token is added", () -> flood.code(READ) == 0);
      proxy.proxy().reconfigure(network(QuotaConfig.OFF).config());
      assertThat(busy(flood, 30)).isZero();
    }
  }

  @Test
  void allSpellingsOfANameAreOneIdentity() {
    QuotaConfig limits = Records.with(limit("operationsPerSecond", 1), "burst", 5);
    try (RunningProxy proxy = identity(limits).start();
        RawLdapClient client = proxy.client();
        RawLdapClient spelled = proxy.client();
        RawLdapClient other = proxy.client();
        RawLdapClient anonymous = proxy.client()) {
      client.bind(People.dn(1), People.PASSWORD);
      spelled.bind(People.dn(1).toUpperCase(Locale.ROOT), People.PASSWORD);
      other.bind(People.dn(2), People.PASSWORD);
      assertThat(busy(client, 30)).isGreaterThan(5);
      assertThat(busy(spelled, 30)).isGreaterThan(5);
      assertThat(busy(anonymous, 30)).isZero();
      assertThat(other.code(READ)).isZero();
    }
  }

  @Test
  void anIdentityHasSoManyConnections() {
    try (RunningProxy proxy = identity(limit("connections", 1)).start();
        RawLdapClient client = proxy.client();
        RawLdapClient second = proxy.client()) {
      client.bind(People.dn(1), People.PASSWORD);
      assertThat(second.code(Requests.bind(People.dn(1), People.PASSWORD))).isEqualTo(BUSY);
      assertThat(second.code(READ)).isZero();
      client.bind(People.dn(1), People.PASSWORD);
      client.bind(People.dn(2), People.PASSWORD);
      second.bind(People.dn(1), People.PASSWORD);
      second.close();
      Await.until(
          "the connection is no longer counted",
          () -> client.code(Requests.bind(People.dn(1), People.PASSWORD)) == 0);
    }
  }

  @Test
  void aNetworkHasSoManyOperationsInFlight() {
    try (ScriptedUpstream upstream = ScriptedUpstream.start();
        RunningProxy proxy =
            before(upstream.port(), new Quotas(limit("operationsInFlight", 2), QuotaConfig.OFF))
                .start();
        RawLdapClient client = attacker(proxy);
        RawLdapClient second = attacker(proxy);
        RawLdapClient other = proxy.client()) {
      Held one = upstream.hold(request -> request.isSearchFor("ou=one"));
      Held two = upstream.hold(request -> request.isSearchFor("ou=two"));
      int first = client.send(search("ou=one,dc=example,dc=com").request());
      one.awaitArrival();
      int next = second.send(search("ou=two,dc=example,dc=com").request());
      two.awaitArrival();
      RawRequest fast = search("ou=fast,dc=example,dc=com").request();
      assertThat(client.code(fast)).isEqualTo(BUSY);
      assertThat(other.code(fast)).isZero();
      one.answer(Answers.entries());
      assertThat(RawLdapClient.last(client.await(first)).resultCode()).isZero();
      assertThat(client.code(fast)).isZero();
      second.send(Requests.abandon(next));
      Await.until("the abandoned one has ended", () -> client.code(fast) == 0);
      two.answer(Answers.entries());
    }
  }

  // Failed binds

  private static final RawRequest WRONG = Requests.bind(People.dn(1), "wrong");
  private static final RawRequest RIGHT = Requests.bind(People.dn(1), People.PASSWORD);

  private static QuotaConfig failures(Duration delay) {
    return Records.with(limit("failedBinds", 3), "failedBindDelay", delay);
  }

  private static Duration timeOf(RawLdapClient client, RawRequest bind, int code) {
    long start = System.nanoTime();
    assertThat(client.code(bind)).isEqualTo(code);
    return Duration.ofNanos(System.nanoTime() - start);
  }

  /** Leaves while the answer to a failed bind waits. */
  private static void guess(RawLdapClient guesser, OperationCounters counters, QuotaLimit limit) {
    long before = counters.limits().get(limit);
    try (guesser) {
      guesser.send(WRONG);
      Await.until("the answer waits", () -> counters.limits().get(limit) > before);
    }
  }

  private static RunningProxy start(ProxySetup setup, OperationCounters counters) {
    Extensions counting = new Extensions(next -> next, counters, listeners -> {});
    return RunningProxy.start(setup.config(), counting);
  }

  @Test
  void answersToFailedBindsWaitLongerAndLonger() {
    try (RunningProxy proxy = network(failures(Duration.ofMillis(900))).start();
        RawLdapClient client = attacker(proxy);
        RawLdapClient other = proxy.client()) {
      for (int i = 0; i < 3; i++) {
        assertThat(client.code(WRONG)).isEqualTo(INVALID_CREDENTIALS);
      }
      assertThat(timeOf(client, WRONG, INVALID_CREDENTIALS)).isGreaterThan(Duration.ofMillis(240));
      assertThat(timeOf(client, WRONG, INVALID_CREDENTIALS)).isGreaterThan(Duration.ofMillis(490));
      assertThat(timeOf(client, WRONG, INVALID_CREDENTIALS)).isGreaterThan(Duration.ofMillis(890));
      assertThat(client.code(RIGHT)).isZero();
      assertThat(other.code(WRONG)).isEqualTo(INVALID_CREDENTIALS);
      assertThat(proxy.proxy().status().connections()).isEqualTo(2);
    }
  }

  @Test
  void aNetworkKeepsFewBindsWaitingAlsoIfItsClientsLeave() {
    OperationCounters counters = new OperationCounters();
    try (RunningProxy proxy = start(network(failures(Duration.ofMinutes(1))), counters);
        RawLdapClient other = proxy.client()) {
      try (RawLdapClient client = attacker(proxy)) {
        for (int i = 0; i < 3; i++) {
          assertThat(client.code(WRONG)).isEqualTo(INVALID_CREDENTIALS);
        }
      }
      for (int i = 0; i < 40; i++) {
        guess(attacker(proxy), counters, QuotaLimit.NETWORK_FAILED_BINDS);
      }
      try (RawLdapClient client = attacker(proxy)) {
        assertThat(client.code(RIGHT)).isEqualTo(BUSY);
        proxy.proxy().reconfigure(network(QuotaConfig.OFF).config());
        assertThat(client.code(RIGHT)).isZero();
      }
      assertThat(other.code(RIGHT)).isZero();
    }
  }

  @Test
  void aNameThatIsGuessedStillBindsAtOnce() {
    OperationCounters counters = new OperationCounters();
    try (RunningProxy proxy = start(identity(failures(Duration.ofMinutes(1))), counters);
        RawLdapClient client = proxy.client()) {
      for (int i = 0; i < 3; i++) {
        assertThat(client.code(WRONG)).isEqualTo(INVALID_CREDENTIALS);
      }
      for (int i = 0; i < 12; i++) {
        RawLdapClient guesser = RawLdapClient.from("127.0.0." + (i + 10), proxy.address());
        guess(guesser, counters, QuotaLimit.IDENTITY_FAILED_BINDS);
      }
      assertThat(timeOf(client, RIGHT, 0)).isLessThan(Duration.ofSeconds(20));
    }
  }

  private static void fail(RawLdapClient client, String name, int times) {
    for (int i = 0; i < times; i++) {
      assertThat(client.code(Requests.bind(name, "wrong"))).isEqualTo(INVALID_CREDENTIALS);
    }
  }

  @Test
  void veryLongAndOtherSpellingsCountAsOneIdentity() {
    OperationCounters counters = new OperationCounters();
    String longest = "uid=" + "long".repeat(200) + "," + People.PEOPLE;
    try (ScriptedUpstream upstream =
            ScriptedUpstream.start()
                .when(request -> request.is(Received.BIND), Answers.result(INVALID_CREDENTIALS));
        RunningProxy proxy =
            start(
                before(
                    upstream.port(), new Quotas(QuotaConfig.OFF, failures(Duration.ofMillis(250)))),
                counters);
        RawLdapClient client = proxy.client()) {
      fail(client, longest, 3);
      fail(client, "User@example.com", 3);
      assertThat(counters.limits().get(QuotaLimit.IDENTITY_FAILED_BINDS)).isZero();
      fail(client, longest.toUpperCase(Locale.ROOT), 1);
      assertThat(counters.limits().get(QuotaLimit.IDENTITY_FAILED_BINDS)).isEqualTo(1);
      fail(client, "user@Example.COM", 1);
      assertThat(counters.limits().get(QuotaLimit.IDENTITY_FAILED_BINDS)).isEqualTo(2);
      fail(client, longest.replace("uid=l", "uid=x"), 1);
      assertThat(counters.limits().get(QuotaLimit.IDENTITY_FAILED_BINDS)).isEqualTo(2);
    }
  }

  @Test
  void aBindWithoutAPasswordLeavesTheFailedBindsOfItsName() {
    OperationCounters counters = new OperationCounters();
    try (ScriptedUpstream upstream = ScriptedUpstream.start();
        RunningProxy proxy =
            start(
                before(
                    upstream.port(), new Quotas(QuotaConfig.OFF, failures(Duration.ofMillis(250)))),
                counters);
        RawLdapClient client = proxy.client()) {
      Answer refused = Answers.result(INVALID_CREDENTIALS);
      upstream.when(request -> request.is(Received.BIND), refused);
      fail(client, People.dn(1), 3);
      upstream.when(request -> request.is(Received.BIND), Answers.success());
      assertThat(client.code(Requests.bind(People.dn(1), ""))).isZero();
      upstream.when(request -> request.is(Received.BIND), refused);
      fail(client, People.dn(1), 1);
      assertThat(counters.limits().get(QuotaLimit.IDENTITY_FAILED_BINDS)).isEqualTo(1);
      upstream.when(request -> request.is(Received.BIND), Answers.success());
      assertThat(client.code(RIGHT)).isZero();
      upstream.when(request -> request.is(Received.BIND), refused);
      fail(client, People.dn(1), 3);
      assertThat(counters.limits().get(QuotaLimit.IDENTITY_FAILED_BINDS)).isEqualTo(1);
    }
  }
}
