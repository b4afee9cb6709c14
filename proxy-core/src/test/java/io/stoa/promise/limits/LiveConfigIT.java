// SPDX-License-Identifier: Apache-2.0
package io.stoa.promise.limits;

import static io.stoa.testing.Requests.search;
import static org.assertj.core.api.Assertions.assertThat;

import com.unboundid.ldap.sdk.Filter;
import io.stoa.testing.Answers;
import io.stoa.testing.Await;
import io.stoa.testing.ClientSwarm;
import io.stoa.testing.ExpectedLog;
import io.stoa.testing.Held;
import io.stoa.testing.ProxySetup;
import io.stoa.testing.RawLdapClient;
import io.stoa.testing.RawRequest;
import io.stoa.testing.Received;
import io.stoa.testing.Records;
import io.stoa.testing.Requests;
import io.stoa.testing.RunningProxy;
import io.stoa.testing.ScriptedUpstream;
import io.stoa.upstream.balancing.ServerSpec;
import io.stoa.upstream.connect.UpstreamTransport;
import io.stoa.upstream.pool.ReplayConfig.UnknownOutcome;
import io.stoa.upstream.server.BackendStatus;
import io.stoa.upstream.server.ServerAddress;
import io.stoa.write.WindowConfig;
import io.stoa.write.WindowConfig.Batch;
import java.time.Duration;
import java.util.List;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** What is changed while the proxy runs has its effect on what is done next. */
class LiveConfigIT {
  private static final int BUSY = 51;
  private static final int UNAVAILABLE = 52;
  private static final Duration LONG = Duration.ofHours(1);
  private static final Duration SHORT = Duration.ofMillis(200);
  private static final RawRequest SLOW = search("ou=slow,dc=example,dc=com").request();
  private static final RawRequest FAST = search("ou=fast,dc=example,dc=com").request();
  private static final RawRequest CHANGE = Requests.replace("uid=a,dc=example,dc=com", "sn", "new");

  @RegisterExtension final ExpectedLog log = new ExpectedLog();
  @RegisterExtension final ScriptedUpstream first = ScriptedUpstream.start();
  @RegisterExtension final ScriptedUpstream second = ScriptedUpstream.start();

  private ProxySetup setup;
  private RunningProxy proxy;

  @AfterEach
  void stop() {
    proxy.close();
  }

  private void start(ProxySetup wanted) {
    setup = wanted;
    proxy = setup.start().awaitUp();
  }

  private ProxySetup one() {
    return ProxySetup.before(first.port()).cachesOff();
  }

  private ProxySetup two() {
    return ProxySetup.before(first.port(), second.port()).cachesOff();
  }

  private List<String> change(UnaryOperator<ProxySetup> step) {
    setup = step.apply(setup);
    return proxy.proxy().reconfigure(setup.config());
  }

  private void change(String component, Object value) {
    change(before -> before.upstream(component, value));
  }

  private void transport(String component, Object value) {
    change("transport", Records.with(UpstreamTransport.DEFAULTS, component, value));
  }

  private BackendStatus only() {
    return proxy.status().backends().get(0);
  }

  private static boolean isSlow(Received request) {
    return request.isSearchFor("ou=slow");
  }

  private static boolean isFast(Received request) {
    return request.isSearchFor("ou=fast");
  }

  private static boolean isBind(Received request) {
    return request.is(Received.BIND) && request.message().mentions("uid=");
  }

  private static boolean isChange(Received request) {
    return request.is(Received.MODIFY);
  }

  // How long

  @Test
  void operationTimeout() {
    start(one());
    first.when(LiveConfigIT::isSlow, Answers.silence());
    change("operationTimeout", Duration.ofMillis(400));
    try (RawLdapClient client = proxy.client()) {
      assertThat(client.code(SLOW)).isEqualTo(UNAVAILABLE);
    }
  }

  @Test
  void attemptTimeout() {
    start(two().upstream("attemptTimeout", LONG));
    change("attemptTimeout", Duration.ofMillis(100));
    for (ScriptedUpstream server : List.of(first, second)) {
      server.when(request -> isSilent(server, request), Answers.silence());
    }
    try (RawLdapClient client = proxy.client()) {
      assertThat(client.code(SLOW)).isZero();
      assertThat(first.received(LiveConfigIT::isSlow)).hasSize(1);
      assertThat(second.received(LiveConfigIT::isSlow)).hasSize(1);
    }
  }

  @Test
  void bindTimeout() {
    start(one());
    change("bindTimeout", Duration.ofMillis(400));
    first.when(
        LiveConfigIT::isBind,
        (request, link) ->
            (bound(first) == 1 ? Answers.silence() : Answers.success()).to(request, link));
    try (RawLdapClient client = proxy.client()) {
      assertThat(client.code(Requests.bind("uid=a,dc=example,dc=com", "secret"))).isZero();
      assertThat(bound(first)).isEqualTo(2);
    }
  }

  /** Whoever is asked first says nothing any more. */
  private boolean isSilent(ScriptedUpstream server, Received request) {
    ScriptedUpstream other = server == first ? second : first;
    boolean asked = isSlow(request) || !server.received(LiveConfigIT::isSlow).isEmpty();
    return asked && other.received(LiveConfigIT::isSlow).isEmpty();
  }

  @Test
  void queueTimeout() {
    start(one().upstream("maxConnections", 1).upstream("maxInFlightPerConnection", 1));
    change("queueTimeout", SHORT);
    try (RawLdapClient client = proxy.client();
        RawLdapClient other = proxy.client()) {
      Held held = first.hold(LiveConfigIT::isSlow);
      int id = client.send(SLOW);
      held.awaitArrival();
      assertThat(other.code(FAST)).isEqualTo(BUSY);
      held.answer(Answers.success());
      client.await(id);
    }
  }

  @Test
  void connectionsWithoutWork() {
    start(one());
    try (RawLdapClient client = proxy.client()) {
      assertThat(client.code(FAST)).isZero();
      assertThat(only().connections()).isPositive();
      transport("idleTimeout", SHORT);
      Await.until("the connection is closed", () -> only().connections() == 0);
      assertThat(client.code(FAST)).isZero();
    }
  }

  @Test
  void ageOfConnections() {
    start(one());
    try (RawLdapClient client = proxy.client()) {
      assertThat(client.code(FAST)).isZero();
      int before = first.acceptedConnections();
      transport("maxAge", SHORT);
      Await.until(
          "others are made",
          () -> client.code(FAST) == 0 && first.acceptedConnections() > before + 2);
    }
  }

  // How many

  @Test
  void queueLimit() {
    start(
        one()
            .limit("operationsInFlight", 1)
            .upstream("maxConnections", 1)
            .upstream("maxInFlightPerConnection", 1));
    change("queueLimit", 1);
    try (RawLdapClient client = proxy.client();
        RawLdapClient waiting = proxy.client();
        RawLdapClient other = proxy.client()) {
      Held held = first.hold(LiveConfigIT::isSlow);
      int id = client.send(SLOW);
      held.awaitArrival();
      int later = waiting.send(FAST);
      Await.until("one waits", () -> proxy.status().queued() == 1);
      assertThat(other.code(FAST)).isEqualTo(BUSY);
      assertThat(proxy.status().queueLimit()).isEqualTo(1);
      held.answer(Answers.success());
      client.await(id);
      waiting.await(later);
    }
  }

  @Test
  void operationsOnOneConnection() {
    start(one().upstream("maxConnections", 1).upstream("maxInFlightPerConnection", 1));
    change("maxInFlightPerConnection", 2);
    try (RawLdapClient client = proxy.client()) {
      Held held = first.hold(LiveConfigIT::isSlow);
      int id = client.send(SLOW);
      held.awaitArrival();
      assertThat(client.code(FAST)).as("beside the other").isZero();
      held.answer(Answers.success());
      client.await(id);
    }
  }

  @Test
  void operationsOfOneServer() {
    start(one());
    change("balance", Records.with(setup.upstream().balance(), "maxInFlight", 1));
    try (RawLdapClient client = proxy.client()) {
      Held held = first.hold(LiveConfigIT::isSlow);
      int id = client.send(SLOW);
      held.awaitArrival();
      int later = client.send(FAST);
      Await.until("it waits", () -> only().places().waiting() == 1);
      assertThat(only().places().cap()).isEqualTo(1);
      assertThat(first.received(LiveConfigIT::isFast)).isEmpty();
      change("balance", Records.with(setup.upstream().balance(), "maxInFlight", 0));
      assertThat(RawLdapClient.last(client.await(later)).resultCode()).isZero();
      held.answer(Answers.success());
      client.await(id);
    }
  }

  /** Connections go without an operation that fails, and come back. */
  @Test
  void connectionsToAServer() {
    start(one().upstream("maxConnections", 16).upstream("maxInFlightPerConnection", 1));
    try (ClientSwarm crowd = new ClientSwarm()) {
      for (int i = 0; i < 8; i++) {
        crowd.add(proxy.client());
      }
      Held[] held = new Held[8];
      for (int i = 0; i < held.length; i++) {
        held[i] = first.hold(LiveConfigIT::isSlow);
        crowd.all().get(i).send(7, SLOW);
        held[i].awaitArrival();
      }
      assertThat(only().connections()).isEqualTo(8);
      change("maxConnections", 2);
      for (Held one : held) {
        one.answer(Answers.success());
      }
      crowd
          .all()
          .forEach(one -> assertThat(RawLdapClient.last(one.await(7)).resultCode()).isZero());
      Await.until("two are left", () -> only().connections() <= 2);
      crowd.all().forEach(one -> assertThat(one.code(FAST)).isZero());
      assertThat(only().connections()).isLessThanOrEqualTo(2);
    }
  }

  /** Those that are there stay; others come in again when there is room. */
  @Test
  void connectionsOfClients() {
    start(one());
    RawLdapClient gone = proxy.client();
    try (RawLdapClient stays = proxy.client()) {
      gone.bind("uid=a,dc=example,dc=com", "secret"); // otherwise it would give way
      stays.bind("uid=a,dc=example,dc=com", "secret");
      change(before -> before.limit("connections", 1));
      try (RawLdapClient refused = proxy.client()) {
        assertThat(refused.closesWithin(Duration.ofSeconds(30))).isTrue();
      }
      assertThat(stays.code(FAST)).isZero();
      assertThat(gone.code(FAST)).isZero();
      gone.close();
      Await.until("it has gone", () -> proxy.status().connections() == 1);
      try (RawLdapClient refused = proxy.client()) {
        assertThat(refused.closesWithin(Duration.ofSeconds(30))).isTrue();
      }
      change(before -> before.limit("connections", 2));
      Await.until("the refused have gone", () -> proxy.status().connections() == 1);
      try (RawLdapClient admitted = proxy.client()) {
        assertThat(admitted.code(FAST)).isZero();
      }
    } finally {
      gone.close();
    }
  }

  @Test
  void depthOfFilters() {
    start(one());
    Filter deep = Filter.createNOTFilter(Filter.createNOTFilter(Filter.createPresenceFilter("a")));
    RawRequest nested = search("dc=example,dc=com").filter(deep.toString()).request();
    try (RawLdapClient client = proxy.client()) {
      assertThat(client.code(nested)).isZero();
      change(before -> before.limit("filterDepth", 1));
      client.send(nested);
      assertThat(client.closesWithin(Duration.ofSeconds(30))).isTrue();
    }
  }

  /** A request of a known shape is sent without decoding, except after a change of the limits. */
  @Test
  void depthOfFiltersOfAKnownShape() {
    start(ProxySetup.before(first.port()));
    try (RawLdapClient client = proxy.client()) {
      assertThat(client.code(nested("1"))).isZero();
      assertThat(client.code(nested("2"))).isZero();
      change(before -> before.limit("filterDepth", 1));
      client.send(nested("3"));
      assertThat(client.closesWithin(Duration.ofSeconds(30))).isTrue();
    }
  }

  private static RawRequest nested(String value) {
    Filter equality = Filter.createEqualityFilter("a", value);
    Filter deep = Filter.createNOTFilter(Filter.createNOTFilter(equality));
    return search("dc=example,dc=com").filter(deep.toString()).request();
  }

  // Which server, and what is said

  @Test
  void bindsOfOneName() {
    start(two());
    binds();
    assertThat(bound(first) == 0 || bound(second) == 0).isTrue();
    change(before -> before.replay("bindAffinity", false));
    binds();
    assertThat(bound(first) > 0 && bound(second) > 0).isTrue();
  }

  private void binds() {
    for (int i = 0; i < 20; i++) {
      try (RawLdapClient client = proxy.client()) {
        assertThat(client.code(Requests.bind("uid=a,dc=example,dc=com", "secret"))).isZero();
      }
    }
  }

  private static int bound(ScriptedUpstream server) {
    return server.received(LiveConfigIT::isBind).size();
  }

  @Test
  void unknownOutcomeAnswer() {
    start(one());
    first.when(LiveConfigIT::isChange, Answers.close());
    try (RawLdapClient told = proxy.client();
        RawLdapClient disconnected = proxy.client()) {
      assertThat(told.code(CHANGE)).isEqualTo(80);
      change(before -> before.replay("unknownOutcome", UnknownOutcome.DISCONNECT));
      Await.until("it is up", () -> proxy.up() == 1);
      disconnected.send(CHANGE);
      assertThat(disconnected.closesWithin(Duration.ofSeconds(30))).isTrue();
    }
  }

  @Test
  void writeCoherence() {
    List<ServerSpec> servers =
        List.of(
            new ServerSpec(new ServerAddress("127.0.0.1", first.port()), true, 1, 1),
            new ServerSpec(new ServerAddress("127.0.0.1", second.port()), false, 1, 1));
    start(two().upstream("servers", servers).upstream("writeCoherence", Duration.ZERO));
    try (RawLdapClient client = proxy.client()) {
      assertThat(client.code(CHANGE)).isZero();
      read(client);
      int before = second.received(LiveConfigIT::isFast).size();
      assertThat(before).isPositive();
      change("writeCoherence", LONG);
      assertThat(client.code(CHANGE)).isZero();
      read(client);
      assertThat(second.received(LiveConfigIT::isFast)).hasSize(before);
    }
  }

  private static void read(RawLdapClient client) {
    for (int i = 0; i < 20; i++) {
      assertThat(client.code(FAST)).isZero();
    }
  }

  @Test
  void hedging() {
    start(two());
    change(before -> before.replay("hedge", true));
    try (ClientSwarm crowd = new ClientSwarm()) {
      for (int loop = 0; loop < 4; loop++) {
        RawLdapClient client = crowd.add(proxy.client());
        for (int i = 0; i < 300; i++) {
          assertThat(client.code(search("ou=fast" + loop + "-" + i).request())).isZero();
        }
      }
      Held atFirst = first.hold(LiveConfigIT::isSlow);
      Held atSecond = second.hold(LiveConfigIT::isSlow);
      int id = crowd.all().get(0).send(SLOW);
      atFirst.awaitArrival();
      atSecond.awaitArrival();
      atSecond.answer(Answers.success());
      atFirst.answer(Answers.success());
      crowd.all().get(0).await(id);
    }
  }

  // Windows

  private static WindowConfig window(Duration every, int max) {
    return new WindowConfig("w", null, null, every, max, Batch.SINGLE, false);
  }

  @Test
  void aWindowClosesSooner() {
    start(one().windows(window(Duration.ofSeconds(10), 64)));
    try (RawLdapClient client = proxy.client();
        RawLdapClient other = proxy.client()) {
      int id = client.send(CHANGE);
      Await.until("it waits", () -> proxy.proxy().windows().status().get(0).waiting() == 1);
      assertThat(change(before -> before.windows(window(SHORT, 64))))
          .containsExactly("window w: every=200 ms, maxOperations=64");
      assertThat(RawLdapClient.last(client.await(id)).resultCode()).isZero();
      assertThat(other.code(CHANGE)).isZero();
      assertThat(change(before -> before.windows(window(SHORT, 64)))).isEmpty();
    }
  }

  @Test
  void aWindowClosesWithFewerWrites() {
    start(one().windows(window(Duration.ofSeconds(10), 64)));
    try (RawLdapClient client = proxy.client();
        RawLdapClient other = proxy.client()) {
      int id = client.send(CHANGE);
      Await.until("it waits", () -> proxy.proxy().windows().status().get(0).waiting() == 1);
      change(before -> before.windows(window(Duration.ofSeconds(10), 2)));
      assertThat(first.received(LiveConfigIT::isChange)).isEmpty();
      assertThat(other.code(Requests.replace("uid=b,dc=example,dc=com", "sn", "new"))).isZero();
      assertThat(RawLdapClient.last(client.await(id)).resultCode()).isZero();
    }
  }
}
