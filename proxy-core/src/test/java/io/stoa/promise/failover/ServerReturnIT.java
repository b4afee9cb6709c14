// SPDX-License-Identifier: Apache-2.0
package io.stoa.promise.failover;

import static io.stoa.testing.Requests.search;
import static org.assertj.core.api.Assertions.assertThat;

import io.stoa.testing.Answer;
import io.stoa.testing.Answers;
import io.stoa.testing.Await;
import io.stoa.testing.ExpectedLog;
import io.stoa.testing.ProxySetup;
import io.stoa.testing.RawLdapClient;
import io.stoa.testing.RawRequest;
import io.stoa.testing.Received;
import io.stoa.testing.Records;
import io.stoa.testing.Requests;
import io.stoa.testing.RunningProxy;
import io.stoa.testing.ScriptedUpstream;
import io.stoa.upstream.balancing.BalanceConfig;
import io.stoa.upstream.connect.UpstreamTransport;
import io.stoa.upstream.server.BackendState;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** What a server finds that returns, and whether one is gone to which no connection can be made. */
class ServerReturnIT {
  private static final RawRequest FIND =
      search("ou=people,dc=example,dc=com").filter("(uid=anna)").request();
  private static final RawRequest OWN = Requests.extended("1.3.6.1.4.1.4203.1.11.99");
  private static final int UNAVAILABLE = 52;
  private static final int REFUSED = 53;
  private static final int CLIENTS = 200;
  private static final int MAX_CONNECTING = 8;

  /** More attempts than anybody makes in half a minute who waits twice as long after each. */
  private static final int OFTEN = 30;

  @RegisterExtension final ExpectedLog log = new ExpectedLog();

  private ScriptedUpstream upstream;

  /** Connections up to this one are dead: what is sent on them is never answered. */
  private volatile int dead;

  @BeforeEach
  void start() {
    upstream = ScriptedUpstream.start();
    upstream.when(ServerReturnIT::isFind, Answers.entries(Answers.person("anna", "here")));
    upstream.when(request -> request.is(Received.EXTENDED), Answers.result(REFUSED));
    upstream.when(request -> request.connection() <= dead, Answers.silence());
  }

  @AfterEach
  void stop() {
    upstream.close();
  }

  private static boolean isFind(Received request) {
    return request.isSearchFor("anna");
  }

  private static void awaitState(RunningProxy proxy, BackendState wanted) {
    Await.until(
        "the server is " + wanted, () -> proxy.status().backends().get(0).state() == wanted);
  }

  private static String name(int number) {
    return "uid=" + number + ",dc=example,dc=com";
  }

  private ProxySetup setup() {
    return ProxySetup.before(upstream.port()).cachesOff();
  }

  /** The server restarts behind a network that tells nobody. */
  @Test
  void connectionsFromBeforeAnOutageAreNotReused() {
    ProxySetup setup =
        setup()
            .upstream("connectTimeout", Duration.ofMillis(400))
            .upstream("attemptTimeout", Duration.ofMillis(100));
    try (RunningProxy proxy = setup.start();
        RawLdapClient shared = proxy.client().bind(name(1), "secret");
        RawLdapClient pinned = proxy.client().bind(name(2), "secret");
        RawLdapClient other = proxy.client().bind(name(3), "secret")) {
      assertThat(shared.code(FIND)).isZero();
      assertThat(pinned.code(OWN)).isEqualTo(REFUSED);
      int old = upstream.acceptedConnections();
      dead = Integer.MAX_VALUE;
      assertThat(shared.code(FIND)).isEqualTo(UNAVAILABLE);
      awaitState(proxy, BackendState.DOWN);
      int before = upstream.received().size();
      dead = upstream.acceptedConnections(); // what its probe has made meanwhile is dead as well
      awaitState(proxy, BackendState.UP);
      assertThat(shared.code(FIND)).isZero();
      assertThat(pinned.code(OWN)).isEqualTo(REFUSED);
      assertThat(other.code(FIND)).isZero();
      assertThat(other.code(Requests.bind(name(4), "secret"))).isZero();
      assertThat(upstream.received().stream().skip(before))
          .filteredOn(request -> !request.is(Received.UNBIND) && !request.is(Received.ABANDON))
          .allMatch(request -> request.connection() > old);
    }
  }

  /** It has as many connections as it takes, or is about to end. */
  @Test
  void aServerRefusingConnectionsIsNotDownWhileItAnswers() {
    try (RunningProxy proxy = setup().start();
        RawLdapClient shared = proxy.client().bind(name(1), "secret");
        RawLdapClient pinned = proxy.client().bind(name(2), "secret")) {
      assertThat(shared.code(FIND)).isZero();
      upstream.refuseConnections();
      assertThat(pinned.code(OWN)).isEqualTo(UNAVAILABLE);
      assertThat(shared.code(FIND)).isZero();
      upstream.comeBack();
      assertThat(pinned.code(OWN)).isEqualTo(REFUSED);
      upstream.goDown();
      assertThat(shared.code(FIND)).isEqualTo(UNAVAILABLE);
      Await.until("it is down", () -> !log.warningsOf("Health").isEmpty());
      assertThat(log.warnings()).hasSize(1);
    }
  }

  /**
   * Each attempt waits twice as long as the one before, but whoever misses it has it looked for.
   */
  @Test
  void aMissingServerIsProbedOftenWhileClientsNeedIt() {
    try (RunningProxy proxy = setup().start().awaitUp()) {
      AtomicInteger attempts = new AtomicInteger();
      upstream.always(
          (request, link) -> {
            attempts.incrementAndGet();
            Answers.close().to(request, link);
          });
      upstream.dropConnections();
      awaitState(proxy, BackendState.DOWN);
      try (RawLdapClient client = proxy.client()) {
        Await.until(
            "it is asked for often",
            () -> client.code(FIND) == UNAVAILABLE && attempts.get() > OFTEN);
      }
    }
  }

  private static double weight(RunningProxy proxy) {
    return proxy.status().backends().get(0).weight();
  }

  /** Its caches are as warm as before, and nobody has gone elsewhere. */
  @Test
  void onlyALongOutageCausesASlowStart() {
    BalanceConfig slow = Records.with(BalanceConfig.DEFAULTS, "slowStart", Duration.ofHours(1));
    ProxySetup setup =
        setup().upstream("balance", slow).upstream("attemptTimeout", Duration.ofMillis(100));
    try (RunningProxy proxy = setup.start();
        RawLdapClient client = proxy.client().bind(name(1), "secret")) {
      assertThat(client.code(FIND)).isZero();
      dead = Integer.MAX_VALUE;
      final int asked = client.send(FIND);
      awaitState(proxy, BackendState.SUSPECT);
      dead = 0;
      upstream.dropConnections();
      assertThat(RawLdapClient.last(client.await(asked)).resultCode()).isZero();
      Await.until("it is up", () -> proxy.status().ready() && weight(proxy) >= 0);
      awaitState(proxy, BackendState.UP);
      assertThat(weight(proxy)).isEqualTo(1);
      upstream.goDown();
      awaitState(proxy, BackendState.DOWN);
      upstream.comeBack();
      awaitState(proxy, BackendState.UP);
      Await.until("it starts slowly", () -> weight(proxy) < 1);
    }
  }

  /** Writes take what they take, and tell nothing of a server's speed. */
  @Test
  void onlyReadsCountTowardsLatency() {
    upstream.when(
        request -> request.is(Received.MODIFY),
        Answers.slowly(Duration.ofSeconds(1), Answers.success()));
    try (RunningProxy proxy = setup().start();
        RawLdapClient client = proxy.client().bind(name(1), "secret")) {
      assertThat(client.code(FIND)).isZero();
      double before = proxy.status().backends().get(0).latencyMillis();
      assertThat(client.code(Requests.replace(name(1), "sn", "new"))).isZero();
      assertThat(proxy.status().backends().get(0).latencyMillis()).isLessThan(before + 900);
    }
  }

  /** Counts the binds that are under way at once; each takes a while. */
  private static final class Gauge {
    private final AtomicInteger now = new AtomicInteger();
    private final AtomicInteger max = new AtomicInteger();

    Answer around(Answer answer) {
      Answer enter = (request, link) -> max.accumulateAndGet(now.incrementAndGet(), Math::max);
      Answer leave = (request, link) -> now.decrementAndGet();
      Answer wait = Answers.slowly(Duration.ofMillis(10), leave);
      return enter.then(wait).then(answer);
    }
  }

  @Test
  void rebindsAtAReturnedServerAreLimited() {
    UpstreamTransport transport =
        Records.with(UpstreamTransport.DEFAULTS, "maxConnecting", MAX_CONNECTING);
    try (RunningProxy proxy = setup().upstream("transport", transport).start()) {
      List<RawLdapClient> clients =
          IntStream.range(0, CLIENTS)
              .mapToObj(i -> proxy.client().bind(name(i), "secret"))
              .toList();
      upstream.goDown();
      awaitState(proxy, BackendState.DOWN);
      Gauge gauge = new Gauge();
      upstream.when(request -> request.is(Received.BIND), gauge.around(Answers.success()));
      upstream.comeBack();
      awaitState(proxy, BackendState.UP);
      clients.forEach(client -> client.send(2, FIND));
      for (RawLdapClient client : clients) {
        assertThat(RawLdapClient.last(client.await(2)).resultCode()).isZero();
        client.close();
      }
      assertThat(gauge.max).hasValueLessThanOrEqualTo(MAX_CONNECTING).hasValueGreaterThan(1);
    }
  }
}
