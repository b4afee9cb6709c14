// SPDX-License-Identifier: Apache-2.0
package io.stoa.promise.writes;

import static io.stoa.testing.Requests.search;
import static org.assertj.core.api.Assertions.assertThat;

import com.unboundid.ldap.sdk.Entry;
import io.stoa.client.rootdse.AdaptConfig.Referrals;
import io.stoa.operation.Operation;
import io.stoa.operation.OperationCounters;
import io.stoa.operation.Stage;
import io.stoa.proxy.Extensions;
import io.stoa.replication.ReplicationConfig;
import io.stoa.replication.ReplicationConfig.SessionScope;
import io.stoa.testing.Answer;
import io.stoa.testing.Answers;
import io.stoa.testing.Await;
import io.stoa.testing.ExpectedLog;
import io.stoa.testing.Held;
import io.stoa.testing.ProxySetup;
import io.stoa.testing.RawLdapClient;
import io.stoa.testing.RawRequest;
import io.stoa.testing.Received;
import io.stoa.testing.Records;
import io.stoa.testing.Requests;
import io.stoa.testing.Responses;
import io.stoa.testing.RunningProxy;
import io.stoa.testing.ScriptedUpstream;
import io.stoa.upstream.balancing.BalanceConfig;
import io.stoa.upstream.balancing.BalanceConfig.Reads;
import io.stoa.upstream.balancing.ServerSpec;
import io.stoa.upstream.server.ServerAddress;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.BrokenBarrierException;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * However a write ends, it is over some time, and its server is asked at once how far it has got:
 * what it concerns is read from a replica again. The servers are scripted.
 */
class WriteEndIT {
  private static final String CONTEXT = "dc=example,dc=com";
  private static final String LEFT = "uid=left," + CONTEXT;
  private static final String OTHER = "uid=other," + CONTEXT;
  private static final int BUSY = 51;
  private static final int WRITES = 5;
  private static final int MANY_WRITES = 500;
  private static final Duration OFTEN = Duration.ofMillis(20);
  private static final Duration SELDOM = Duration.ofMillis(500);
  private static final Duration RARELY = Duration.ofHours(1);
  private static final RawRequest STALL = search("ou=stall").request();

  @RegisterExtension final ExpectedLog log = new ExpectedLog();

  private final CyclicBarrier stall = new CyclicBarrier(2);
  private ScriptedUpstream writer;
  private ScriptedUpstream replica;

  @BeforeEach
  void start() {
    writer = withPosition(ScriptedUpstream.start(), 0);
    replica = withPosition(ScriptedUpstream.start(), 0);
  }

  @AfterEach
  void stop() {
    writer.close();
    replica.close();
  }

  private static ScriptedUpstream withPosition(ScriptedUpstream server, int writes) {
    Entry suffix = new Entry(CONTEXT);
    suffix.addAttribute("contextCSN", "2020010100000" + writes + ".000000Z#000000#001#000000");
    return server.when(WriteEndIT::asksPosition, Answers.entries(suffix));
  }

  private static boolean asksPosition(Received request) {
    return request.is(Received.SEARCH) && request.message().mentions("contextCSN");
  }

  private static int questions(ScriptedUpstream server) {
    return server.received(WriteEndIT::asksPosition).size();
  }

  private static ServerSpec spec(ScriptedUpstream server, boolean primary) {
    return new ServerSpec(new ServerAddress("127.0.0.1", server.port()), primary, 1, 1);
  }

  private ProxySetup setup(Duration interval) {
    return ProxySetup.before(writer.port(), replica.port())
        .cachesOff()
        .upstream("servers", List.of(spec(writer, true), spec(replica, false)))
        .upstream("maxConnections", 1)
        .upstream("writeCoherence", Duration.ofMillis(50))
        .upstream("balance", Records.with(BalanceConfig.DEFAULTS, "reads", Reads.REPLICAS))
        .upstream(
            "replication",
            new ReplicationConfig(SessionScope.IDENTITY, Duration.ofDays(1), interval));
  }

  private RunningProxy started(Duration interval) {
    return started(setup(interval));
  }

  /** On one loop, which stands still for a test that wants much to happen in one round. */
  private RunningProxy started(ProxySetup setup) {
    RunningProxy proxy =
        RunningProxy.start(
            Records.with(setup.config(), "eventLoops", 1),
            new Extensions(next -> new Stall(next), new OperationCounters(), listeners -> {}));
    Await.until(
        "both tell",
        () -> proxy.status().backends().stream().noneMatch(b -> b.replica().position().isEmpty()));
    return proxy;
  }

  /** Lets the loop stand still from when a request comes until the test goes on. */
  private final class Stall implements Stage {
    private final Stage next;

    Stall(Stage next) {
      this.next = next;
    }

    @Override
    public void handle(Operation operation) {
      byte[] target = operation.request().op().target();
      if (target != null && new String(target, StandardCharsets.UTF_8).equals("ou=stall")) {
        meet();
        meet();
      }
      next.handle(operation);
    }
  }

  private void meet() {
    try {
      stall.await();
    } catch (BrokenBarrierException e) {
      throw new AssertionError("the other one has given up", e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new AssertionError("interrupted", e);
    }
  }

  private static RawRequest change(String dn) {
    return Requests.replace(dn, "sn", "new");
  }

  private static boolean isChangeOf(String dn, Received request) {
    return request.is(Received.MODIFY) && request.message().mentions(dn);
  }

  private void awaitReadsOfTheReplica(RawLdapClient client, String dn) {
    Await.until(
        "it is read from the replica",
        () -> {
          int before = reads(dn);
          assertThat(client.code(search(dn).baseScope().request())).isZero();
          return reads(dn) > before;
        });
  }

  private int reads(String dn) {
    return replica.received(request -> request.isSearchFor(dn)).size();
  }

  private static Answer nonsense() {
    return (request, link) -> link.send(request.messageId(), Responses.searchDone(0));
  }

  @Test
  void aWriteEndsIfItsClientLeavesDuringADisconnect() {
    Held held = writer.hold(request -> isChangeOf(OTHER, request));
    try (RunningProxy proxy = started(OFTEN);
        RawLdapClient client = proxy.client();
        RawLdapClient stalling = proxy.client()) {
      int other = client.send(change(OTHER));
      held.awaitArrival();
      RawLdapClient leaving = proxy.client();
      assertThat(leaving.code(Requests.bind("", ""))).isZero();
      stalling.send(STALL);
      meet();
      leaving.send(change(LEFT));
      leaving.send(Requests.unbind());
      held.answer(nonsense());
      meet();
      assertThat(RawLdapClient.last(client.await(other)).resultCode()).isEqualTo(80);
      leaving.close();
      awaitReadsOfTheReplica(client, LEFT);
      awaitReadsOfTheReplica(client, OTHER);
      assertThat(writer.received(request -> isChangeOf(LEFT, request))).isEmpty();
    }
  }

  /** It has been referred to the replica, where it waits for its turn. */
  @Test
  void aWriteEndsIfItsClientLeavesBeforeItIsSent() {
    RawRequest referral = Responses.referral("ldap://127.0.0.1:" + replica.port());
    writer.when(
        request -> isChangeOf(LEFT, request),
        (request, link) -> link.send(request.messageId(), referral));
    Held busy = replica.hold(request -> request.isSearchFor(OTHER));
    ProxySetup setup = setup(OFTEN).upstream("maxInFlightPerConnection", 1);
    try (RunningProxy proxy = started(setup.adapt("referrals", Referrals.FOLLOW));
        RawLdapClient client = proxy.client()) {
      int waiting = client.send(search(OTHER).baseScope().request());
      busy.awaitArrival();
      try (RawLdapClient leaving = proxy.client()) {
        leaving.send(change(LEFT));
        Await.until("it waits", () -> proxy.status().queued() == 1);
      }
      Await.until("it has left", () -> proxy.status().connections() == 1);
      busy.answer(Answers.success());
      client.await(waiting);
      awaitReadsOfTheReplica(client, LEFT);
      assertThat(replica.received(request -> isChangeOf(LEFT, request))).isEmpty();
    }
  }

  /** It has been referred to the replica, and was never sent there. */
  @Test
  void anUnsentWriteHasNotHappened() {
    RawRequest referral = Responses.referral("ldap://127.0.0.1:" + replica.port());
    writer.when(
        request -> isChangeOf(LEFT, request),
        (request, link) -> link.send(request.messageId(), referral));
    Held busy = replica.hold(request -> request.isSearchFor(OTHER));
    ProxySetup setup =
        setup(RARELY)
            .upstream("maxInFlightPerConnection", 1)
            .upstream("queueTimeout", Duration.ofMillis(200));
    try (RunningProxy proxy = started(setup.adapt("referrals", Referrals.FOLLOW));
        RawLdapClient client = proxy.client()) {
      int waiting = client.send(search(OTHER).baseScope().request());
      busy.awaitArrival();
      assertThat(client.code(change(LEFT))).isEqualTo(BUSY);
      busy.answer(Answers.success());
      client.await(waiting);
      replica.goDown();
      Await.until("it is down", () -> proxy.up() == 1);
      assertThat(client.code(search(LEFT).baseScope().request())).isZero();
      assertThat(proxy.status().backends().get(0).replica().uncovered()).isZero();
    }
  }

  @Test
  void aWriteOfALostClientEndsWhenItIsAnswered() {
    Held held = writer.hold(request -> isChangeOf(LEFT, request));
    try (RunningProxy proxy = started(OFTEN);
        RawLdapClient client = proxy.client()) {
      try (RawLdapClient leaving = proxy.client()) {
        leaving.send(change(LEFT));
        held.awaitArrival();
      }
      Await.until("it has left", () -> proxy.status().connections() == 1);
      client.code(search(LEFT).baseScope().request());
      assertThat(reads(LEFT)).isZero();
      held.answer(Answers.success());
      awaitReadsOfTheReplica(client, LEFT);
    }
  }

  @Test
  void aWriteOfALostClientEndsWithItsConnection() {
    Held held = writer.hold(request -> isChangeOf(LEFT, request));
    try (RunningProxy proxy = started(OFTEN);
        RawLdapClient client = proxy.client()) {
      try (RawLdapClient leaving = proxy.client()) {
        leaving.send(change(LEFT));
        held.awaitArrival();
      }
      Await.until("it has left", () -> proxy.status().connections() == 1);
      writer.dropConnections();
      awaitReadsOfTheReplica(client, LEFT);
    }
  }

  @Test
  void theWriterIsPolledAfterEachWrite() {
    try (RunningProxy proxy = started(RARELY);
        RawLdapClient client = proxy.client()) {
      for (int i = 0; i < WRITES; i++) {
        int before = questions(writer);
        assertThat(client.code(change(OTHER))).isZero();
        writer.awaitReceived(before + 1, WriteEndIT::asksPosition);
      }
    }
  }

  @Test
  void manyWritesShareFewPolls() {
    try (RunningProxy proxy = started(SELDOM);
        RawLdapClient client = proxy.client()) {
      int before = questions(writer);
      long begun = System.nanoTime();
      List<Integer> ids =
          IntStream.range(0, MANY_WRITES).mapToObj(i -> client.send(change(OTHER))).toList();
      ids.forEach(client::await);
      writer.awaitReceived(before + 1, WriteEndIT::asksPosition);
      int questions = questions(writer) - before;
      long millis = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - begun);
      int regular = (int) (millis / SELDOM.toMillis()) + 1;
      assertThat(questions).isLessThanOrEqualTo((int) (millis / 5) + 1 + regular);
    }
  }

  /**
   * Nobody else can bind as the client, so it stays where it is; a write tells it to come again.
   */
  @Test
  void aSaslClientBoundAtAReplicaReadsThere() {
    ReplicationConfig ofAll =
        new ReplicationConfig(SessionScope.PROXY, Duration.ofSeconds(30), OFTEN);
    try (RunningProxy proxy = started(setup(OFTEN).upstream("replication", ofAll));
        RawLdapClient sasl = proxy.client();
        RawLdapClient other = proxy.client()) {
      writer.goDown();
      Await.until("it is down", () -> proxy.up() == 1);
      assertThat(sasl.code(Requests.saslBind("X-TEST", "token"))).isZero();
      writer.comeBack();
      proxy.awaitUp();
      withPosition(writer, 1);
      assertThat(other.code(change(OTHER))).isZero();
      assertThat(other.code(search(OTHER).baseScope().request())).isZero();
      assertThat(reads(OTHER)).isZero();
      assertThat(sasl.code(search(OTHER).baseScope().request())).isZero();
      assertThat(reads(OTHER)).isEqualTo(1);
      assertThat(proxy.status().backends().get(1).replica().uncovered()).isEqualTo(1);
      sasl.send(change(OTHER));
      assertThat(sasl.drain()).hasSize(1);
    }
  }
}
