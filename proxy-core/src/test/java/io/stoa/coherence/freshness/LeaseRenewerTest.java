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
  private final List<Asked> asked = new ArrayList<>();
  private final LeaseRenewer prober =
      new LeaseRenewer(
          posted::add,
          () -> writable,
          (server, receiver) -> asked.add(new Asked(server, receiver)),
          lease,
          () -> now);

  private record Asked(Object server, Consumer<Position> receiver) {}

  private LeaseRenewerTest() {
    lease.onApplied(FIVE);
  }

  private void pass(long millis) {
    now += Duration.ofMillis(millis).toNanos();
  }

  private List<Object> askedSince(int count) {
    return asked.stream().skip(count).map(Asked::server).toList();
  }

  private void runPosted() {
    while (!posted.isEmpty()) {
      posted.remove().run();
    }
  }

  @Test
  void takesFourTurnsWithinTheBound() {
    assertThat(prober.interval()).isEqualTo(Duration.ofMillis(250));
  }

  @Test
  void oneServerIsAskedToo() {
    prober.run();
    assertThat(askedSince(0)).containsExactly(A);
    assertThat(lease.isLive(now)).isFalse();
    asked.get(0).receiver.accept(FIVE);
    assertThat(lease.isLive(now)).isTrue();
  }

  @Test
  void allThatTakeWritesAreAsked() {
    writable = Set.of(A, B);
    prober.run();
    assertThat(askedSince(0)).containsExactlyInAnyOrder(A, B);
    asked.get(0).receiver.accept(FIVE);
    assertThat(lease.isLive(now)).isFalse();
    asked.get(1).receiver.accept(FIVE);
    assertThat(lease.isLive(now)).isTrue();
  }

  @Test
  void whatIsProvedIsAsOldAsTheQuestion() {
    long sent = now;
    prober.run();
    pass(700);
    asked.get(0).receiver.accept(FIVE);
    assertThat(lease.asOf()).isEqualTo(sent);
    pass(300);
    assertThat(lease.isLive(now)).isTrue();
    pass(1);
    assertThat(lease.isLive(now)).isFalse();
  }

  @Test
  void oneQuestionAtATimeUnlessItStaysUnanswered() {
    prober.run();
    pass(250);
    prober.run();
    assertThat(asked).hasSize(1);
    asked.get(0).receiver.accept(FIVE);
    prober.run();
    assertThat(asked).hasSize(2);
    pass(2000);
    long sent = now;
    prober.run();
    assertThat(asked).hasSize(3);
    asked.get(1).receiver.accept(FIVE);
    prober.run();
    assertThat(asked).as("the third is still open").hasSize(3);
    asked.get(2).receiver.accept(FIVE);
    assertThat(lease.asOf()).isEqualTo(sent);
  }

  private void turns(int count) {
    for (int turn = 0; turn < count; turn++) {
      pass(250);
      prober.run();
    }
  }

  /** Turns are late now and then. */
  @Test
  void whatIsLostIsAskedAgainWithinTheBound() {
    prober.run();
    turns(4);
    assertThat(asked).hasSize(2);
    asked.get(1).receiver.accept(FIVE);
    pass(249);
    assertThat(lease.isLive(now)).isTrue();
  }

  @Test
  void noMoreThanTwoQuestionsAreOpenThoughAllAreLost() {
    prober.run();
    long[] sent = {now};
    for (int turn = 0; turn < 100; turn++) {
      int before = asked.size();
      turns(1);
      if (asked.size() > before) {
        assertThat(now - sent[0]).isBetween(SECOND / 2, SECOND);
        sent[0] = now;
      }
    }
    assertThat(asked).as("one in three turns").hasSizeBetween(25, 35);
  }

  /** There are two open: whatever the reason for the hurry, no third is asked before an answer. */
  @Test
  void whoIsInAHurryWaitsForOneOfTwoAnswers() {
    prober.run();
    turns(3);
    assertThat(asked).hasSize(2);
    prober.hurry();
    runPosted();
    assertThat(asked).hasSize(2);
    asked.get(0).receiver.accept(FIVE);
    assertThat(asked).hasSize(3);
    asked.get(1).receiver.accept(FIVE);
    asked.get(2).receiver.accept(FIVE);
    assertThat(asked).hasSize(3);
    assertThat(lease.asOf()).isEqualTo(now);
  }

  @Test
  void whoIsInAHurryGetsAnAnswerToAQuestionAskedAfterwards() {
    prober.run();
    prober.hurry();
    prober.hurry();
    assertThat(posted).hasSize(1);
    runPosted();
    assertThat(asked).hasSize(1);
    pass(3);
    asked.get(0).receiver.accept(FIVE);
    assertThat(asked).hasSize(2);
    asked.get(1).receiver.accept(FIVE);
    assertThat(lease.asOf()).isEqualTo(now);
    assertThat(asked).hasSize(2);
    prober.hurry();
    runPosted();
    assertThat(asked).hasSize(3);
  }

  @Test
  void whoTakesNoWritesAnyMoreIsNotAskedAgain() {
    writable = Set.of(A, B);
    prober.run();
    asked.forEach(one -> one.receiver.accept(FIVE));
    writable = Set.of(A);
    pass(250);
    prober.run();
    assertThat(askedSince(2)).containsExactly(A);
    pass(900);
    assertThat(lease.isLive(now)).as("what only the other one proved").isFalse();
  }

  @Test
  void aServerThatDoesNotSayProvesNothing() {
    prober.run();
    asked.get(0).receiver.accept(Position.NONE);
    assertThat(lease.isLive(now)).isFalse();
    prober.run();
    assertThat(asked).hasSize(2);
  }
}
