// SPDX-License-Identifier: Apache-2.0
package io.stoa.promise.replication;

import static io.stoa.testing.Requests.search;
import static io.stoa.testing.ScriptedPositions.hides;
import static io.stoa.testing.ScriptedPositions.isPositionOf;
import static io.stoa.testing.ScriptedPositions.tells;
import static org.assertj.core.api.Assertions.assertThat;

import io.stoa.replication.ReplicationConfig;
import io.stoa.replication.ReplicationConfig.SessionScope;
import io.stoa.testing.Answers;
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
import io.stoa.upstream.server.BackendState;
import io.stoa.upstream.server.BackendStatus;
import io.stoa.upstream.server.ReplicaStatus;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * Servers that do not tell how far they have got, or no longer do. Replicas alone answer reads, so
 * that a read at the primary is one that had to go there.
 */
class MissingPositionsIT {
  private static final String CONTEXT = "dc=example,dc=com";
  private static final String OTHER = "o=other";
  private static final String ANNA = "uid=anna," + CONTEXT;
  private static final Duration LONG = Duration.ofHours(1);

  @RegisterExtension final ExpectedLog log = new ExpectedLog();

  private ScriptedUpstream primary;
  private ScriptedUpstream replica;
  private RunningProxy proxy;

  @BeforeEach
  void startServers() {
    primary = ScriptedUpstream.start();
    replica = ScriptedUpstream.start();
    tells(primary, 1, CONTEXT, OTHER);
    tells(replica, 1, CONTEXT, OTHER);
  }

  @AfterEach
  void stop() {
    proxy.close();
    primary.close();
    replica.close();
  }

  private ProxySetup setup(Duration maxLag) {
    return ProxySetup.before(primary.port(), replica.port())
        .upstream("balance", Records.with(BalanceConfig.DEFAULTS, "reads", Reads.REPLICAS))
        .upstream(
            "replication",
            new ReplicationConfig(SessionScope.IDENTITY, maxLag, Duration.ofMillis(20)));
  }

  private void start(Duration maxLag) {
    startWithPrimary(maxLag);
    proxy.awaitUp();
  }

  private void startWithPrimary(Duration maxLag) {
    proxy = setup(maxLag).cachesOff().upstream("writeCoherence", LONG).start();
    Await.until("the primary tells", () -> !replicaStatus(0).position().isEmpty());
  }

  private ReplicaStatus replicaStatus(int server) {
    return proxy.status().backends().get(server).replica();
  }

  private static void read(RawLdapClient client, ScriptedUpstream from) {
    int before = from.received(MissingPositionsIT::isRead).size();
    assertThat(client.code(search(ANNA).baseScope().request())).isZero();
    assertThat(from.received(MissingPositionsIT::isRead)).hasSize(before + 1);
  }

  private static boolean isRead(Received request) {
    return request.isSearchFor("uid=anna");
  }

  private static void awaitPolls(ScriptedUpstream server) {
    int before = server.received(isPositionOf(CONTEXT)).size();
    server.awaitReceived(before + 3, isPositionOf(CONTEXT));
  }

  /** As while it is being loaded: it would answer that there is no such entry. */
  @Test
  void aNewReplicaWithoutAPositionIsNotReadFrom() {
    hides(replica, CONTEXT, OTHER);
    start(LONG);
    awaitPolls(replica);
    try (RawLdapClient client = proxy.client()) {
      read(client, primary);
      tells(replica, 1, CONTEXT, OTHER);
      Await.until("it tells", () -> !replicaStatus(1).position().isEmpty());
      read(client, replica);
    }
  }

  /** It may be that the account of the probe is not allowed to see it there. */
  @Test
  void aReplicaThatNeverReportsIsReadFromAfterATimeout() {
    hides(replica, CONTEXT, OTHER);
    replica.goDown();
    startWithPrimary(Duration.ofMillis(300)); // so that it is waited for from the beginning
    replica.comeBack();
    try (RawLdapClient client = proxy.client()) {
      Await.until(
          "it is read from",
          () -> {
            assertThat(client.code(search(ANNA).baseScope().request())).isZero();
            return !replica.received(MissingPositionsIT::isRead).isEmpty();
          });
    }
    Await.until("it is said", () -> !log.warningsOf("Replication").isEmpty());
  }

  @Test
  void aReplicaThatComesBackEmptyIsNotReadFrom() {
    start(Duration.ofMillis(300));
    Await.until("both tell", () -> !replicaStatus(1).position().isEmpty());
    try (RawLdapClient client = proxy.client()) {
      read(client, replica);
      replica.goDown();
      Await.until("it is down", () -> state(1) != BackendState.UP);
      hides(replica, CONTEXT, OTHER);
      replica.comeBack();
      Await.until("it is back", () -> state(1) == BackendState.UP);
      for (int i = 0; i < 50; i++) {
        read(client, primary);
        awaitPolls(replica);
      }
      tells(replica, 1, CONTEXT, OTHER);
      Await.until("it is read from", () -> !replicaStatus(1).behind());
      read(client, replica);
    }
  }

  private BackendState state(int server) {
    BackendStatus status = proxy.status().backends().get(server);
    return status.state();
  }

  /** Busy, as well as no answer at all, says nothing of what it has. */
  @Test
  void aReplicaThatStopsReportingLagsByItsLastPosition() {
    start(Duration.ofSeconds(2));
    Await.until("both tell", () -> !replicaStatus(1).position().isEmpty());
    replica.when(isPositionOf(CONTEXT), Answers.result(51));
    tells(primary, 2, CONTEXT);
    Await.until("it lags", () -> replicaStatus(1).lagMillis() > 0);
    Await.until("it is behind", () -> replicaStatus(1).behind());
    try (RawLdapClient client = proxy.client()) {
      read(client, primary);
    }
  }

  @Test
  void writesAtAPrimaryThatStopsReportingAreForgotten() {
    start(Duration.ofMillis(300));
    Await.until("both tell", () -> !replicaStatus(1).position().isEmpty());
    hides(primary, CONTEXT, OTHER);
    try (RawLdapClient client = proxy.client()) {
      assertThat(client.code(Requests.replace(ANNA, "sn", "new"))).isZero();
      read(client, primary);
      Await.until("it has ceased to tell", () -> replicaStatus(0).position().isEmpty());
      Await.until("it is forgotten", () -> proxy.status().unreplicatedWrites() == 0);
      read(client, primary); // as long as others may lack what was written there
    }
  }

  /** Nobody can say of them who has what: what they answer is as good as it was before a write. */
  @Test
  void domainControllerAnswersAreCachedDespiteWritesElsewhere() {
    primary.when(ScriptedPositions::isRoot, ScriptedPositions.controller(1));
    replica.when(ScriptedPositions::isRoot, ScriptedPositions.controller(7));
    proxy = setup(LONG).upstream("writeCoherence", Duration.ZERO).start().awaitUp();
    Await.until(
        "they tell",
        () -> !replicaStatus(0).position().isEmpty() && !replicaStatus(1).position().isEmpty());
    try (RawLdapClient client = proxy.client()) {
      for (int i = 0; i < 600; i++) {
        assertThat(client.code(Requests.replace("uid=u" + i + "," + CONTEXT, "sn", "n"))).isZero();
      }
      assertThat(proxy.status().unreplicatedWrites()).isZero();
      read(client, replica);
      assertThat(client.code(search(ANNA).baseScope().request())).isZero();
      assertThat(replica.received(MissingPositionsIT::isRead)).hasSize(1);
    }
  }
}
