// SPDX-License-Identifier: Apache-2.0
package io.stoa.promise.failover;

import static io.stoa.testing.Requests.search;
import static org.assertj.core.api.Assertions.assertThat;

import io.stoa.proxy.ProxyConfig;
import io.stoa.testing.Answer;
import io.stoa.testing.Answers;
import io.stoa.testing.Await;
import io.stoa.testing.ClientSwarm;
import io.stoa.testing.ExpectedLog;
import io.stoa.testing.Held;
import io.stoa.testing.People;
import io.stoa.testing.ProxySetup;
import io.stoa.testing.RawLdapClient;
import io.stoa.testing.RawRequest;
import io.stoa.testing.Received;
import io.stoa.testing.Records;
import io.stoa.testing.Requests;
import io.stoa.testing.Responses;
import io.stoa.testing.RunningProxy;
import io.stoa.testing.ScriptedUpstream;
import io.stoa.testing.ServiceWatch;
import io.stoa.testing.UpstreamLink;
import io.stoa.upstream.balancing.ServerSpec;
import io.stoa.upstream.pool.ReplayConfig;
import io.stoa.upstream.server.ServerAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** Many clients of one name: what it costs in connections, and who waits for whom. */
class BusyIdentityIT {
  private static final String X = People.dn(1);
  private static final int CLIENTS = 300;
  private static final int AFTER_THE_BIND = 2;
  private static final int LARGE = 3 << 20;

  @RegisterExtension final ExpectedLog log = new ExpectedLog();

  private ScriptedUpstream upstream;
  private final ConcurrentLinkedQueue<Runnable> unanswered = new ConcurrentLinkedQueue<>();

  @BeforeEach
  void start() {
    upstream = ScriptedUpstream.start();
    upstream.when(request -> request.isSearchFor("slow"), this::keep);
  }

  @AfterEach
  void stop() {
    upstream.close();
  }

  private void keep(Received request, UpstreamLink link) {
    unanswered.add(() -> Answers.success().to(request, link));
  }

  private ProxySetup setup() {
    return ProxySetup.before(upstream.port()).cachesOff();
  }

  private static RawRequest slow(int number) {
    return search("cn=slow-" + number + "-").baseScope().request();
  }

  private static RawRequest change(String name) {
    return Requests.replace("cn=" + name, "description", "new");
  }

  private Held hold(String name) {
    return upstream.hold(request -> request.message().mentions("cn=" + name));
  }

  /** They all ask at once, each after a login of its own; nobody is answered before all were. */
  private List<Integer> logIn(RunningProxy proxy, ClientSwarm crowd, int clients) {
    List<Integer> knownBefore = new ArrayList<>();
    for (int i = 0; i < clients; i++) {
      knownBefore.add(upstream.received().size());
      crowd.add(proxy.client().bind(X, People.PASSWORD)).send(slow(i));
    }
    Await.until("all are asked for", () -> unanswered.size() == clients);
    return knownBefore;
  }

  private void answerAll(ClientSwarm crowd) {
    unanswered.forEach(Runnable::run);
    for (RawLdapClient client : crowd.all()) {
      assertThat(RawLdapClient.last(client.await(AFTER_THE_BIND)).resultCode()).isZero();
    }
  }

  /** The search came on a connection on which a bind had come since. */
  private void assertBoundSince(int known, int number) {
    List<Received> since = upstream.received();
    since = since.subList(known, since.size());
    int at = 0;
    while (!since.get(at).isSearchFor("cn=slow-" + number + "-")) {
      at++;
    }
    int connection = since.get(at).connection();
    assertThat(since.subList(0, at))
        .anyMatch(one -> one.is(Received.BIND) && one.connection() == connection);
  }

  @Test
  void manyLoginsWithSlowSearchesShareConnections() {
    try (RunningProxy proxy = setup().start();
        ClientSwarm crowd = new ClientSwarm()) {
      List<Integer> knownBefore = logIn(proxy, crowd, CLIENTS);
      assertThat(upstream.openConnections()).isLessThan(CLIENTS / 2);
      for (int i = 0; i < CLIENTS; i++) {
        assertBoundSince(knownBefore.get(i), i);
      }
      answerAll(crowd);
    }
  }

  /** Only connections on which they have bound themselves can serve them. */
  @Test
  void aLoginWithoutAStoredPasswordUsesItsOwnConnection() {
    try (RunningProxy proxy = setup().upstream("keepPasswords", false).start();
        ClientSwarm crowd = new ClientSwarm()) {
      List<Integer> knownBefore = logIn(proxy, crowd, CLIENTS / 10);
      for (int i = 0; i < CLIENTS / 10; i++) {
        assertBoundSince(knownBefore.get(i), i);
      }
      answerAll(crowd);
    }
  }

  /**
   * The first connection has room, but was bound before the second client; the second is full; the
   * third is on its way for a client that has bound last. A place on the second is for the second.
   */
  @Test
  void aConnectionThatFitsNoWaitingClientBlocksNoOther() {
    try (ScriptedUpstream replica = ScriptedUpstream.start();
        RunningProxy proxy = RunningProxy.start(oneLoop(replica)).awaitUp();
        ClientSwarm crowd = new ClientSwarm()) {
      RawLdapClient first = crowd.add(proxy.client().bind(X, People.PASSWORD));
      final Held ofFirst = hold("first");
      final int firstId = first.send(change("first"));
      ofFirst.awaitArrival();
      occupy(replica, crowd.add(proxy.client()));
      RawLdapClient second = crowd.add(proxy.client().bind(X, People.PASSWORD));
      final Held bind = upstream.hold(request -> request.is(Received.BIND));
      List<Held> ofSecond = List.of(hold("a"), hold("b"));
      second.send(change("a"));
      second.send(change("b"));
      ofSecond.forEach(Held::awaitArrival);
      final int waiting = second.send(change("c"));
      bind.awaitArrival();
      RawLdapClient third = crowd.add(proxy.client().bind(X, People.PASSWORD));
      final int thirdId = third.send(change("third"));
      Await.until("both wait", () -> proxy.status().queued() == 2);
      ofSecond.get(0).answer(Answers.success());
      assertThat(RawLdapClient.last(second.await(waiting)).resultCode()).isZero();
      bind.answer(Answers.success());
      assertThat(RawLdapClient.last(third.await(thirdId)).resultCode()).isZero();
      ofFirst.answer(Answers.success());
      ofSecond.get(1).answer(Answers.success());
      first.await(firstId);
    }
  }

  /** Of two servers with one operation each the first is the next, and no longer with three. */
  private ProxyConfig oneLoop(ScriptedUpstream replica) {
    List<ServerSpec> servers =
        List.of(
            new ServerSpec(new ServerAddress("127.0.0.1", upstream.port()), true, 3, 1),
            new ServerSpec(new ServerAddress("127.0.0.1", replica.port()), false, 2, 1));
    return oneLoop(
        ProxySetup.before(upstream.port(), replica.port())
            .cachesOff()
            .upstream("servers", servers)
            .upstream("connectTimeout", Duration.ofMinutes(1))
            .upstream("replay", Records.with(ReplayConfig.DEFAULTS, "bindAffinity", false))
            .upstream("maxInFlightPerConnection", 2));
  }

  private static ProxyConfig oneLoop(ProxySetup setup) {
    return Records.with(setup.config(), "eventLoops", 1);
  }

  private static void occupy(ScriptedUpstream replica, RawLdapClient anonymous) {
    Answer never = Answers.silence();
    replica.when(request -> request.isSearchFor("cn=busy"), never);
    anonymous.send(search("cn=busy").baseScope().request());
    replica.awaitReceived(1, request -> request.isSearchFor("cn=busy"));
  }

  /** All clients share the service account's connection: the next one is opened for them. */
  @Test
  void aSlowResponseBlocksNoOtherClientOfTheServiceAccount(@TempDir Path directory) {
    upstream.when(
        ServiceWatch::isRootDse,
        Answers.entries(ServiceWatch.rootDse("supportedControl", ServiceWatch.OID)));
    upstream.when(request -> request.isSearchFor("cn=large"), BusyIdentityIT::halfOfSomethingLarge);
    ProxySetup proxied = setup().upstream("identity", ServiceWatch.identity(directory));
    try (RunningProxy proxy = RunningProxy.start(oneLoop(proxied));
        RawLdapClient x = proxy.client().bind(X, People.PASSWORD);
        RawLdapClient y = proxy.client().bind(People.dn(2), People.PASSWORD)) {
      x.send(search("cn=large," + People.SUFFIX).baseScope().request());
      x.octets(LARGE / 2);
      assertThat(y.code(search("cn=small," + People.SUFFIX).baseScope().request())).isZero();
      assertThat(connectionOf("cn=small")).isNotEqualTo(connectionOf("cn=large"));
    }
  }

  private int connectionOf(String search) {
    return upstream.received(request -> request.isSearchFor(search)).get(0).connection();
  }

  private static void halfOfSomethingLarge(Received request, UpstreamLink link) {
    RawRequest entry = Responses.entry(Answers.person("large", "x".repeat(LARGE)));
    byte[] octets = entry.encode(request.messageId());
    link.sendOctets(Arrays.copyOf(octets, LARGE / 2 + 1000));
  }
}
