// SPDX-License-Identifier: Apache-2.0
package io.stoa.proxy.feeds;

import static org.assertj.core.api.Assertions.assertThat;

import io.stoa.coherence.freshness.CoherenceLease;
import io.stoa.ldap.csn.Position;
import io.stoa.promise.coherence.LeaseLines;
import java.time.Duration;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** What people are told of a lease that lapses while its feed is live. */
class LeaseWatchTest {
  private static final String A = "ldap://a";
  private static final String B = "ldap://b";
  private static final String CONTEXT = "dc=watched";
  private static final int TURN = 250;
  private static final int TURNS_PER_MINUTE = 240;
  private static final int LASTING = 2 * TURNS_PER_MINUTE;

  @RegisterExtension final LeaseLines log = new LeaseLines();

  private long now = Long.MAX_VALUE - TimeUnit.SECONDS.toNanos(10);
  private long margin = 20;
  private CoherenceLease lease;
  private LeaseWatch watch;

  @BeforeEach
  void start() {
    begin(Duration.ofSeconds(1));
  }

  private void begin(Duration bound) {
    lease = new CoherenceLease(bound, this::margin);
    lease.setWritable(Set.of(A, B));
    lease.onApplied(at(5));
    watch = new LeaseWatch(CONTEXT, lease, this::margin, Duration.ofMillis(TURN), () -> now);
  }

  private long margin() {
    return TimeUnit.MILLISECONDS.toNanos(margin);
  }

  private static Position at(int number) {
    return Position.of(Map.of("x#1", "00000000" + number));
  }

  /** So many turns, in each of which servers answer at once. */
  private void turns(int count, String... answering) {
    for (int i = 0; i < count; i++) {
      now += TimeUnit.MILLISECONDS.toNanos(TURN);
      watch.check(true);
      for (String server : answering) {
        lease.onPosition(server, now, at(5));
      }
    }
  }

  private void assertLines(String... texts) {
    assertThat(log.with(CONTEXT)).hasSameSizeAs(texts);
    for (int i = 0; i < texts.length; i++) {
      assertThat(log.with(CONTEXT).get(i)).contains(texts[i]);
    }
  }

  @Test
  void aServerWithoutAPositionIsNamedOnce() {
    turns(8, A, B);
    turns(16, A);
    assertThat(watch.lapse()).as("a short lapse").isEmpty();
    turns(1, A);
    assertThat(watch.lapse()).startsWith(B + " does not report its position");
    turns(400, A);
    assertLines("WARN feed of dc=watched: LEASE LAPSED for");
    assertThat(log.with(B)).hasSize(1);
  }

  @Test
  void theRestoredLeaseIsLoggedOnce() {
    turns(20, A);
    assertThat(watch.lapse()).startsWith(B);
    turns(2, A, B);
    assertThat(watch.lapse()).as("the state is what it is").isEmpty();
    turns(LASTING - 2, A, B);
    assertLines("WARN");
    turns(LASTING, A, B);
    assertLines("WARN", "INFO feed of dc=watched: lease restored");
    assertThat(log.with("lapsed once")).hasSize(1);
  }

  /** As long as each minute has one, people are told nothing new. */
  @Test
  void repeatedLapsesAreLoggedOnceAndCounted() {
    turns(8, A, B);
    for (int minute = 0; minute < 30; minute++) {
      margin = 1000;
      turns(TURNS_PER_MINUTE - 20, A, B);
      assertThat(watch.lapse()).contains("took 500 ms");
      margin = 20;
      turns(20, A, B);
      assertThat(watch.lapse()).isEmpty();
    }
    assertLines("WARN");
    turns(LASTING, A, B);
    assertLines("WARN", "INFO feed of dc=watched: lease restored");
    assertThat(log.with("lapsed 30 times")).hasSize(1);
    turns(20, A);
    assertLines("WARN", "INFO", "WARN");
  }

  /** What was told of is over, and this may last. */
  @Test
  void aLapseOfAnotherCauseIsLoggedAtOnce() {
    turns(8, A, B);
    margin = 1000;
    turns(40, A, B);
    margin = 20;
    turns(40, A, B);
    assertLines("WARN");
    turns(40, A);
    assertLines("WARN", "WARN");
    assertThat(watch.lapse()).startsWith(B + " does not report its position");
  }

  /** Each of them is late now and then. */
  @Test
  void alternatingCausesAreLoggedOnceEach() {
    turns(8, A, B);
    for (int i = 0; i < 10; i++) {
      turns(40, A);
      turns(40, A, B);
      turns(40, B);
      turns(40, A, B);
    }
    assertLines("WARN", "WARN");
    assertThat(log.with(B)).hasSize(1);
    turns(LASTING, A, B);
    turns(40, A);
    assertLines("WARN", "WARN", "INFO", "WARN");
    assertThat(log.with("lapsed 20 times")).hasSize(1);
  }

  @Test
  void aBriefLapseIsNotLogged() {
    for (int i = 0; i < 20; i++) {
      turns(2, A, B);
      turns(15, A);
    }
    assertLines();
  }

  @Test
  void aSlowWriteIsLogged() {
    turns(8, A, B);
    margin = 3000;
    turns(40, A, B);
    assertThat(watch.lapse()).contains("took 1500 ms");
    margin = 20;
    turns(2, A, B);
    assertThat(watch.lapse()).isEmpty();
    assertLines("WARN");
  }

  /** Some answers rest on it. */
  @Test
  void aMarginBelowTheBoundIsNotLogged() {
    margin = 990;
    turns(40, A, B);
    assertLines();
  }

  @Test
  void aServerThatTheFeedLagsBehindIsNamed() {
    turns(8, A, B);
    for (int i = 0; i < 18; i++) {
      turns(1, A);
      lease.onPosition(B, now, at(6));
    }
    assertThat(watch.lapse()).startsWith("the feed lags behind " + B);
  }

  /** That has a line of its own. */
  @Test
  void aLostFeedLogsNoLapse() {
    turns(20, A);
    for (int i = 0; i < 20; i++) {
      now += TimeUnit.MILLISECONDS.toNanos(TURN);
      watch.check(false);
      assertThat(watch.lapse()).isEmpty();
    }
    turns(8, A);
    assertThat(watch.lapse()).as("the lease was restored a moment ago").isEmpty();
    assertLines("WARN");
  }

  @Test
  void aPauseOfTheMachineIsNotLogged() {
    turns(8, A, B);
    now += TimeUnit.SECONDS.toNanos(20);
    turns(1);
    watch.check(true);
    turns(8, A, B);
    assertLines();
  }

  @Test
  void drainedPrimariesCauseALapse() {
    turns(8, A, B);
    lease.setWritable(Set.of());
    turns(20);
    assertThat(watch.lapse()).contains("drained");
  }

  /** Where each request is proved by itself, none waits for so long. */
  @Test
  void aMarginAboveTheReadIndexLimitIsLogged() {
    begin(Duration.ZERO);
    turns(20, A, B);
    assertThat(watch.lapse()).isEmpty();
    margin = 200;
    turns(20, A, B);
    assertThat(watch.lapse()).contains("took 100 ms");
    assertLines("WARN");
  }
}
