// SPDX-License-Identifier: Apache-2.0
package io.stoa.promise.replication;

import static io.stoa.testing.Requests.search;
import static io.stoa.testing.ScriptedPositions.csn;
import static io.stoa.testing.ScriptedPositions.hides;
import static io.stoa.testing.ScriptedPositions.root;
import static io.stoa.testing.ScriptedPositions.tells;
import static org.assertj.core.api.Assertions.assertThat;

import io.stoa.replication.ReplicationConfig;
import io.stoa.replication.ReplicationConfig.SessionScope;
import io.stoa.testing.Answer;
import io.stoa.testing.Await;
import io.stoa.testing.ExpectedLog;
import io.stoa.testing.ProxySetup;
import io.stoa.testing.RawLdapClient;
import io.stoa.testing.Received;
import io.stoa.testing.Records;
import io.stoa.testing.Requests;
import io.stoa.testing.RunningProxy;
import io.stoa.testing.ScriptedPositions;
import io.stoa.testing.ScriptedUpstream;
import io.stoa.upstream.balancing.BalanceConfig;
import io.stoa.upstream.balancing.BalanceConfig.Reads;
import io.stoa.upstream.server.BackendStatus;
import io.stoa.upstream.server.ReplicaStatus;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * A naming context is taken from servers: what they tell of the others counts again after a time.
 * Replicas alone answer reads, so that a read at the primary is one that had to go there.
 */
class RemovedContextsIT {
  private static final String KEPT = "dc=example,dc=com";
  private static final String GIVEN_UP = "o=old";
  private static final String ANNA = "uid=anna," + KEPT;

  @RegisterExtension final ExpectedLog log = new ExpectedLog();

  private ScriptedUpstream primary;
  private ScriptedUpstream replica;
  private RunningProxy proxy;

  @BeforeEach
  void startServers() {
    primary = ScriptedUpstream.start();
    replica = ScriptedUpstream.start();
    List.of(primary, replica).forEach(RemovedContextsIT::hasBoth);
  }

  @AfterEach
  void stop() {
    proxy.close();
    primary.close();
    replica.close();
  }

  private void start(Duration maxLag) {
    proxy =
        ProxySetup.before(primary.port(), replica.port())
            .cachesOff()
            .upstream("writeCoherence", Duration.ofHours(1))
            .upstream("balance", Records.with(BalanceConfig.DEFAULTS, "reads", Reads.REPLICAS))
            .upstream(
                "replication",
                new ReplicationConfig(SessionScope.IDENTITY, maxLag, Duration.ofMillis(20)))
            .start();
    awaitPosition(0, 2);
  }

  private static void hasBoth(ScriptedUpstream server) {
    tells(server, 0, KEPT, GIVEN_UP);
  }

  private static void hasOne(ScriptedUpstream server) {
    hides(server, GIVEN_UP);
    server.when(ScriptedPositions::isRoot, root(KEPT));
  }

  private List<ReplicaStatus> replicaStatuses() {
    return proxy.status().backends().stream().map(BackendStatus::replica).toList();
  }

  private void awaitPosition(int changes, int servers) {
    String kept = KEPT + "#001 " + csn(changes);
    Await.until(
        "it is told",
        () ->
            replicaStatuses().stream().filter(t -> t.position().contains(kept)).count() == servers);
  }

  private static void write(RawLdapClient client) {
    assertThat(client.code(Requests.replace(ANNA, "sn", "new"))).isZero();
  }

  private static void read(RawLdapClient client, ScriptedUpstream from) {
    assertThat(isReadFrom(client, from)).isTrue();
  }

  private static boolean isRead(Received request) {
    return request.isSearchFor("uid=anna");
  }

  /** Written, told by the primary, and told by the replica, which may be read from again. */
  private void writeAndFollow(RawLdapClient client, int changes) {
    tells(primary, changes, KEPT);
    write(client);
    awaitPosition(changes, 1);
    read(client, primary);
    tells(replica, changes, KEPT);
    awaitPosition(changes, 2);
    Await.until("the replica is known to have it", () -> isReadFrom(client, replica));
  }

  private static boolean isReadFrom(RawLdapClient client, ScriptedUpstream server) {
    int before = server.received(RemovedContextsIT::isRead).size();
    assertThat(client.code(search(ANNA).baseScope().request())).isZero();
    return server.received(RemovedContextsIT::isRead).size() > before;
  }

  @Test
  void positionsInRemainingContextsCountAfterARemoval() {
    start(Duration.ofMillis(500));
    try (RawLdapClient client = proxy.client()) {
      writeAndFollow(client, 1);
      List.of(primary, replica).forEach(RemovedContextsIT::hasOne);
      Await.until(
          "they have no more than one",
          () -> replicaStatuses().stream().noneMatch(t -> t.position().contains(GIVEN_UP)));
      writeAndFollow(client, 2);
      assertThat(replicaStatuses()).noneMatch(ReplicaStatus::behind);
    }
  }

  /** The replica had not followed yet: it never will, and lags for none of that. */
  @Test
  void changesInARemovedContextCauseNoLag() {
    start(Duration.ofMillis(500));
    try (RawLdapClient client = proxy.client()) {
      tells(primary, 1, GIVEN_UP);
      assertThat(client.code(Requests.replace("ou=x," + GIVEN_UP, "ou", "x"))).isZero();
      Await.until("it lags", () -> replicaStatuses().get(1).lagMillis() > 0);
      List.of(primary, replica).forEach(RemovedContextsIT::hasOne);
      Await.until(
          "they have no more than one",
          () -> replicaStatuses().stream().noneMatch(t -> t.position().contains(GIVEN_UP)));
      writeAndFollow(client, 1);
      assertThat(replicaStatuses().get(1).lagMillis()).isZero();
    }
  }

  @Test
  void aReplicaWithFewerContextsIsStillReadFrom() {
    start(Duration.ofMillis(500));
    hasOne(replica);
    Await.until("it has less", () -> !replicaStatuses().get(1).position().contains(GIVEN_UP));
    assertThat(replicaStatuses().get(1).behind()).isFalse();
    try (RawLdapClient client = proxy.client()) {
      read(client, replica);
    }
  }

  /** As while it is started: what was known of it stays known, and is told again at once. */
  @Test
  void oneAnswerWithFewerContextsChangesNothing() {
    start(Duration.ofHours(1));
    AtomicInteger fewer = new AtomicInteger(3);
    Answer one = root(KEPT);
    Answer both = root(KEPT, GIVEN_UP);
    try (RawLdapClient client = proxy.client()) {
      replica.when(
          ScriptedPositions::isRoot,
          (request, link) -> (fewer.getAndDecrement() > 0 ? one : both).to(request, link));
      Await.until("it was asked", () -> fewer.get() < 0);
      assertThat(replicaStatuses().get(1).position()).contains(GIVEN_UP);
      writeAndFollow(client, 1);
      assertThat(replicaStatuses().get(1).position()).contains(GIVEN_UP);
    }
  }
}
