// SPDX-License-Identifier: Apache-2.0
package io.stoa.promise.failover;

import static io.stoa.testing.Requests.search;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.stoa.testing.Answers;
import io.stoa.testing.ExpectedLog;
import io.stoa.testing.ProxySetup;
import io.stoa.testing.RawLdapClient;
import io.stoa.testing.RawRequest;
import io.stoa.testing.Received;
import io.stoa.testing.Requests;
import io.stoa.testing.RunningProxy;
import io.stoa.testing.ScriptedUpstream;
import io.stoa.upstream.balancing.BalanceConfig;
import io.stoa.upstream.balancing.BalanceConfig.Reads;
import io.stoa.upstream.balancing.Balancing;
import io.stoa.upstream.balancing.ServerSpec;
import io.stoa.upstream.server.ServerAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Which of several servers gets what, by strategy, tier, weight and role. */
class TiersIT {
  private static final int SEARCHES = 1_500;

  /** Where a hash decides: so many that 3 % of them are five standard deviations and more. */
  private static final int HASHED_SEARCHES = 8_100;

  /** What a server may have outstanding without being too busy for a read that belongs to it. */
  private static final int FEW = 3;

  private static final RawRequest CHANGE = Requests.replace("uid=0,dc=example", "sn", "new");

  @RegisterExtension final ExpectedLog log = new ExpectedLog();

  private final List<ScriptedUpstream> servers = new ArrayList<>();

  @AfterEach
  void stop() {
    servers.forEach(ScriptedUpstream::close);
  }

  private ScriptedUpstream server() {
    ScriptedUpstream server = ScriptedUpstream.start();
    server.when(TiersIT::isRead, Answers.entries(Answers.person("anna", "here")));
    server.when(request -> request.is(Received.MODIFY), Answers.success());
    servers.add(server);
    return server;
  }

  private static boolean isRead(Received request) {
    return request.isSearchFor("uid=");
  }

  private static long reads(ScriptedUpstream server) {
    return server.received(TiersIT::isRead).size();
  }

  private static long writes(ScriptedUpstream server) {
    return server.received(request -> request.is(Received.MODIFY)).size();
  }

  private static ServerSpec spec(ScriptedUpstream server, boolean primary, int weight, int tier) {
    return new ServerSpec(new ServerAddress("127.0.0.1", server.port()), primary, weight, tier);
  }

  private static RunningProxy start(BalanceConfig balance, ServerSpec... specs) {
    int[] ports = List.of(specs).stream().mapToInt(spec -> spec.address().port()).toArray();
    RunningProxy proxy =
        ProxySetup.before(ports)
            .cachesOff()
            .upstream("servers", List.of(specs))
            .upstream("balance", balance)
            .upstream("writeCoherence", Duration.ZERO)
            .start();
    proxy.awaitUp(specs.length);
    return proxy;
  }

  private static BalanceConfig by(Balancing... strategies) {
    return new BalanceConfig(List.of(strategies), Reads.ALL, Duration.ZERO, Duration.ZERO);
  }

  /** One after the other, so that no server is busier than another whenever one is chosen. */
  private static int read(RunningProxy proxy) {
    try (RawLdapClient client = proxy.client()) {
      IntStream.range(0, SEARCHES).forEach(person -> readOnce(client, person));
      return SEARCHES;
    }
  }

  @ParameterizedTest
  @EnumSource(
      mode = EnumSource.Mode.EXCLUDE,
      names = {"FAILOVER", "BEST_OF_TWO"})
  void threeEqualServersAnswerAThirdEach(Balancing strategy) {
    List<ScriptedUpstream> three = List.of(server(), server(), server());
    try (RunningProxy proxy =
        start(
            by(strategy),
            spec(three.get(0), true, 1, 1),
            spec(three.get(1), false, 1, 1),
            spec(three.get(2), false, 1, 1))) {
      int searches = strategy == Balancing.DN_AFFINITY ? readDifferent(proxy) : read(proxy);
      assertThat(three)
          .allSatisfy(
              server ->
                  assertThat((double) reads(server))
                      .isCloseTo(searches / 3.0, within(searches * 0.03)));
    }
  }

  /** A few at a time, which does not matter where the read decides. */
  private static int readDifferent(RunningProxy proxy) {
    try (RawLdapClient client = proxy.client()) {
      for (int sent = 0; sent < HASHED_SEARCHES; sent += FEW) {
        int[] under = IntStream.range(sent, sent + FEW).map(i -> client.send(find(i))).toArray();
        IntStream.of(under).forEach(id -> assertThat(client.await(id)).hasSize(2));
      }
      return HASHED_SEARCHES;
    }
  }

  @Test
  void weightsArePartsOfTheReads() {
    List<ScriptedUpstream> two = List.of(server(), server());
    try (RunningProxy proxy =
        start(
            by(Balancing.WEIGHTED), spec(two.get(0), true, 3, 1), spec(two.get(1), false, 1, 1))) {
      read(proxy);
      assertThat((double) reads(two.get(0))).isCloseTo(SEARCHES * 0.75, within(SEARCHES * 0.03));
    }
  }

  @Test
  void aTierIsUsedWhileHigherTiersHaveNoServer() {
    ScriptedUpstream first = server();
    ScriptedUpstream second = server();
    try (RunningProxy proxy =
            start(by(Balancing.FAILOVER), spec(first, true, 1, 1), spec(second, false, 1, 2));
        RawLdapClient client = proxy.client()) {
      IntStream.range(0, 20).forEach(i -> readOnce(client, i));
      assertThat(reads(second)).isZero();
      first.goDown();
      proxy.awaitUp(1);
      IntStream.range(0, 20).forEach(i -> readOnce(client, i));
      assertThat(reads(second)).isEqualTo(20);
      first.comeBack();
      proxy.awaitUp(2);
      IntStream.range(0, 20).forEach(i -> readOnce(client, i));
      assertThat(reads(second)).isEqualTo(20);
    }
  }

  private static void readOnce(RawLdapClient client, int person) {
    assertThat(client.call(find(person))).hasSize(2);
  }

  private static RawRequest find(int person) {
    return search("uid=" + person + ",dc=example").baseScope().request();
  }

  @Test
  void primariesReadOnlyWhileNoReplicaCan() {
    ScriptedUpstream primary = server();
    ScriptedUpstream replica = server();
    BalanceConfig replicas =
        new BalanceConfig(
            List.of(Balancing.LEAST_OUTSTANDING), Reads.REPLICAS, Duration.ZERO, Duration.ZERO);
    try (RunningProxy proxy =
            start(replicas, spec(primary, true, 1, 1), spec(replica, false, 1, 1));
        RawLdapClient client = proxy.client()) {
      IntStream.range(0, 20).forEach(i -> readOnce(client, i));
      assertThat(reads(primary)).isZero();
      client.call(CHANGE);
      assertThat(writes(primary)).isOne();
      replica.goDown();
      proxy.awaitUp(1);
      IntStream.range(0, 20).forEach(i -> readOnce(client, i));
      assertThat(reads(primary)).isEqualTo(20);
    }
  }

  @Test
  void theNextPrimaryTakesTheWritesOfOneThatIsDown() {
    ScriptedUpstream first = server();
    ScriptedUpstream second = server();
    try (RunningProxy proxy =
            start(
                by(Balancing.LEAST_OUTSTANDING),
                spec(first, true, 1, 1),
                spec(second, true, 1, 1));
        RawLdapClient client = proxy.client()) {
      client.call(CHANGE);
      assertThat(writes(second)).isZero();
      first.goDown();
      proxy.awaitUp(1);
      client.call(CHANGE);
      assertThat(writes(second)).isOne();
      first.comeBack();
      proxy.awaitUp(2);
      client.call(CHANGE);
      assertThat(writes(first)).isEqualTo(2);
    }
  }
}
