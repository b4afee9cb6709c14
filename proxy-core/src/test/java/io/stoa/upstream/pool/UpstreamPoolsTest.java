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

/** The connections of one event loop to one server: their number, their queue and their logins. */
class UpstreamPoolsTest {
  private static final RawRequest SEARCH = Requests.search("dc=x").request();
  private static final Duration TICK = Duration.ofMillis(250);
  private static final String ANNA = "cn=anna,dc=x";
  private static final String BERT = "cn=bert,dc=x";

  private UpstreamBench bench;
  private UpstreamPools pools;
  private TestSession client;

  UpstreamPoolsTest() {
    start(UpstreamBench.defaults(1));
  }

  private void start(UpstreamConfig config) {
    bench = new UpstreamBench(config);
    pools = bench.pools();
    client = bench.client();
  }

  /** Uses a configuration with other limits. */
  private void limit(int connections, int inFlight, int queue) {
    bench.close();
    UpstreamConfig config = UpstreamBench.defaults(1).maxConnections(connections);
    config = Records.with(config, "maxInFlightPerConnection", inFlight);
    start(Records.with(config, "queueLimit", queue));
  }

  private void use(String component, Object value) {
    bench.close();
    start(Records.with(UpstreamBench.defaults(1), component, value));
  }

  private void idleTimeout(Duration time) {
    use("transport", Records.with(UpstreamBench.defaults(1).transport(), "idleTimeout", time));
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

  private RecordedResponse bind(TestSession from, String dn) {
    RawRequest request = Requests.bind(dn, "secret");
    return from.send(request, operation -> pools.bind(operation, bench.backend(1)));
  }

  private void send(int count) {
    for (int i = 0; i < count; i++) {
      send(client);
    }
  }

  /** Returns a client that has bound, with its password kept. */
  private TestSession bound(String dn) {
    TestSession session = bench.client();
    RecordedResponse response = bind(session, dn);
    server().requests();
    assertThat(response.outcome()).isEqualTo("0");
    return session.bind(dn, "secret");
  }

  /** Returns a client whose connection has been closed, so that the next one must be bound. */
  private TestSession toBeRebound(String dn) {
    TestSession session = bound(dn);
    server().close(server().connected());
    server().askBinds();
    return session;
  }

  private List<Integer> connections() {
    return server().requests().stream().map(MemoryServers.Request::connection).toList();
  }

  // Growth

  @Test
  void aPoolWithoutOperationsHasNoConnection() {
    bench.loop().pass(TICK);
    assertThat(server().connected()).isZero();
  }

  @Test
  void operationsShareAConnectionUpToItsMaximum() {
    limit(10, 2, 100);
    send(2);
    assertThat(connections()).containsExactly(1, 1);
  }

  @Test
  void theOperationAboveTheMaximumOfAConnectionOpensAnother() {
    limit(10, 2, 100);
    send(3);
    assertThat(connections()).containsExactly(1, 1, 2);
  }

  @Test
  void aPoolGrowsToTheMaximumOfConnectionsAndNotAbove() {
    limit(3, 1, 100);
    send(10);
    assertThat(connections()).containsExactlyInAnyOrder(1, 2, 3);
    assertThat(server().connected()).isEqualTo(3);
    assertThat(bench.backend(1).connections()).isEqualTo(3);
  }

  @Test
  void operationsWaitUntilTheConnectionIsMade() {
    server().hold();
    RecordedResponse response = send(client);
    assertThat(response.outcome()).isEqualTo(RecordedResponse.OPEN);
    assertThat(bench.bound().waiting()).isOne();
    server().accept();
    assertThat(connections()).containsExactly(1);
    assertThat(bench.bound().waiting()).isZero();
  }

  @Test
  void aGroupOpensOneConnectionAtATime() {
    limit(10, 1, 100);
    server().hold();
    send(5);
    assertThat(server().dialing()).isOne();
  }

  @Test
  void anOperationWithoutAConnectionIsUnansweredIfTheServerRefusesConnections() {
    server().refuse();
    RecordedResponse response = send(client);
    bench.loop().run();
    assertThat(response.outcome()).isEqualTo("UPSTREAM_LOST");
    assertThat(bench.backend(1).connections()).isZero();
  }

  // The queue

  @Test
  void waitingOperationsAreSentInOrder() {
    limit(1, 1, 100);
    send(3);
    server().answer(0);
    server().answer(0);
    server().answer(0);
    assertThat(client.ends()).containsExactly("1 0", "2 0", "3 0");
  }

  @Test
  void theWaitingOperationsOfTwoClientsAreSentInTurn() {
    limit(1, 1, 100);
    send(4);
    TestSession other = bench.client();
    send(other);
    server().answer(0);
    server().answer(0);
    server().answer(0);
    assertThat(other.ends()).containsExactly("1 0");
  }

  @Test
  void operationsAboveTheBoundOfTheQueueAreRejected() {
    limit(1, 1, 10);
    send(100);
    assertThat(bench.bound().waiting()).isBetween(9, 10);
    assertThat(client.ends())
        .hasSize(100 - bench.bound().waiting())
        .allMatch(end -> end.endsWith(" QUEUE_FULL"));
  }

  @Test
  void anIdentityThatFillsTheQueueLeavesAPlaceToOthers() {
    limit(1, 1, 10);
    TestSession other = bound(ANNA);
    send(100);
    assertThat(send(other).outcome()).isEqualTo(RecordedResponse.OPEN);
  }

  @Test
  void anOperationThatWaitsLongerThanTheTimeOutOfTheQueueIsRejected() {
    use("queueTimeout", Duration.ofNanos(1));
    server().hold();
    RecordedResponse response = send(client);
    bench.loop().pass(TICK);
    assertThat(response.outcome()).isEqualTo("QUEUE_TIMEOUT");
    assertThat(bench.bound().waiting()).isZero();
  }

  @Test
  void anAbandonedWaitingOperationIsNotSent() {
    limit(1, 1, 100);
    send(2);
    client.abandon(2);
    server().answer(0);
    assertThat(connections()).isEmpty();
    assertThat(bench.bound().waiting()).isZero();
  }

  // The end of a connection

  @Test
  void aClosedConnectionIsReplacedByTheNextOperation() {
    send(client);
    server().answer(0);
    server().close(1);
    assertThat(bench.backend(1).connections()).isZero();
    send(client);
    assertThat(connections()).containsExactly(2);
  }

  @Test
  void theOperationsOfAClosedConnectionAreUnanswered() {
    limit(2, 1, 100);
    send(2);
    server().close(1);
    assertThat(client.ends()).containsExactly("1 UPSTREAM_LOST");
    assertThat(connections()).containsExactly(2);
  }

  @Test
  void waitingOperationsSurviveTheEndOfAConnection() {
    limit(1, 1, 100);
    send(2);
    server().close(1);
    assertThat(connections()).containsExactly(2);
    server().answer(0);
    assertThat(client.ends()).containsExactly("1 UPSTREAM_LOST", "2 0");
  }

  @Test
  void anIdleConnectionIsClosedAfterItsTime() {
    idleTimeout(Duration.ofNanos(1));
    send(client);
    server().answer(0);
    bench.loop().pass(TICK);
    assertThat(server().open()).isZero();
  }

  @Test
  void aBusyConnectionIsNotClosedAsIdle() {
    idleTimeout(Duration.ofNanos(1));
    send(client);
    assertThat(connections()).hasSize(1);
    bench.loop().pass(TICK.multipliedBy(4));
    assertThat(server().open()).isOne();
  }

  @Test
  void anIdleConnectionIsKeptWithoutAMaximumIdleTime() {
    idleTimeout(Duration.ZERO);
    send(client);
    server().answer(0);
    bench.loop().pass(TICK.multipliedBy(4));
    assertThat(server().open()).isOne();
  }

  @Test
  void aDrainedServerLosesItsConnectionsAfterTheirLastResponse() {
    send(client);
    assertThat(connections()).hasSize(1);
    bench.backend(1).health().drain();
    assertThat(server().open()).isOne();
    server().answer(0);
    assertThat(server().open()).isZero();
    assertThat(client.ends()).containsExactly("1 0");
  }

  // Identities

  @Test
  void anAnonymousClientNeedsNoBind() {
    server().askBinds();
    send(client);
    assertThat(server().requests()).noneMatch(MemoryServers.Request::isBind);
  }

  @Test
  void aConnectionIsBoundBeforeItsFirstOperation() {
    send(toBeRebound(ANNA));
    assertThat(server().requests()).hasSize(1).allMatch(MemoryServers.Request::isBind);
    server().answer(0);
    assertThat(server().requests()).hasSize(1).noneMatch(MemoryServers.Request::isBind);
    assertThat(connections()).containsExactly(2);
  }

  @Test
  void noOperationIsSentOnAConnectionWhoseBindWasRefused() {
    send(toBeRebound(ANNA));
    server().answer(49);
    assertThat(server().requests()).isEmpty();
    assertThat(server().open()).isZero();
  }

  @Test
  void aClientWhoseStoredPasswordIsRefusedIsDisconnected() {
    TestSession session = toBeRebound(ANNA);
    send(session);
    server().answer(49);
    assertThat(session.losses()).containsExactly("REBIND_REFUSED");
  }

  @Test
  void twoIdentitiesNeverShareAConnection() {
    send(bound(ANNA));
    send(bound(BERT));
    send(bench.client());
    assertThat(connections()).containsExactlyInAnyOrder(1, 2, 3);
  }

  @Test
  void twoClientsOfOneIdentityShareAConnection() {
    TestSession first = bound(ANNA);
    TestSession second = bound(ANNA);
    send(first);
    send(second);
    assertThat(server().requests()).hasSize(2);
    assertThat(connections()).containsOnly(connections().get(0));
  }

  @Test
  void anIdleConnectionOfAnotherIdentityIsClosedAtTheMaximum() {
    limit(1, 10, 100);
    bound(ANNA);
    send(bench.client());
    assertThat(connections()).containsExactly(2);
    assertThat(server().open()).isOne();
  }

  @Test
  void aBusyConnectionOfAnotherIdentityIsNotClosedAtTheMaximum() {
    limit(1, 10, 100);
    send(bound(ANNA));
    send(client);
    assertThat(connections()).containsExactly(1);
    assertThat(server().connected()).isOne();
    server().answer(0);
    assertThat(connections()).containsExactly(2);
  }

  // Binds of clients

  @Test
  void eachBindInFlightHasItsOwnConnection() {
    server().askBinds();
    bind(client, ANNA);
    bind(bench.client(), BERT);
    assertThat(connections()).containsExactlyInAnyOrder(1, 2);
  }

  @Test
  void aConnectionOnWhichAClientHasBoundServesItsIdentity() {
    bind(client, ANNA);
    assertThat(server().requests()).isEmpty();
    assertThat(client.ends()).containsExactly("1 0");
    send(client.named(ANNA));
    assertThat(connections()).containsExactly(1);
  }

  @Test
  void aConnectionWithAFailedBindTakesTheNextBind() {
    server().askBinds();
    bind(client, ANNA);
    server().answer(49);
    bind(client, ANNA);
    assertThat(connections()).containsExactly(1);
    assertThat(client.ends()).containsExactly("1 49");
  }

  @Test
  void aClientWithoutAStoredPasswordIsDisconnectedWithItsLastConnection() {
    bind(client, ANNA);
    server().requests();
    send(client.named(ANNA));
    server().answer(0);
    server().close(1);
    bench.loop().run();
    assertThat(client.losses()).containsExactly("STATE_LOST");
  }

  // Dedicated connections

  private void pin(TestSession from) {
    from.send(SEARCH, operation -> pools.pin(operation, bench.backend(1)));
  }

  @Test
  void aDedicatedConnectionServesOneClientOnly() {
    pin(client);
    pin(bench.client());
    send(bench.client());
    assertThat(connections()).containsExactlyInAnyOrder(1, 2, 3);
  }

  @Test
  void aDedicatedConnectionServesFurtherOperationsOfItsClient() {
    pin(client);
    pin(client);
    assertThat(connections()).containsExactly(1, 1);
  }

  @Test
  void aDedicatedConnectionEndsWithItsClient() {
    pin(client);
    server().answer(0);
    client.leave();
    assertThat(server().open()).isZero();
    assertThat(pools.pinnedTo(client)).isNull();
  }
}
