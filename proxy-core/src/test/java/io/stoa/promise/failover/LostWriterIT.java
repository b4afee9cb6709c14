// SPDX-License-Identifier: Apache-2.0
package io.stoa.promise.failover;

import static io.stoa.testing.Requests.search;
import static io.stoa.testing.ScriptedPositions.hides;
import static io.stoa.testing.ScriptedPositions.isPositionOf;
import static io.stoa.testing.ScriptedPositions.position;
import static io.stoa.testing.ScriptedPositions.tells;
import static org.assertj.core.api.Assertions.assertThat;

import io.stoa.replication.ReplicationConfig;
import io.stoa.replication.ReplicationConfig.SessionScope;
import io.stoa.testing.Await;
import io.stoa.testing.ExpectedLog;
import io.stoa.testing.ProxySetup;
import io.stoa.testing.RawLdapClient;
import io.stoa.testing.RawRequest;
import io.stoa.testing.Received;
import io.stoa.testing.Requests;
import io.stoa.testing.RunningProxy;
import io.stoa.testing.ScriptedPositions;
import io.stoa.testing.ScriptedUpstream;
import io.stoa.upstream.server.BackendState;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * A server dies right after it has acknowledged a write, which is on its way to the other one. That
 * one is asked how far it has got only when there is reason to.
 */
class LostWriterIT {
  private static final String CONTEXT = "dc=example,dc=com";
  private static final String ANNA = "uid=anna," + CONTEXT;
  private static final RawRequest READ = search(ANNA).baseScope().request();

  /** Once it can be used, and once more to make sure. */
  private static final int AT_THE_START = 2;

  @RegisterExtension final ExpectedLog log = new ExpectedLog();

  private ScriptedUpstream primary;
  private ScriptedUpstream replica;
  private RunningProxy proxy;

  @BeforeEach
  void startServers() {
    primary = ScriptedUpstream.start();
    replica = ScriptedUpstream.start();
    tells(primary, 1, CONTEXT);
    tells(replica, 1, CONTEXT);
    start(setup());
    Await.until("both tell", () -> isAt(0, 1) && isAt(1, 1));
    for (ScriptedUpstream server : List.of(primary, replica)) {
      // One that is asked between a test's first steps would tell of a write before it is sent.
      server.awaitReceived(AT_THE_START, isPositionOf(CONTEXT));
    }
  }

  private ProxySetup setup() {
    Duration seldom = Duration.ofHours(1);
    ReplicationConfig replication =
        new ReplicationConfig(SessionScope.IDENTITY, Duration.ofDays(1), seldom);
    return ProxySetup.before(primary.port(), replica.port())
        .cachesOff()
        .upstream("replication", replication);
  }

  private void start(ProxySetup setup) {
    proxy = setup.start().awaitUp();
  }

  @AfterEach
  void stop() {
    proxy.close();
    primary.close();
    replica.close();
  }

  private boolean isAt(int server, int changes) {
    String position = proxy.status().backends().get(server).replica().position();
    return position.contains(ScriptedPositions.csn(changes));
  }

  private long uncovered() {
    return proxy.status().backends().get(1).replica().uncovered();
  }

  /** It is known how far the primary had got. */
  private void writeAndLose(RawLdapClient client) {
    tells(primary, 2, CONTEXT);
    assertThat(client.code(Requests.replace(ANNA, "sn", "new"))).isZero();
    Await.until("the primary tells", () -> isAt(0, 2));
    primary.goDown();
  }

  /** The replica has the write when it is asked for the second time from now on. */
  private void replicaCatchesUpAtSecondPoll() {
    AtomicInteger asked = new AtomicInteger();
    replica.when(
        isPositionOf(CONTEXT),
        (request, link) ->
            position(asked.incrementAndGet() < 2 ? 1 : 2, CONTEXT).to(request, link));
  }

  @Test
  void aReadWaitsForAWriteInReplication() {
    replicaCatchesUpAtSecondPoll();
    try (RawLdapClient client = proxy.client()) {
      writeAndLose(client);
      assertThat(client.code(READ)).isZero();
    }
    assertThat(isAt(1, 2)).isTrue();
    assertThat(uncovered()).isZero();
  }

  /** The write may have been of the password. */
  @Test
  void aBindWaitsForAWriteInReplication() {
    replicaCatchesUpAtSecondPoll();
    try (RawLdapClient client = proxy.client()) {
      writeAndLose(client);
      assertThat(client.code(Requests.bind(ANNA, "secret"))).isZero();
    }
    assertThat(isAt(1, 2)).isTrue();
  }

  @Test
  void noReadWaitsForALostWrite() {
    try (RawLdapClient client = proxy.client()) {
      writeAndLose(client);
      long before = questions(replica.received());
      assertThat(client.code(READ)).isZero();
      assertThat(uncovered()).isOne();
      List<Received> arrived = replica.received();
      List<Received> reads = replica.received(request -> request.isSearchFor("uid=anna"));
      assertThat(reads).hasSize(1);
      long meanwhile = questions(arrived.subList(0, arrived.indexOf(reads.get(0))));
      assertThat(meanwhile).as("questions before the read is sent").isGreaterThan(before);
    }
  }

  private static long questions(List<Received> arrived) {
    return arrived.stream().filter(isPositionOf(CONTEXT)).count();
  }

  /** To wait for what nobody will ever tell would be in vain. */
  @Test
  void noReadWaitsIfServersReportNoPosition() {
    hides(primary, CONTEXT);
    hides(replica, CONTEXT);
    proxy.close();
    start(setup().upstream("writeCoherence", Duration.ofHours(1)));
    try (RawLdapClient client = proxy.client()) {
      assertThat(client.code(Requests.replace(ANNA, "sn", "new"))).isZero();
      primary.goDown();
      awaitDown();
      assertNotHurried(READ, client);
      assertThat(uncovered()).isPositive();
    }
  }

  @Test
  void readsOfOtherEntriesDoNotWait() {
    try (RawLdapClient client = proxy.client()) {
      writeAndLose(client);
      awaitDown();
      assertNotHurried(search("uid=bert," + CONTEXT).baseScope().request(), client);
    }
    assertThat(uncovered()).isZero();
  }

  private void awaitDown() {
    Await.until("it is down", () -> proxy.status().backends().get(0).state() != BackendState.UP);
  }

  /** It is answered without that anybody is asked how far he has got. */
  private void assertNotHurried(RawRequest request, RawLdapClient client) {
    int asked = replica.received(isPositionOf(CONTEXT)).size();
    assertThat(client.code(request)).isZero();
    assertThat(replica.received(isPositionOf(CONTEXT))).hasSize(asked);
  }
}
