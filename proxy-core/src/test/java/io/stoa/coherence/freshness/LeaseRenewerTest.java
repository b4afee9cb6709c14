// SPDX-License-Identifier: Apache-2.0
package io.stoa.coherence.freshness;

import static org.assertj.core.api.Assertions.assertThat;

import io.stoa.ldap.csn.Position;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

/** When servers are asked how far they have got, and what their answers prove. */
class LeaseRenewerTest {
  private static final long SECOND = Duration.ofSeconds(1).toNanos();
  private static final String A = "a";
  private static final String B = "b";
  private static final Position FIVE = Position.of(Map.of("x#1", "000000005"));

  private long now = 1_000_000_000_000L;
  private Set<?> writable = Set.of(A);
  private final CoherenceLease lease = new CoherenceLease(Duration.ofSeconds(1), () -> 0);
  private final Queue<Runnable> posted = new ArrayDeque<>();
  private final List<PositionRequest> requests = new ArrayList<>();
  private final LeaseRenewer renewer =
      new LeaseRenewer(
          posted::add,
          () -> writable,
          (server, receiver) -> requests.add(new PositionRequest(server, receiver)),
          lease,
          () -> now);

  private record PositionRequest(Object server, Consumer<Position> receiver) {}

  private LeaseRenewerTest() {
    lease.onApplied(FIVE);
  }

  private void pass(long millis) {
    now += Duration.ofMillis(millis).toNanos();
  }

  private List<Object> requestedSince(int count) {
    return requests.stream().skip(count).map(PositionRequest::server).toList();
  }

  private void runPosted() {
    while (!posted.isEmpty()) {
      posted.remove().run();
    }
  }

  @Test
  void renewsFourTimesWithinTheBound() {
    assertThat(renewer.interval()).isEqualTo(Duration.ofMillis(250));
  }

  @Test
  void aSingleServerIsPolledToo() {
    renewer.run();
    assertThat(requestedSince(0)).containsExactly(A);
    assertThat(lease.isLive(now)).isFalse();
    requests.get(0).receiver.accept(FIVE);
    assertThat(lease.isLive(now)).isTrue();
  }

  @Test
  void allWritableServersArePolled() {
    writable = Set.of(A, B);
    renewer.run();
    assertThat(requestedSince(0)).containsExactlyInAnyOrder(A, B);
    requests.get(0).receiver.accept(FIVE);
    assertThat(lease.isLive(now)).isFalse();
    requests.get(1).receiver.accept(FIVE);
    assertThat(lease.isLive(now)).isTrue();
  }

  @Test
  void aProofIsAsOldAsItsQuestion() {
    long sent = now;
    renewer.run();
    pass(700);
    requests.get(0).receiver.accept(FIVE);
    assertThat(lease.asOf()).isEqualTo(sent);
    pass(300);
    assertThat(lease.isLive(now)).isTrue();
    pass(1);
    assertThat(lease.isLive(now)).isFalse();
  }

  @Test
  void questionsAreSequentialUnlessOneStaysUnanswered() {
    renewer.run();
    pass(250);
    renewer.run();
    assertThat(requests).hasSize(1);
    requests.get(0).receiver.accept(FIVE);
    renewer.run();
    assertThat(requests).hasSize(2);
    pass(2000);
    long sent = now;
    renewer.run();
    assertThat(requests).hasSize(3);
    requests.get(1).receiver.accept(FIVE);
    renewer.run();
    assertThat(requests).as("the third is still open").hasSize(3);
    requests.get(2).receiver.accept(FIVE);
    assertThat(lease.asOf()).isEqualTo(sent);
  }

  private void turns(int count) {
    for (int turn = 0; turn < count; turn++) {
      pass(250);
      renewer.run();
    }
  }

  /** Turns are late now and then. */
  @Test
  void aLostQuestionIsRepeatedWithinTheBound() {
    renewer.run();
    turns(4);
    assertThat(requests).hasSize(2);
    requests.get(1).receiver.accept(FIVE);
    pass(249);
    assertThat(lease.isLive(now)).isTrue();
  }

  @Test
  void atMostTwoQuestionsAreInFlight() {
    renewer.run();
    long[] sent = {now};
    for (int turn = 0; turn < 100; turn++) {
      int before = requests.size();
      turns(1);
      if (requests.size() > before) {
        assertThat(now - sent[0]).isBetween(SECOND / 2, SECOND);
        sent[0] = now;
      }
    }
    assertThat(requests).as("one in three turns").hasSizeBetween(25, 35);
  }

  /** There are two open: whatever the reason for the hurry, no third is asked before an answer. */
  @Test
  void aHurriedRenewalWaitsForOneOfTwoAnswers() {
    renewer.run();
    turns(3);
    assertThat(requests).hasSize(2);
    renewer.hurry();
    runPosted();
    assertThat(requests).hasSize(2);
    requests.get(0).receiver.accept(FIVE);
    assertThat(requests).hasSize(3);
    requests.get(1).receiver.accept(FIVE);
    requests.get(2).receiver.accept(FIVE);
    assertThat(requests).hasSize(3);
    assertThat(lease.asOf()).isEqualTo(now);
  }

  @Test
  void aHurriedRenewalGetsAnAnswerToALaterQuestion() {
    renewer.run();
    renewer.hurry();
    renewer.hurry();
    assertThat(posted).hasSize(1);
    runPosted();
    assertThat(requests).hasSize(1);
    pass(3);
    requests.get(0).receiver.accept(FIVE);
    assertThat(requests).hasSize(2);
    requests.get(1).receiver.accept(FIVE);
    assertThat(lease.asOf()).isEqualTo(now);
    assertThat(requests).hasSize(2);
    renewer.hurry();
    runPosted();
    assertThat(requests).hasSize(3);
  }

  @Test
  void aServerThatIsNoLongerWritableIsNotPolled() {
    writable = Set.of(A, B);
    renewer.run();
    requests.forEach(one -> one.receiver.accept(FIVE));
    writable = Set.of(A);
    pass(250);
    renewer.run();
    assertThat(requestedSince(2)).containsExactly(A);
    pass(900);
    assertThat(lease.isLive(now)).as("proved by the other server only").isFalse();
  }

  @Test
  void anAnswerWithoutAPositionProvesNothing() {
    renewer.run();
    requests.get(0).receiver.accept(Position.NONE);
    assertThat(lease.isLive(now)).isFalse();
    renewer.run();
    assertThat(requests).hasSize(2);
  }
}
