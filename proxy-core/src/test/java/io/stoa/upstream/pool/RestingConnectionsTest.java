// SPDX-License-Identifier: Apache-2.0
package io.stoa.upstream.pool;

import static org.assertj.core.api.Assertions.assertThat;

import io.stoa.testing.MemoryServers;
import io.stoa.testing.RawRequest;
import io.stoa.testing.RecordedResponse;
import io.stoa.testing.Records;
import io.stoa.testing.Requests;
import io.stoa.testing.TestSession;
import io.stoa.testing.UpstreamBench;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Connections on which clients have bound, and have sent nothing else. */
class RestingConnectionsTest {
  private static final RawRequest SEARCH = Requests.search("dc=x").request();
  private static final Duration TICK = Duration.ofMillis(250);
  private static final String ANNA = "cn=anna,dc=x";
  private static final String BERT = "cn=bert,dc=x";

  private UpstreamBench bench;
  private UpstreamPools pools;

  RestingConnectionsTest() {
    start(UpstreamBench.defaults(1));
  }

  private void start(UpstreamConfig config) {
    bench = new UpstreamBench(config);
    pools = bench.pools();
  }

  private void transport(String component, Duration time) {
    bench.close();
    UpstreamConfig config = UpstreamBench.defaults(1);
    start(Records.with(config, "transport", Records.with(config.transport(), component, time)));
  }

  @AfterEach
  void close() {
    bench.close();
  }

  private MemoryServers.Server server() {
    return bench.server(1);
  }

  private RecordedResponse send(TestSession from) {
    return from.send(SEARCH, operation -> pools.send(operation, bench.backend(1)));
  }

  /** Returns a client that has bound, with its password kept. */
  private TestSession bound(String dn) {
    return boundWithoutPassword(dn).bind(dn, "secret");
  }

  /** Returns a client that has bound, without its password. */
  private TestSession boundWithoutPassword(String dn) {
    TestSession session = bench.client();
    RecordedResponse response =
        session.send(
            Requests.bind(dn, "secret"), operation -> pools.bind(operation, bench.backend(1)));
    server().requests();
    assertThat(response.outcome()).isEqualTo("0");
    return session.named(dn);
  }

  private List<Integer> connections() {
    return server().requests().stream().map(MemoryServers.Request::connection).toList();
  }

  // Service of the identity

  @Test
  void theFirstOperationUsesTheConnectionOfTheBind() {
    send(bound(ANNA));
    List<MemoryServers.Request> requests = server().requests();
    assertThat(requests).hasSize(1).noneMatch(MemoryServers.Request::isBind);
    assertThat(requests.get(0).connection()).isOne();
  }

  @Test
  void aConnectionCountsAsIdleAndServingWhileItRests() {
    TestSession anna = bound(ANNA);
    TestSession bert = bench.client().named(BERT);
    assertThat(pools.hasIdle(anna, bench.backend(1))).isTrue();
    assertThat(pools.canServe(anna, bench.backend(1))).isTrue();
    assertThat(pools.isServed(anna)).isTrue();
    assertThat(pools.hasIdle(bert, bench.backend(1))).isFalse();
    assertThat(pools.canServe(bert, bench.backend(1))).isFalse();
  }

  @Test
  void theConnectionOfAnotherIdentityIsNotUsed() {
    bound(ANNA);
    send(bench.client());
    assertThat(connections()).containsExactly(2);
  }

  @Test
  void theNewestBindOfAnIdentityRestsAndTheEarlierConnectionTakesTheNextBind() {
    TestSession first = bound(ANNA);
    bound(ANNA);
    bound(BERT);
    assertThat(server().connected()).isEqualTo(2);
    send(first);
    assertThat(connections()).containsExactly(2);
  }

  @Test
  void allClientsThatAConnectionServesMoveToTheGroup() {
    TestSession silent = boundWithoutPassword(ANNA);
    TestSession busy = boundWithoutPassword(ANNA);
    send(busy);
    server().answer(0);
    busy.leave();
    bench.loop().pass(TICK.multipliedBy(4));
    send(silent);
    assertThat(silent.losses()).isEmpty();
    assertThat(connections()).containsExactly(2);
  }

  // The end of the rest

  @Test
  void theNextBindUsesTheConnectionOfAClientThatHasLeft() {
    for (int i = 0; i < 10; i++) {
      bound("cn=" + i + ",dc=x").leave();
    }
    assertThat(server().connected()).isOne();
  }

  @Test
  void aConnectionRestsUntilTheLastClientOfItsIdentityHasLeft() {
    TestSession first = bound(ANNA);
    bound(ANNA).leave();
    send(first);
    assertThat(connections()).containsExactly(2);
  }

  @Test
  void aLostConnectionIsReplacedByTheNextOperation() {
    TestSession anna = bound(ANNA);
    server().close(1);
    bench.loop().run();
    assertThat(anna.losses()).isEmpty();
    assertThat(pools.canServe(anna, bench.backend(1))).isFalse();
    send(anna);
    server().requests();
    assertThat(server().connected()).isEqualTo(2);
  }

  @Test
  void clientsWithoutStoredPasswordsAreDisconnectedWithTheirConnection() {
    TestSession first = boundWithoutPassword(ANNA);
    TestSession second = boundWithoutPassword(ANNA);
    TestSession other = boundWithoutPassword(BERT);
    server().close(2);
    bench.loop().run();
    assertThat(first.losses()).containsExactly("STATE_LOST");
    assertThat(second.losses()).containsExactly("STATE_LOST");
    assertThat(other.losses()).isEmpty();
  }

  @Test
  void theEndOfStoaDisconnectsNoClientForItsConnection() {
    TestSession anna = boundWithoutPassword(ANNA);
    pools.close();
    bench.loop().run();
    assertThat(anna.losses()).isEmpty();
    assertThat(server().open()).isZero();
  }

  // Limits and time

  @Test
  void anIdleConnectionThatCanBeMadeAgainIsClosedAfterItsTime() {
    transport("idleTimeout", Duration.ofNanos(1));
    bound(ANNA);
    bench.loop().pass(TICK);
    assertThat(server().open()).isZero();
  }

  @Test
  void anIdleConnectionThatCannotBeMadeAgainIsKeptAlive() {
    transport("idleTimeout", Duration.ofNanos(1));
    TestSession anna = boundWithoutPassword(ANNA);
    bench.loop().pass(TICK);
    assertThat(server().open()).isOne();
    assertThat(anna.losses()).isEmpty();
    assertThat(server().requests()).hasSize(1).noneMatch(MemoryServers.Request::isBind);
  }

  @Test
  void aConnectionThatAwaitsAKeepAliveResponseTakesNoBind() {
    transport("idleTimeout", Duration.ofNanos(1));
    TestSession anna = boundWithoutPassword(ANNA);
    bench.loop().pass(TICK);
    anna.leave();
    bound(BERT);
    assertThat(server().connected()).isEqualTo(2);
    server().answer(0);
    assertThat(server().open()).isOne();
  }

  @Test
  void aConnectionAtItsMaximumAgeIsClosedIfItCanBeMadeAgain() {
    transport("maxAge", Duration.ofNanos(1));
    bound(ANNA);
    boundWithoutPassword(BERT);
    bench.loop().pass(TICK.multipliedBy(2));
    assertThat(server().open()).isOne();
  }

  @Test
  void aDrainedServerKeepsOnlyConnectionsThatCannotBeMadeAgain() {
    bound(ANNA);
    boundWithoutPassword(BERT);
    bench.backend(1).health().drain();
    bench.loop().run();
    assertThat(server().open()).isOne();
  }

  @Test
  void aConnectionThatRestsGivesWayAtTheMaximumOfConnections() {
    bench.close();
    start(UpstreamBench.defaults(1).maxConnections(2));
    bound(ANNA);
    bound(BERT);
    send(bench.client());
    assertThat(connections()).containsExactly(3);
    assertThat(server().open()).isEqualTo(2);
    assertThat(bench.backend(1).connections()).isEqualTo(2);
  }
}
