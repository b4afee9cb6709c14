// SPDX-License-Identifier: Apache-2.0
package io.stoa.routing;

import static org.assertj.core.api.Assertions.assertThat;

import com.unboundid.ldap.sdk.controls.SimplePagedResultsControl;
import io.stoa.operation.Rejection;
import io.stoa.operation.Restriction;
import io.stoa.testing.Answers;
import io.stoa.testing.MemoryServers;
import io.stoa.testing.RawRequest;
import io.stoa.testing.RecordedResponse;
import io.stoa.testing.Requests;
import io.stoa.testing.Responses;
import io.stoa.testing.UpstreamBench;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The server and the connection of each operation, and the retry after a failure. */
class RoutingStageTest {
  private static final int PRIMARY = 1;
  private static final int REPLICA = 2;
  private static final RawRequest SEARCH = Requests.search("dc=x").request();
  private static final RawRequest WRITE = Requests.delete("dc=x");

  private RoutingBench bench = new RoutingBench(2);

  @AfterEach
  void close() {
    bench.close();
  }

  private void use(RoutingBench other) {
    close();
    bench = other;
  }

  private void stop(int server) {
    bench.server(server).stop();
    down(server);
  }

  private void down(int server) {
    bench.upstream.down(server);
    bench.upstream.loop().run();
  }

  @Test
  void writesGoToThePrimary() {
    for (int i = 0; i < 10; i++) {
      bench.send(WRITE);
    }
    assertThat(bench.server(PRIMARY).requests()).hasSize(10);
  }

  @Test
  void readsGoToAllServers() {
    for (int i = 0; i < 10; i++) {
      bench.send(SEARCH);
    }
    assertThat(bench.server(PRIMARY).requests()).isNotEmpty();
    assertThat(bench.server(REPLICA).requests()).isNotEmpty();
  }

  @Test
  void readsAfterAWriteGoToThePrimaryForTheConfiguredTime() {
    use(new RoutingBench(new UpstreamBench(2), Duration.ofHours(1)));
    bench.send(WRITE);
    bench.server(PRIMARY).answer(0);
    for (int i = 0; i < 10; i++) {
      bench.send(SEARCH);
    }
    assertThat(bench.server(PRIMARY).requests()).hasSize(10);
  }

  @Test
  void readsGoToThePrimaryIfNoReplicaIsUp() {
    down(REPLICA);
    bench.send(SEARCH);
    assertThat(bench.busy()).isEqualTo(PRIMARY);
  }

  @Test
  void readsGoToTheReplicaIfThePrimaryIsDown() {
    down(PRIMARY);
    bench.send(SEARCH);
    assertThat(bench.busy()).isEqualTo(REPLICA);
  }

  @Test
  void writesAreRejectedIfThePrimaryIsDown() {
    down(PRIMARY);
    RecordedResponse response = bench.send(WRITE);
    assertThat(response.outcome()).isEqualTo("PRIMARY_DOWN");
    assertThat(Rejection.PRIMARY_DOWN.resultCode()).isEqualTo(52);
  }

  @Test
  void readsAreRejectedIfNoServerIsUp() {
    down(PRIMARY);
    down(REPLICA);
    RecordedResponse response = bench.send(SEARCH);
    assertThat(response.outcome()).isEqualTo("NO_UPSTREAM");
    assertThat(Rejection.NO_UPSTREAM.resultCode()).isEqualTo(52);
  }

  @Test
  void readsOfADrainedServerGoElsewhere() {
    bench.upstream.backend(REPLICA).health().drain();
    for (int i = 0; i < 10; i++) {
      bench.send(SEARCH);
    }
    assertThat(bench.server(REPLICA).requests()).isEmpty();
  }

  @Test
  void operationsThatMayLeaveStateUseTheClientsOwnConnection() {
    bench.send(WRITE);
    bench.send(Requests.extended("1.2.3.4"));
    assertThat(bench.server(PRIMARY).requests())
        .extracting(MemoryServers.Request::connection)
        .containsExactly(1, 2);
    assertThat(bench.client().restriction()).isNotEqualTo(Restriction.NONE);
  }

  @Test
  void aPagedSearchUsesTheClientsOwnConnection() {
    bench.send(SEARCH.with(new SimplePagedResultsControl(10)));
    assertThat(bench.client().restriction()).isEqualTo(Restriction.DEDICATED_CONNECTION);
    assertThat(bench.stage.pools().pinnedTo(bench.client())).isNotNull();
  }

  @Test
  void aSuspectServerIsUsedIfNoOtherIsUp() {
    down(REPLICA);
    bench.upstream.backend(PRIMARY).health().onCheckLate("it is silent");
    bench.send(SEARCH);
    assertThat(bench.busy()).isEqualTo(PRIMARY);
  }

  @Test
  void aSuspectServerIsNotUsedIfAnotherIsUp() {
    bench.upstream.backend(PRIMARY).health().onCheckLate("it is silent");
    for (int i = 0; i < 10; i++) {
      bench.send(SEARCH);
    }
    assertThat(bench.server(REPLICA).requests()).hasSize(10);
  }

  // Retries

  @Test
  void aReadLostBeforeItsAnswerIsSentToTheOtherServer() {
    RecordedResponse response = bench.send(SEARCH);
    int first = bench.busy();
    stop(first);
    assertThat(bench.busy()).isEqualTo(PRIMARY + REPLICA - first);
    bench.server(bench.busy()).answer(0);
    assertThat(response.outcome()).isEqualTo("0");
  }

  @Test
  void aReadLostAfterAnEntryIsSentAgainAndHasEachEntryOnce() {
    RecordedResponse response = bench.send(SEARCH);
    int first = bench.busy();
    bench.server(first).part(Responses.entry(Answers.person("anna", "x")));
    stop(first);
    int second = bench.busy();
    assertThat(second).isEqualTo(PRIMARY + REPLICA - first);
    bench.server(second).part(Responses.entry(Answers.person("anna", "x")));
    bench.server(second).answer(0);
    assertThat(response.outcome()).isEqualTo("0");
    assertThat(response.parts()).isOne();
  }

  @Test
  void aReadWhoseAnswerIsTooLongToBeHeldIsCutAfterALoss() {
    RecordedResponse response = bench.send(SEARCH);
    int first = bench.busy();
    for (int i = 0; i <= RoutingBench.MAX_HELD; i++) {
      bench.server(first).part(Responses.entry(Answers.person("anna", "x")));
    }
    stop(first);
    assertThat(response.outcome()).isEqualTo("RESULT_CUT");
    assertThat(bench.pending()).isZero();
  }

  @Test
  void aLostWriteIsNotSentAgain() {
    RecordedResponse response = bench.send(WRITE);
    bench.server(PRIMARY).close(1);
    assertThat(response.outcome()).isEqualTo("UPSTREAM_LOST");
    assertThat(bench.pending()).isZero();
  }

  @Test
  void aWriteThatWasNeverSentIsRejectedAsSuch() {
    bench.server(PRIMARY).refuse();
    RecordedResponse response = bench.send(WRITE);
    down(PRIMARY);
    assertThat(response.outcome()).isEqualTo("PRIMARY_DOWN");
  }

  @Test
  void aReadThatAServerRefusesAsBusyIsSentToTheOtherServer() {
    RecordedResponse response = bench.send(SEARCH);
    int first = bench.busy();
    bench.server(first).answer(51);
    assertThat(bench.busy()).isEqualTo(PRIMARY + REPLICA - first);
    bench.server(bench.busy()).answer(0);
    assertThat(response.outcome()).isEqualTo("0");
  }

  @Test
  void anOrdinaryErrorIsTheAnswer() {
    RecordedResponse response = bench.send(SEARCH);
    bench.server(bench.busy()).answer(32);
    assertThat(response.outcome()).isEqualTo("32");
    assertThat(bench.pending()).isZero();
  }

  @Test
  void aWriteThatThePrimaryRefusesAsBusyIsAnsweredSo() {
    RecordedResponse response = bench.send(WRITE);
    bench.server(PRIMARY).answer(51);
    assertThat(response.outcome()).isEqualTo("51");
  }

  @Test
  void aLostReadIsNotSentAgainAfterItsTimeOut() {
    RecordedResponse response = bench.send(SEARCH);
    bench.operationTimeout = Duration.ofNanos(1);
    stop(bench.busy());
    assertThat(response.outcome()).isEqualTo("UPSTREAM_TIMEOUT");
  }

  @Test
  void anAbandonedReadIsNotSentAgain() {
    bench.send(SEARCH);
    int first = bench.busy();
    bench.client().abandon(1);
    stop(first);
    assertThat(bench.pending()).isZero();
  }
}
