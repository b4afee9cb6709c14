// SPDX-License-Identifier: Apache-2.0
package io.stoa.promise.failover;

import static io.stoa.testing.Requests.search;
import static org.assertj.core.api.Assertions.assertThat;

import com.unboundid.ldap.sdk.controls.PersistentSearchChangeType;
import com.unboundid.ldap.sdk.controls.PersistentSearchRequestControl;
import io.stoa.testing.Answers;
import io.stoa.testing.Await;
import io.stoa.testing.ClientSwarm;
import io.stoa.testing.ExpectedLog;
import io.stoa.testing.Held;
import io.stoa.testing.Parallel;
import io.stoa.testing.People;
import io.stoa.testing.ProxySetup;
import io.stoa.testing.RawLdapClient;
import io.stoa.testing.RawRequest;
import io.stoa.testing.Received;
import io.stoa.testing.Records;
import io.stoa.testing.Requests;
import io.stoa.testing.RunningProxy;
import io.stoa.testing.ScriptedUpstream;
import io.stoa.testing.Tolerant;
import io.stoa.upstream.balancing.BalanceConfig;
import io.stoa.upstream.server.BackendState;
import io.stoa.upstream.server.BackendStatus;
import java.io.ByteArrayOutputStream;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * Servers that refuse whatever exceeds what they can do at a time: what is too much waits for its
 * turn, and clients do not notice.
 */
@Tag("alone")
class InFlightLimitIT {
  private static final int BUSY = 51;
  private static final int TIME_LIMIT_EXCEEDED = 3;
  private static final int FEW = 8;
  private static final int CLIENTS = 64;
  private static final Duration EACH = Duration.ofMillis(5);
  private static final Duration PATIENCE = Duration.ofSeconds(60);
  private static final RawRequest SEARCH = search("uid=x,dc=example,dc=com").request();

  private static final RawRequest OTHER_SEARCH = search("uid=y,dc=example,dc=com").request();

  @RegisterExtension final ExpectedLog log = new ExpectedLog();

  private final List<ScriptedUpstream> servers = new ArrayList<>();
  private final List<Tolerant> works = new ArrayList<>();

  @AfterEach
  void stop() {
    servers.forEach(ScriptedUpstream::close);
    works.forEach(Tolerant::close);
  }

  private static boolean isSearch(Received request) {
    return request.isSearchFor("uid=x");
  }

  private static boolean isOtherSearch(Received request) {
    return request.isSearchFor("uid=y");
  }

  private static boolean isBind(Received request) {
    return request.is(Received.BIND);
  }

  private ScriptedUpstream server() {
    ScriptedUpstream server = ScriptedUpstream.start();
    servers.add(server);
    return server;
  }

  private Tolerant serve(int few) {
    Tolerant work = new Tolerant(few, EACH, Answers.success());
    works.add(work);
    server().when(InFlightLimitIT::isSearch, work);
    return work;
  }

  private ProxySetup setup() {
    return ProxySetup.before(servers.stream().mapToInt(ScriptedUpstream::port).toArray())
        .cachesOff();
  }

  private static RunningProxy started(ProxySetup setup) {
    RunningProxy proxy = setup.start();
    Await.until(
        "all are up", () -> backends(proxy, BackendState.UP) == proxy.status().backends().size());
    return proxy;
  }

  private static long backends(RunningProxy proxy, BackendState state) {
    return proxy.status().backends().stream().filter(one -> one.state() == state).count();
  }

  private static BackendStatus only(RunningProxy proxy) {
    return proxy.status().backends().get(0);
  }

  /** So many clients, each of which asks again as soon as it has its answer. */
  private static void load(RunningProxy proxy, int searches) {
    load(proxy, searches, () -> {});
  }

  private static void load(RunningProxy proxy, int searches, Runnable afterEach) {
    Parallel.run(
        CLIENTS,
        PATIENCE,
        number -> {
          try (RawLdapClient client = proxy.client()) {
            for (int i = 0; i < searches; i++) {
              assertThat(client.code(SEARCH)).as("search %s of client %s", i, number).isZero();
              afterEach.run();
            }
          }
        });
  }

  private static void assertNothingIsLeft(RunningProxy proxy) {
    Await.until(
        "nothing is under way or waits",
        () ->
            proxy.status().queued() == 0
                && proxy.status().backends().stream()
                    .allMatch(one -> one.outstanding() == 0 && one.places().waiting() == 0));
  }

  @Test
  void theInFlightLimitFollowsTheServersCapacity() {
    Tolerant work = serve(FEW);
    try (RunningProxy proxy = started(setup())) {
      load(proxy, 5);
      long refused = work.refused();
      long done = work.done();
      AtomicLong caps = new AtomicLong();
      load(proxy, 20, () -> caps.addAndGet(only(proxy).places().cap()));
      long refusedLater = work.refused() - refused;
      long doneLater = work.done() - done;
      assertThat(doneLater).isEqualTo(CLIENTS * 20);
      assertThat((double) refusedLater / (refusedLater + doneLater)).isLessThan(0.05);
      assertThat((double) caps.get() / doneLater).isBetween(0.75 * FEW, 1.05 * FEW);
      assertThat(only(proxy).places().cap()).isBetween(4, FEW + 1);
      assertThat(only(proxy).places().decreases()).isPositive();
      assertThat(only(proxy).state()).isEqualTo(BackendState.UP);
      assertNothingIsLeft(proxy);
    }
  }

  @Test
  void eachServerHasItsOwnInFlightLimit() {
    Tolerant small = serve(6);
    Tolerant large = serve(18);
    BalanceConfig nobodyIsEjected =
        Records.with(BalanceConfig.DEFAULTS, "ejection", Duration.ZERO); // the machine may stumble
    try (RunningProxy proxy = started(setup().upstream("balance", nobodyIsEjected))) {
      load(proxy, 10);
      long doneBySmall = small.done();
      long doneByLarge = large.done();
      load(proxy, 20);
      double ratio = (double) (large.done() - doneByLarge) / (small.done() - doneBySmall);
      assertThat(ratio).isBetween(2.0, 4.0);
      assertThat(backends(proxy, BackendState.UP)).isEqualTo(2);
      assertNothingIsLeft(proxy);
    }
  }

  @Test
  void theCapGrowsWhenTheServerTakesMore() {
    Tolerant work = serve(FEW);
    try (RunningProxy proxy = started(setup())) {
      load(proxy, 5);
      work.few(CLIENTS / 2);
      AtomicBoolean enough = new AtomicBoolean();
      Parallel.run(
          CLIENTS,
          PATIENCE,
          number -> {
            try (RawLdapClient client = proxy.client()) {
              while (!enough.get()) {
                assertThat(client.code(SEARCH)).isZero();
                enough.compareAndSet(false, work.max() >= CLIENTS / 2 - 4);
              }
            }
          });
      assertNothingIsLeft(proxy);
    }
  }

  @Test
  void busyBindsLowerTheInFlightLimit() {
    Tolerant work = new Tolerant(FEW, EACH, Answers.success());
    works.add(work);
    server().when(InFlightLimitIT::isBind, work);
    try (RunningProxy proxy = started(setup())) {
      Parallel.run(
          CLIENTS,
          PATIENCE,
          number -> {
            try (RawLdapClient client = proxy.client()) {
              for (int i = 0; i < 5; i++) {
                assertThat(client.code(Requests.bind(People.dn(number), People.PASSWORD))).isZero();
              }
            }
          });
      assertThat(work.refused()).isPositive();
      assertNothingIsLeft(proxy);
    }
  }

  // What the configuration says

  private ProxySetup atMost(int inFlight) {
    return setup()
        .upstream("balance", Records.with(BalanceConfig.DEFAULTS, "maxInFlight", inFlight));
  }

  @Test
  void theConfiguredInFlightLimitIsKept() {
    Tolerant work = serve(CLIENTS);
    try (RunningProxy proxy = started(atMost(3))) {
      load(proxy, 3);
      assertThat(work.max()).isEqualTo(3);
      assertThat(work.refused()).isZero();
      assertThat(only(proxy).places().cap()).isEqualTo(3);
      assertNothingIsLeft(proxy);
    }
  }

  /** The order in which the searches reach the server tells who has waited for whom. */
  @Test
  void aThousandWaitingSearchesDoNotBlockOtherClients() {
    int many = 1_000;
    int others = 10;
    ScriptedUpstream server = server();
    Held first = server.hold(InFlightLimitIT::isSearch);
    try (RunningProxy proxy = started(atMost(1).limit("operationsInFlight", many + 1));
        RawLdapClient greedy = proxy.client().patience(PATIENCE);
        ClientSwarm crowd = new ClientSwarm()) {
      List<Integer> ids =
          IntStream.rangeClosed(0, many).mapToObj(i -> greedy.send(SEARCH)).toList();
      first.awaitArrival();
      Await.until("its searches wait", () -> proxy.status().queued() == many);
      List<Integer> single =
          IntStream.range(0, others)
              .mapToObj(i -> crowd.add(proxy.client()).send(OTHER_SEARCH))
              .toList();
      Await.until("all wait", () -> proxy.status().queued() == many + others);
      first.answer(Answers.success());
      for (RawLdapClient client : crowd.all()) {
        assertThat(RawLdapClient.last(client.await(single.get(0))).resultCode()).isZero();
      }
      ids.forEach(id -> assertThat(RawLdapClient.last(greedy.await(id)).resultCode()).isZero());
      List<Received> order = server.received(one -> isSearch(one) || isOtherSearch(one));
      assertThat(order.subList(0, 2 * others + 4).stream().filter(InFlightLimitIT::isOtherSearch))
          .hasSize(others);
      assertNothingIsLeft(proxy);
    }
  }

  /** It would hold its place for ever. */
  @Test
  void aPersistentSearchTakesNoPlace() {
    ScriptedUpstream server = server();
    server.when(InFlightLimitIT::isOtherSearch, Answers.silence());
    RawRequest persistent =
        OTHER_SEARCH.with(
            new PersistentSearchRequestControl(
                PersistentSearchChangeType.allChangeTypes(), true, true, true));
    try (RunningProxy proxy = started(atMost(1));
        RawLdapClient watching = proxy.client();
        RawLdapClient asking = proxy.client()) {
      int id = watching.send(persistent);
      server.awaitReceived(1, InFlightLimitIT::isOtherSearch);
      assertThat(asking.code(SEARCH)).isZero();
      assertThat(asking.code(SEARCH)).isZero();
      watching.send(Requests.abandon(id));
      assertNothingIsLeft(proxy);
    }
  }

  /** The connections that were opened for binds that wait may end before there are places. */
  @Test
  void aWaitingBindGetsAnotherConnectionWhenItsOwnEnds() {
    ScriptedUpstream server = server();
    Held first = server.hold(InFlightLimitIT::isSearch);
    try (RunningProxy proxy = started(atMost(1));
        RawLdapClient working = proxy.client();
        RawLdapClient binding = proxy.client()) {
      int held = working.send(SEARCH);
      first.awaitArrival();
      int connections = server.acceptedConnections();
      int waits = binding.send(Requests.bind(People.dn(1), People.PASSWORD));
      Await.until("it has a connection", () -> server.acceptedConnections() > connections);
      server.dropConnections();
      assertThat(RawLdapClient.last(working.await(held)).resultCode()).isZero();
      assertThat(RawLdapClient.last(binding.await(waits)).resultCode()).isZero();
      assertNothingIsLeft(proxy);
    }
  }

  /** It may hold what the others wait for. */
  @Test
  void aClientOnAConnectionOfItsOwnDoesNotWait() {
    Held first = server().hold(InFlightLimitIT::isSearch);
    try (RunningProxy proxy = started(atMost(1));
        RawLdapClient working = proxy.client();
        RawLdapClient waiting = proxy.client();
        RawLdapClient own = proxy.client()) {
      int held = working.send(SEARCH);
      first.awaitArrival();
      int waits = waiting.send(SEARCH);
      Await.until("it waits", () -> only(proxy).places().waiting() == 1);
      assertThat(own.code(Requests.extended("1.3.6.1.4.1.99999.7"))).isNotEqualTo(BUSY);
      assertThat(only(proxy).places().waiting()).isEqualTo(1);
      first.answer(Answers.success());
      assertThat(RawLdapClient.last(working.await(held)).resultCode()).isZero();
      assertThat(RawLdapClient.last(waiting.await(waits)).resultCode()).isZero();
      assertNothingIsLeft(proxy);
    }
  }

  /** They never wait themselves: else one that has many of them would stop all others. */
  @Test
  void dedicatedConnectionsDoNotTakeAllPlaces() {
    ScriptedUpstream server = server();
    List<Held> held =
        Stream.generate(() -> server.hold(one -> one.is(Received.EXTENDED))).limit(3).toList();
    try (RunningProxy proxy = started(atMost(2));
        ClientSwarm crowd = new ClientSwarm();
        RawLdapClient other = proxy.client()) {
      for (Held each : held) {
        crowd.add(proxy.client()).send(Requests.extended("1.3.6.1.4.1.99999.7"));
        each.awaitArrival();
      }
      assertThat(only(proxy).outstanding()).isEqualTo(3);
      assertThat(other.code(SEARCH)).isZero();
      held.forEach(each -> each.answer(Answers.success()));
      assertNothingIsLeft(proxy);
    }
  }

  /** The server may work on it still: it does not say when it is done. */
  @Test
  void abandonedSearchesStillCountTowardsTheLimit() {
    int pairs = 50;
    ScriptedUpstream server = server();
    server.when(InFlightLimitIT::isOtherSearch, Answers.silence());
    try (RunningProxy proxy = started(atMost(4));
        RawLdapClient restless = proxy.client();
        RawLdapClient patient = proxy.client()) {
      assertThat(restless.code(SEARCH)).as("there is a connection").isZero();
      ByteArrayOutputStream octets = new ByteArrayOutputStream();
      for (int id = 1001; id <= 1000 + pairs; id++) {
        octets.writeBytes(OTHER_SEARCH.encode(id));
        octets.writeBytes(Requests.abandon(id).encode(pairs + id));
      }
      restless.sendOctets(octets.toByteArray());
      server.awaitReceived(4, InFlightLimitIT::isOtherSearch);
      assertThat(patient.code(SEARCH)).isZero();
      assertThat(restless.code(SEARCH)).isZero();
      assertThat(server.received(InFlightLimitIT::isOtherSearch)).hasSizeLessThan(pairs / 2);
      assertNothingIsLeft(proxy);
    }
  }

  /** Their connections are for others' binds from then on. */
  @Test
  void unansweredSearchesOfGoneClientsReleaseTheirPlaces() {
    ScriptedUpstream server = server();
    server.when(InFlightLimitIT::isOtherSearch, Answers.silence());
    try (RunningProxy proxy = started(atMost(4))) {
      try (ClientSwarm leaving = new ClientSwarm()) {
        for (int i = 0; i < 4; i++) {
          leaving.add(proxy.client().bind("uid=" + i + ",dc=example", "secret"));
        }
        leaving.all().forEach(client -> client.send(OTHER_SEARCH));
        server.awaitReceived(4, InFlightLimitIT::isOtherSearch);
      }
      try (RawLdapClient client = proxy.client().bind("uid=z,dc=example", "secret")) {
        assertThat(client.code(SEARCH)).isZero();
      }
      assertNothingIsLeft(proxy);
    }
  }

  @Test
  void anAbandonedOrTimedOutRequestLeavesTheQueue() {
    ScriptedUpstream server = server();
    Held first = server.hold(InFlightLimitIT::isSearch);
    try (RunningProxy proxy = started(atMost(1).upstream("queueTimeout", Duration.ofSeconds(1)));
        RawLdapClient working = proxy.client();
        RawLdapClient leaving = proxy.client();
        RawLdapClient staying = proxy.client()) {
      int held = working.send(SEARCH);
      first.awaitArrival();
      int abandoned = leaving.send(SEARCH);
      Await.until("it waits", () -> only(proxy).places().waiting() == 1);
      leaving.send(Requests.abandon(abandoned));
      assertThat(staying.code(SEARCH)).isEqualTo(BUSY);
      int waits = staying.send(SEARCH);
      Await.until("one waits", () -> proxy.status().queued() == 1);
      first.answer(Answers.success());
      assertThat(RawLdapClient.last(working.await(held)).resultCode()).isZero();
      assertThat(RawLdapClient.last(staying.await(waits)).resultCode()).isZero();
      assertThat(server.received(InFlightLimitIT::isSearch)).hasSize(2);
      assertThat(leaving.code(SEARCH)).isZero();
      assertNothingIsLeft(proxy);
    }
  }

  /** The server cannot keep the time limit of a search that it has not got. */
  @Test
  void aWaitingSearchKeepsItsTimeLimit() {
    ScriptedUpstream server = server();
    Held first = server.hold(InFlightLimitIT::isSearch);
    try (RunningProxy proxy = started(atMost(1));
        RawLdapClient working = proxy.client();
        RawLdapClient waiting = proxy.client()) {
      int held = working.send(SEARCH);
      first.awaitArrival();
      RawRequest limited = search("uid=y,dc=example,dc=com").timeLimit(1).request();
      assertThat(waiting.code(limited)).isEqualTo(TIME_LIMIT_EXCEEDED);
      assertThat(server.received(InFlightLimitIT::isOtherSearch)).isEmpty();
      first.answer(Answers.success());
      assertThat(RawLdapClient.last(working.await(held)).resultCode()).isZero();
      assertNothingIsLeft(proxy);
    }
  }
}
