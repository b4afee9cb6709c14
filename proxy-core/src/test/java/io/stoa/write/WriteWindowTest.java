// SPDX-License-Identifier: Apache-2.0
package io.stoa.write;

import static io.stoa.write.WriteBench.EVERY;
import static io.stoa.write.WriteBench.NAME;
import static io.stoa.write.WriteBench.dn;
import static io.stoa.write.WriteBench.modify;
import static io.stoa.write.WriteBench.window;
import static org.assertj.core.api.Assertions.assertThat;

import io.stoa.operation.Rejection;
import io.stoa.testing.ManualLoop;
import io.stoa.testing.RecordedResponse;
import io.stoa.testing.Requests;
import io.stoa.testing.TestSession;
import io.stoa.write.WindowConfig.Batch;
import io.stoa.write.Windows.Flushed;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** The times at which a window closes, and the result of each of its writes. */
class WriteWindowTest {
  private static final int MANY = 1_000;
  private static final int MAX_WAITING = 10_000;
  private static final Duration PATIENCE = EVERY.dividedBy(4);
  private static final Duration MOMENT = Duration.ofNanos(1);

  private WriteBench bench = new WriteBench(window(MANY));
  private TestSession client = bench.client("writer");

  private void use(WindowConfig... configs) {
    bench = new WriteBench(configs);
    client = bench.client("writer");
  }

  @Test
  void aWindowClosesWhenItsTimeHasPassed() {
    bench.write(client, "a");
    bench.loop.pass(EVERY.minus(MOMENT));
    assertThat(bench.upstream.received()).isZero();
    assertThat(bench.status().waiting()).isOne();
    bench.loop.pass(MOMENT);
    assertThat(bench.upstream.received()).isOne();
    assertThat(bench.status().waiting()).isZero();
  }

  @Test
  void theTimeOfAWindowBeginsWithItsFirstWrite() {
    bench.write(client, "a");
    bench.loop.pass(EVERY.dividedBy(2));
    bench.write(client, "b");
    bench.loop.pass(EVERY.dividedBy(2));
    assertThat(bench.upstream.received()).isEqualTo(2);
  }

  @Test
  void anEmptyWindowStartsNoBurst() {
    bench.loop.pass(EVERY.multipliedBy(10));
    assertThat(bench.status().bursting()).isFalse();
  }

  @Test
  void aWindowClosesAtItsNumberOfWritesAndNotBefore() {
    use(window(3));
    bench.write(client, "a");
    bench.write(client, "b");
    bench.loop.run();
    assertThat(bench.upstream.received()).isZero();
    bench.write(client, "c");
    bench.loop.run();
    assertThat(bench.upstream.received()).isEqualTo(3);
  }

  @Test
  void aClosedWindowHoldsFurtherWritesUntilItsBurstIsAnswered() {
    use(window(1));
    bench.write(client, "a");
    bench.loop.run();
    bench.write(client, "b");
    bench.loop.run();
    assertThat(bench.upstream.received()).isOne();
    bench.answer(0);
    assertThat(bench.upstream.received()).isEqualTo(2);
  }

  @Test
  void writesThatWaitedDuringABurstWaitNoLongerThanTheTimeOfTheWindow() {
    bench.write(client, "a");
    bench.close();
    bench.write(client, "b");
    bench.answer(0);
    assertThat(bench.upstream.received()).isOne();
    bench.loop.pass(EVERY);
    assertThat(bench.upstream.received()).isEqualTo(2);
  }

  @Test
  void aTimerOfAnEarlierOpeningDoesNotCloseTheNextOne() {
    bench.write(client, "a");
    bench.loop.pass(EVERY.dividedBy(2));
    bench.close();
    bench.answer(0);
    bench.write(client, "b");
    bench.loop.pass(EVERY.dividedBy(2));
    assertThat(bench.status().waiting()).isOne();
    bench.loop.pass(EVERY.dividedBy(2));
    assertThat(bench.status().waiting()).isZero();
  }

  @Test
  void theWriteAboveTheMaximumOfWaitingWritesIsRefused() {
    use(window(1));
    bench.write(client, "a");
    bench.loop.run();
    for (int i = 0; i < MAX_WAITING; i++) {
      bench.write(bench.client("client" + i), "e" + i);
    }
    assertThat(bench.status().waiting()).isEqualTo(MAX_WAITING);
    RecordedResponse refused = client.send(modify("z"), bench.chain);
    assertThat(refused.outcome()).isEqualTo("QUEUE_FULL");
    assertThat(bench.status().waiting()).isEqualTo(MAX_WAITING);
  }

  @Test
  void aRefusedWriteDoesNotBlockTheNextWriteOfItsEntry() {
    theWriteAboveTheMaximumOfWaitingWritesIsRefused();
    bench.answer(0);
    bench.answerAll();
    bench.write(client, "z");
    bench.loop.run();
    bench.answerAll();
    assertThat(client.ends()).containsExactly("2 QUEUE_FULL", "1 0", "3 0");
  }

  @Test
  void everyResultWaitsForTheLastOneOfItsBurst() {
    bench.write(client, "a");
    bench.write(client, "b");
    bench.close();
    bench.answer(0);
    assertThat(client.ends()).isEmpty();
    bench.answer(0);
    assertThat(client.ends()).containsExactly("1 0", "2 0");
  }

  @Test
  void eachWriteHasItsOwnResult() {
    TestSession other = bench.client("other");
    bench.write(client, "a");
    bench.write(other, "b");
    bench.close();
    bench.answer(0);
    bench.answer(50);
    assertThat(client.ends()).containsExactly("1 0");
    assertThat(other.ends()).containsExactly("1 50");
  }

  @Test
  void aBurstIsReportedToTheCachesOnce() {
    bench.write(client, "a");
    bench.write(bench.client("other"), "b");
    bench.close();
    bench.answerAll();
    assertThat(bench.changes.reports).hasSize(1);
    assertThat(bench.changes.reports.get(0)).hasSize(2);
  }

  @Test
  void clientsAreAnsweredAfterTheCachesHaveProcessedTheBurst() {
    bench.changes.hold();
    bench.write(client, "a");
    bench.close();
    bench.answerAll();
    assertThat(client.ends()).isEmpty();
    bench.changes.apply();
    bench.loop.run();
    assertThat(client.ends()).containsExactly("1 0");
  }

  @Test
  void anUnansweredWriteDelaysTheOthersByTheirPatienceAtMost() {
    TestSession other = bench.client("other");
    bench.write(client, "a");
    bench.write(other, "b");
    bench.close();
    bench.answer(0);
    bench.loop.pass(PATIENCE.minus(MOMENT));
    assertThat(client.ends()).isEmpty();
    bench.loop.pass(MOMENT);
    assertThat(client.ends()).containsExactly("1 0");
    assertThat(other.ends()).isEmpty();
  }

  @Test
  void aLateResultIsReportedByItself() {
    anUnansweredWriteDelaysTheOthersByTheirPatienceAtMost();
    bench.answer(0);
    assertThat(bench.changes.reports).hasSize(2);
    assertThat(bench.changes.reports.get(1)).hasSize(1);
  }

  @Test
  void lateResultsAreReportedTogether() {
    bench.write(client, "a");
    bench.write(client, "b");
    bench.write(client, "c");
    bench.close();
    bench.answer(0);
    bench.loop.pass(PATIENCE);
    bench.answer(0);
    assertThat(client.ends()).containsExactly("1 0");
    bench.answer(0);
    assertThat(client.ends()).containsExactly("1 0", "2 0", "3 0");
    assertThat(bench.changes.reports).hasSize(2);
  }

  @Test
  void aLongIntervalDelaysAnsweredWritesByOneSecondAtMost() {
    bench.windows.reconfigure(List.of(window(MANY).closing(EVERY.multipliedBy(5), MANY)));
    bench.write(client, "a");
    bench.write(bench.client("other"), "b");
    bench.close();
    bench.answer(0);
    bench.loop.pass(Duration.ofSeconds(1).minus(MOMENT));
    assertThat(client.ends()).isEmpty();
    bench.loop.pass(MOMENT);
    assertThat(client.ends()).containsExactly("1 0");
  }

  @Test
  void theWindowClosesAgainWhileALateWriteIsUnanswered() {
    anUnansweredWriteDelaysTheOthersByTheirPatienceAtMost();
    bench.write(client, "c");
    bench.loop.pass(EVERY);
    assertThat(bench.upstream.received()).isEqualTo(3);
  }

  @Test
  void aFlushWaitsForLateWrites() {
    anUnansweredWriteDelaysTheOthersByTheirPatienceAtMost();
    CompletableFuture<Flushed> flushed = bench.windows.flush(NAME).orElseThrow();
    bench.loop.run();
    assertThat(flushed).isNotDone();
    bench.answer(0);
    assertThat(flushed).isCompletedWithValue(new Flushed(0, true));
  }

  @Test
  void aFlushReportsALateUnknownOutcome() {
    anUnansweredWriteDelaysTheOthersByTheirPatienceAtMost();
    CompletableFuture<Flushed> flushed = bench.windows.flush(NAME).orElseThrow();
    bench.upstream.lose(Rejection.UPSTREAM_LOST);
    bench.loop.run();
    assertThat(flushed).isCompletedWithValue(new Flushed(0, false));
    assertThat(bench.windows.flush(NAME).orElseThrow()).isCompletedWithValue(new Flushed(0, true));
  }

  @Test
  void aLostWriteHasAnUnknownOutcomeAndTheOthersTheirResults() {
    TestSession other = bench.client("other");
    bench.write(client, "a");
    bench.write(other, "b");
    bench.close();
    bench.upstream.lose(Rejection.UPSTREAM_LOST);
    bench.answer(0);
    assertThat(client.ends()).containsExactly("1 OUTCOME_UNKNOWN_LOST");
    assertThat(other.ends()).containsExactly("1 0");
    assertThat(bench.changes.unknown).hasSize(1);
    assertThat(bench.changes.reports).hasSize(1);
  }

  @Test
  void aWriteThatWasNeverSentIsReportedAsNoChange() {
    bench.upstream.stop();
    bench.write(client, "a");
    bench.close();
    assertThat(client.ends()).containsExactly("1 NO_UPSTREAM");
    assertThat(bench.changes.unknown).isEmpty();
    assertThat(bench.changes.reports).isEmpty();
    assertThat(bench.status().bursting()).isFalse();
  }

  @Test
  void aResultOfTheServerThatRefusesIsReportedAsRefused() {
    bench.write(client, "a");
    bench.close();
    bench.answer(50);
    assertThat(bench.changes.reports.get(0).get(0).refused()).isTrue();
  }

  @Test
  void anAbandonedWriteIsNotSent() {
    bench.write(client, "a");
    bench.write(client, "b");
    client.abandon(1);
    assertThat(bench.status().dropped()).isOne();
    bench.close();
    assertThat(bench.upstream.received()).isOne();
    bench.answerAll();
    assertThat(client.ends()).containsExactly("1 abandoned", "2 0");
  }

  @Test
  void theWritesOfAClientThatLeavesAreDropped() {
    TestSession other = bench.client("other");
    bench.write(client, "a");
    bench.write(client, "a");
    bench.write(other, "b");
    client.leave();
    bench.close();
    assertThat(bench.upstream.received()).isOne();
    bench.answerAll();
    assertThat(other.ends()).containsExactly("1 0");
    assertThat(bench.status().dropped()).isEqualTo(2);
  }

  @Test
  void aWindowWhoseWritesWereAllDroppedOpensAgain() {
    bench.write(client, "a");
    client.abandon(1);
    bench.loop.pass(EVERY);
    bench.write(client, "b");
    bench.loop.pass(EVERY);
    bench.answerAll();
    assertThat(client.ends()).containsExactly("1 abandoned", "2 0");
  }

  @Test
  void aSentWriteOfAClientThatLeavesIsReportedToTheCaches() {
    bench.write(client, "a");
    bench.close();
    client.leave();
    bench.answer(0);
    assertThat(bench.changes.reports).hasSize(1);
  }

  @Test
  void aFlushReportsTheNumberOfItsWritesWhenTheyAreAnswered() {
    bench.write(client, "a");
    bench.write(client, "b");
    CompletableFuture<Flushed> flushed = bench.windows.flush(NAME).orElseThrow();
    bench.loop.run();
    bench.answer(0);
    assertThat(flushed).isNotDone();
    bench.answer(0);
    assertThat(flushed).isCompletedWithValue(new Flushed(2, true));
  }

  @Test
  void aFlushOfAnEmptyWindowIsOverAtOnce() {
    assertThat(bench.windows.flush(NAME).orElseThrow()).isCompletedWithValue(new Flushed(0, true));
  }

  @Test
  void aFlushDuringABurstClosesTheWindowAfterIt() {
    bench.write(client, "a");
    bench.close();
    bench.write(client, "b");
    CompletableFuture<Flushed> flushed = bench.windows.flush(NAME).orElseThrow();
    bench.answer(0);
    assertThat(bench.upstream.received()).isEqualTo(2);
    bench.answer(0);
    assertThat(flushed).isCompletedWithValue(new Flushed(1, true));
  }

  @Test
  void aFlushReportsAnUnknownOutcome() {
    bench.write(client, "a");
    CompletableFuture<Flushed> flushed = bench.windows.flush(NAME).orElseThrow();
    bench.loop.run();
    bench.upstream.lose(Rejection.UPSTREAM_TIMEOUT);
    bench.loop.run();
    assertThat(flushed).isCompletedWithValue(new Flushed(1, false));
  }

  @Test
  void anUnknownWindowHasNoFlush() {
    assertThat(bench.windows.flush("other")).isEmpty();
  }

  @Test
  void aPausedWindowPassesWritesAtOnceAndHoldsThemAgainAfterwards() {
    bench.windows.pause(NAME, true);
    bench.write(client, "a");
    assertThat(bench.upstream.received()).isOne();
    bench.windows.pause(NAME, false);
    bench.write(client, "b");
    assertThat(bench.upstream.received()).isOne();
  }

  @Test
  void aDrainSendsTheWaitingWrites() {
    bench.write(client, "a");
    bench.windows.drain();
    bench.loop.run();
    assertThat(bench.upstream.received()).isOne();
  }

  @Test
  void aLowerMaximumClosesAWindowThatHasReachedIt() {
    bench.write(client, "a");
    bench.write(client, "b");
    assertThat(bench.windows.reconfigure(List.of(window(2)))).hasSize(1);
    bench.loop.run();
    assertThat(bench.upstream.received()).isEqualTo(2);
  }

  @Test
  void aShorterTimeClosesAnOpenWindow() {
    bench.write(client, "a");
    bench.windows.reconfigure(List.of(window(MANY).closing(PATIENCE, MANY)));
    bench.loop.pass(PATIENCE);
    assertThat(bench.upstream.received()).isOne();
  }

  @Test
  void anEqualConfigurationIsNoChange() {
    assertThat(bench.windows.reconfigure(List.of(window(MANY)))).isEmpty();
  }

  @Test
  void aWindowOfASubtreeHoldsTheWritesBelowIt() {
    use(new WindowConfig(NAME, "ou=P,dc=x", null, EVERY, MANY, Batch.SINGLE, false));
    client.send(Requests.delete("cn=a,OU=p,dc=x"), bench.chain);
    assertThat(bench.status().waiting()).isOne();
    client.send(Requests.delete("cn=a,ou=q,dc=x"), bench.chain);
    assertThat(bench.upstream.received()).isOne();
  }

  @Test
  void aWindowOfOneClientHoldsItsWritesOnly() {
    use(new WindowConfig(NAME, null, dn("writer"), EVERY, MANY, Batch.SINGLE, false));
    bench.write(client, "a");
    assertThat(bench.status().waiting()).isOne();
    bench.write(bench.client("other"), "b");
    assertThat(bench.upstream.received()).isOne();
  }

  @Test
  void theFirstWindowThatCoversAWriteTakesIt() {
    use(
        new WindowConfig("first", dn("a"), null, EVERY, MANY, Batch.SINGLE, false),
        new WindowConfig("second", null, null, EVERY, MANY, Batch.SINGLE, false));
    bench.write(client, "a");
    bench.write(client, "b");
    assertThat(bench.windows.status()).extracting(WindowStatus::waiting).containsExactly(1, 1);
  }

  @Test
  void aWindowClosesOnAllEventLoops() {
    use(window(2));
    ManualLoop second = new ManualLoop();
    TestSession other = new TestSession(second).named(dn("other"));
    bench.write(client, "a");
    other.send(modify("b"), bench.chain(second));
    bench.loop.run();
    assertThat(bench.upstream.received()).isOne();
    second.run();
    assertThat(bench.upstream.received()).isEqualTo(2);
  }

  @Test
  void theResultsOfOneEventLoopWaitForTheOthers() {
    use(window(2));
    ManualLoop second = new ManualLoop();
    TestSession other = new TestSession(second).named(dn("other"));
    bench.write(client, "a");
    other.send(modify("b"), bench.chain(second));
    bench.loop.run();
    second.run();
    bench.answer(0);
    assertThat(client.ends()).isEmpty();
    bench.answer(0);
    second.run(); // takes part in the report
    bench.loop.run();
    second.run();
    assertThat(client.ends()).containsExactly("1 0");
    assertThat(other.ends()).containsExactly("1 0");
  }

  /** The second loop reports late: the first one has another answer by then. */
  @Test
  void anAnswerDuringAReportIsReportedNext() {
    use(window(3));
    ManualLoop second = new ManualLoop();
    TestSession other = new TestSession(second).named(dn("other"));
    bench.chain(second);
    bench.write(client, "a");
    bench.write(client, "b");
    other.send(modify("c"), bench.chain(second));
    bench.loop.run();
    second.run();
    bench.answer(0);
    bench.loop.pass(PATIENCE);
    bench.answer(0);
    bench.loop.pass(PATIENCE);
    second.run();
    bench.loop.run();
    assertThat(client.ends()).contains("1 0");
    second.run();
    bench.loop.run();
    assertThat(client.ends()).containsExactly("1 0", "2 0");
  }

  @Test
  void aHungWriteDelaysLaterOnesByOneSecondAtMost() {
    use(window(1));
    bench.write(client, "a");
    bench.loop.run();
    bench.write(bench.client("other"), "b");
    bench.loop.pass(Duration.ofSeconds(1).minus(MOMENT));
    assertThat(bench.upstream.received()).isOne();
    bench.loop.pass(MOMENT);
    assertThat(bench.upstream.received()).isEqualTo(2);
  }

  @Test
  void writesDuringAClosingWaitForTheNextOne() {
    use(window(2));
    bench.write(client, "a");
    bench.write(client, "b");
    bench.write(client, "c");
    bench.loop.run();
    bench.write(client, "d");
    bench.loop.run();
    assertThat(bench.upstream.received()).isEqualTo(3);
    assertThat(bench.status().waiting()).isOne();
  }
}
