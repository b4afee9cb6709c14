// SPDX-License-Identifier: Apache-2.0
package io.stoa.replication;

import static org.assertj.core.api.Assertions.assertThat;

import io.stoa.ldap.csn.Position;
import io.stoa.ldap.schema.ServerProfile;
import io.stoa.replication.Replication.Status;
import io.stoa.replication.ReplicationConfig.SessionScope;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Servers tell positions at moments that the test chooses. */
class ReplicationTest {
  private static final ReplicationConfig CONFIG =
      new ReplicationConfig(SessionScope.IDENTITY, Duration.ofSeconds(10), Duration.ofMillis(250));

  private long now = TimeUnit.DAYS.toNanos(3);
  private boolean primaryUp = true;
  private final Replication replication = new Replication(CONFIG, () -> now);

  private final Object group = new Object();

  @BeforeEach
  void addServers() {
    replication.add("primary", group, "primary", () -> primaryUp, () -> primaryUp);
    replication.add("one", group, "one", () -> true, null);
    replication.add("other", group, "other", () -> true, null);
  }

  private static Position at(int mark) {
    return Position.of(Map.of("dc=example#001", String.format("%09d", mark)));
  }

  private void report(String server, int mark) {
    replication.onPosition(server, now, at(mark), Set.of());
  }

  private void pass(long millis) {
    now += TimeUnit.MILLISECONDS.toNanos(millis);
  }

  private long lag(String server) {
    return replication.status(server).lag().toMillis();
  }

  private void reportAll(int mark) {
    report("primary", mark);
    report("one", mark);
    report("other", mark);
  }

  @Test
  void anIdleHourBeforeOneWriteIsNoLag() {
    for (int second = 0; second < 3600; second++) {
      reportAll(7);
      pass(1000);
    }
    report("primary", 8);
    report("one", 7);
    report("other", 7);
    assertThat(lag("one")).isZero();
    assertThat(replication.isBehind("one")).isFalse();
    pass(250);
    report("primary", 8);
    report("one", 8);
    report("other", 7);
    assertThat(lag("one")).isZero();
    assertThat(lag("other")).isEqualTo(250);
    assertThat(replication.isBehind("other")).isFalse();
    pass(250);
    reportAll(8);
    assertThat(lag("other")).isZero();
  }

  @Test
  void lagCountsFromTheFirstSightOfTheMissingChange() {
    report("primary", 8);
    report("one", 8);
    pass(7000);
    report("primary", 8);
    report("other", 7);
    assertThat(lag("other")).isEqualTo(7000);
    assertThat(replication.stalenessNanos("other")).isEqualTo(TimeUnit.SECONDS.toNanos(7));
    pass(4000);
    reportAll(8);
    assertThat(lag("other")).isZero();
  }

  /** Others look at a server while it tells: whoever has told all is not behind. */
  @Test
  void theStatusOfAServerIsConsistent() {
    reportAll(0);
    CompletableFuture<Void> telling = CompletableFuture.runAsync(this::lagAndCatchUpOften);
    while (!telling.isDone()) {
      Status seen = replication.status("one");
      assertThat(seen.behind() && seen.position().matches(".*[02468]")).isFalse();
    }
    telling.join();
  }

  /** It has all whenever its mark is even. */
  private void lagAndCatchUpOften() {
    for (int mark = 2; mark <= 600; mark += 2) {
      report("primary", mark);
      report("one", mark - 1);
      pass(11_000);
      report("one", mark - 1);
      report("one", mark);
    }
  }

  @Test
  void aReturnedReplicaIsHeldUntilItReports() {
    reportAll(1);
    assertThat(replication.isBehind("one")).isFalse();
    replication.onStateChange("one", false);
    pass(60_000);
    replication.onStateChange("one", false);
    replication.onStateChange("one", true);
    assertThat(replication.isBehind("one")).isTrue();
    assertThat(replication.isBehind("other")).isFalse();
    replication.onPosition("one", now - 1, at(1), Set.of()); // asked before it came back
    assertThat(replication.isBehind("one")).isTrue();
    replication.onPosition("one", now, Position.NONE, Set.of());
    assertThat(replication.isBehind("one")).isTrue();
    report("one", 1);
    assertThat(replication.isBehind("one")).isFalse();
    replication.onStateChange("one", false);
    replication.onStateChange("one", true);
    replication.updateHolds();
    assertThat(replication.isBehind("one")).isTrue();
    pass(1001);
    replication.updateHolds();
    assertThat(replication.isBehind("one")).isFalse();
  }

  /** The answer to a request from before its return tells nothing of the returned server. */
  @Test
  void aHidingReplicaThatReturnsIsAwaitedAnew() {
    reportAll(1);
    assertThat(hides("one")).isFalse();
    long asked = now;
    replication.onStateChange("one", false);
    pass(1);
    replication.onStateChange("one", true);
    replication.onPosition("one", asked, at(1), Set.of());
    pass(900);
    replication.updateHolds();
    assertThat(replication.isBehind("one")).isTrue();
    pass(101);
    replication.updateHolds();
    assertThat(replication.isBehind("one")).isFalse();
  }

  @Test
  void withoutAPrimaryNothingIsStale() {
    for (long time : List.of(-TimeUnit.DAYS.toNanos(1), TimeUnit.DAYS.toNanos(1))) {
      Replication fresh = new Replication(CONFIG, () -> time);
      fresh.add("only", group, "only", () -> true, null);
      fresh.onPosition("only", time, at(1), Set.of());
      assertThat(fresh.stalenessNanos("only")).isZero();
    }
  }

  @Test
  void aReturnedReplicaWithLagGetsNoRead() {
    reportAll(1);
    replication.onStateChange("one", false);
    report("primary", 2);
    pass(11_000);
    replication.onStateChange("one", true);
    assertThat(replication.isBehind("one")).isTrue();
    report("one", 1);
    assertThat(replication.isBehind("one")).isTrue();
    assertThat(lag("one")).isEqualTo(11_000);
  }

  /** What it gives meanwhile is as old as what it was last known to have. */
  @Test
  void anUnpolledReplicaMayLackThePrimarysLatestChanges() {
    reportAll(1);
    pass(60_000);
    report("primary", 1);
    pass(1000);
    report("primary", 2);
    pass(1000);
    assertThat(replication.stalenessNanos("one")).isEqualTo(TimeUnit.SECONDS.toNanos(2));
    assertThat(lag("one")).isZero();
  }

  @Test
  void aLateReplicaIsBehindThoughTheOthersAreEqual() {
    for (int mark = 1; mark < 100; mark++) {
      reportAll(mark);
      pass(1000);
    }
    replication.add("late", group, "late", () -> true, null);
    assertThat(replication.isBehind("late")).isTrue();
    report("late", 50);
    assertThat(replication.isBehind("late")).isTrue();
    report("late", 99);
    assertThat(replication.isBehind("late")).isFalse();
  }

  /** A backup was restored, or the mark of a server that is no more was removed. */
  @Test
  void aPositionThatNoPrimaryShowsIsNoLag() {
    reportAll(9);
    pass(20_000);
    report("primary", 3);
    report("one", 3);
    report("other", 2);
    assertThat(lag("one")).isZero();
    pass(1000);
    report("primary", 3);
    report("other", 2);
    assertThat(lag("other")).isEqualTo(1000);
    Position more = at(3).merge(Position.of(Map.of("dc=example#002", "1")));
    replication.onPosition("primary", now, more, Set.of());
    pass(1000);
    report("one", 3);
    assertThat(lag("one")).isEqualTo(1000);
    report("primary", 3);
    report("one", 3);
    assertThat(lag("one")).isZero();
  }

  @Test
  void lagIsTheTimeSinceTheFirstMissingCsn() {
    reportAll(1);
    for (int mark = 2; mark < 20; mark++) {
      pass(500);
      report("primary", mark);
      report("one", mark);
      report("other", 1);
    }
    assertThat(lag("one")).isZero();
    assertThat(lag("other")).isEqualTo(8500);
    report("other", 10);
    assertThat(lag("other")).isEqualTo(4000);
  }

  @Test
  void aReplicaIsTooFarBehindUntilItHasMostlyCaughtUp() {
    reportAll(1);
    for (int mark = 2; mark <= 25; mark++) {
      pass(500);
      report("primary", mark);
      report("one", 1);
    }
    assertThat(replication.isBehind("one")).isTrue();
    report("one", 10);
    assertThat(lag("one")).isLessThan(10_000);
    assertThat(replication.isBehind("one")).isTrue();
    report("one", 22);
    assertThat(replication.isBehind("one")).isFalse();
  }

  @Test
  void aReplicaThatStopsReportingIsBehindAfterMaxLag() {
    reportAll(1);
    pass(250);
    replication.onPosition("one", now, Position.NONE, Set.of());
    assertThat(replication.isBehind("one")).isFalse();
    pass(10_001);
    replication.onPosition("one", now, Position.NONE, Set.of());
    assertThat(replication.isBehind("one")).isTrue();
    report("one", 1);
    assertThat(replication.isBehind("one")).isFalse();
  }

  @Test
  void aReplicaThatNeverReportedIsNotJudged() {
    for (int mark = 1; mark < 100; mark++) {
      report("primary", mark);
      replication.onPosition("one", now, Position.NONE, Set.of());
      pass(1000);
    }
    assertThat(replication.isBehind("one")).isFalse();
    assertThat(replication.isComparable("one", "primary")).isFalse();
    assertThat(replication.stalenessNanos("one")).isZero();
  }

  @Test
  void stalenessIsTheAgeOfThePrimarysMissingPosition() {
    reportAll(1);
    pass(1000);
    report("primary", 2);
    report("one", 1);
    pass(3000);
    assertThat(replication.stalenessNanos("one")).isEqualTo(TimeUnit.SECONDS.toNanos(4));
    assertThat(replication.stalenessNanos("primary")).isZero();
    report("primary", 2);
    report("one", 2);
    assertThat(replication.stalenessNanos("one")).isZero();
  }

  @Test
  void stalenessDoesNotGrowWhileThePrimaryIsDown() {
    reportAll(1);
    pass(100);
    primaryUp = false;
    pass(60_000);
    report("one", 1);
    assertThat(replication.stalenessNanos("one")).isZero();
  }

  @Test
  void theTimelineOfALongLagIsBounded() {
    reportAll(1);
    for (int mark = 2; mark < 3_000; mark++) {
      pass(250);
      report("primary", mark);
      report("other", mark);
      report("one", 1);
    }
    assertThat(lag("one")).isEqualTo(250L * (3_000 - 3));
    report("one", 2_999);
    assertThat(lag("one")).isZero();
  }

  @Test
  void writesOfARemovedServerConcernItsGroupOnly() {
    reportAll(1);
    replication.add("stranger", new Object(), "stranger", () -> true, () -> true);
    report("stranger", 9);
    assertThat(replication.otherPositions("primary")).containsOnly(at(1));
    replication.remove("primary");
    assertThat(replication.mustReach("one", group, at(2))).isTrue();
    assertThat(replication.mustReach("stranger", group, at(2))).isFalse();
    assertThat(replication.isSameGroup("one", "primary")).isTrue();
    assertThat(replication.isSameGroup("stranger", "primary")).isFalse();
    assertThat(replication.positions("primary")).doesNotContain(at(9));
  }

  /** A position of two servers that write. */
  private static Position at(int first, int second) {
    return Position.of(
        Map.of(
            "dc=example#001", String.format("%09d", first),
            "dc=example#002", String.format("%09d", second)));
  }

  private void report(String server, int first, int second) {
    replication.onPosition(server, now, at(first, second), Set.of());
  }

  @Test
  void aSecondPrimaryWithoutTheWritesIsBehind() {
    replication.add("second", group, "second", () -> true, () -> !primaryUp);
    report("primary", 1, 1);
    report("second", 1, 1);
    report("primary", 2, 1);
    report("second", 1, 2); // each has written, and neither follows the other any more
    pass(10_250);
    report("primary", 3, 1);
    report("second", 1, 3);
    assertThat(replication.isBehind("second")).isTrue();
    assertThat(replication.isBehind("primary")).isFalse();
    report("second", 3, 3);
    assertThat(replication.isBehind("second")).isFalse();
  }

  @Test
  void aReturnedPrimaryIsComparedWithItsReplacement() {
    replication.add("second", group, "second", () -> true, () -> !primaryUp);
    report("primary", 1, 1);
    report("second", 1, 1);
    primaryUp = false;
    replication.onStateChange("primary", false);
    report("second", 1, 2);
    pass(20_000);
    primaryUp = true;
    replication.onStateChange("primary", true);
    assertThat(replication.isBehind("primary")).isTrue();
    report("primary", 1, 1);
    assertThat(replication.isBehind("primary")).isTrue();
    assertThat(replication.isBehind("second")).isFalse();
    report("primary", 1, 2);
    assertThat(replication.isBehind("primary")).isFalse();
    report("primary", 2, 2);
    pass(10_250);
    report("primary", 3, 2);
    report("second", 1, 2);
    assertThat(replication.isBehind("second")).isTrue();
  }

  /** It was suspect, and is well again before it has told anything. */
  @Test
  void aSilentPrimaryRegainsItsRoleByItsNextPosition() {
    replication.add("second", group, "second", () -> true, () -> !primaryUp);
    report("primary", 1, 1);
    report("second", 1, 1);
    replication.onRequest("primary", now);
    primaryUp = false;
    replication.onStateChange("primary", true);
    pass(1_001);
    report("second", 1, 2);
    pass(10_001);
    primaryUp = true;
    replication.onStateChange("primary", true);
    replication.onPosition("primary", now - 1, at(1, 1), Set.of());
    report("second", 1, 2);
    assertThat(replication.stalenessNanos("primary")).isPositive();
    assertThat(replication.stalenessNanos("second")).isZero();
    replication.onRequest("primary", now);
    report("primary", 1, 2);
    assertThat(replication.stalenessNanos("primary")).isZero();
  }

  /** Of what it took before nobody will ever know who has it. */
  @Test
  void aPrimaryThatStopsReportingIsLostOnce() {
    replication.add("second", group, "second", () -> true, () -> !primaryUp);
    report("primary", 1, 1);
    report("second", 1, 1);
    primaryUp = false;
    replication.onStateChange("primary", false);
    primaryUp = true;
    replication.onStateChange("primary", true);
    assertThat(hides("primary")).isFalse();
    pass(10_001);
    assertThat(hides("primary")).isTrue();
    assertThat(hides("primary")).isFalse();
    assertThat(replication.isBehind("primary")).isTrue();
    assertThat(replication.isBehind("second")).isFalse();
  }

  /** Whether it ceases to tell by that. */
  private boolean hides(String server) {
    return replication
        .onPosition(server, now, Position.NONE, Set.of("dc=example"))
        .stoppedReporting();
  }

  @Test
  void usnsOfDomainControllersAdvance() {
    replication.onPosition("one", now, Position.of(Map.of("controller", "1")), Set.of());
    Position later = Position.of(Map.of("controller", "2"));
    replication.onPosition("one", now, later, Set.of());
    assertThat(replication.position("one")).isEqualTo(later);
    pass(10_001);
    replication.onPosition("one", now, later, Set.of());
    assertThat(replication.isBehind("one")).isFalse();
  }

  @Test
  void aPositionCoversOnlyItsNamingContexts() {
    assertThat(covers("uid=a,dc=example", "dc=example")).isTrue();
    assertThat(covers("UID=a, DC=Example", "dc=example")).isTrue();
    assertThat(covers("uid=a,dc=silent", "dc=example")).isFalse();
    assertThat(covers("uid=a,xdc=example", "dc=example")).isFalse();
    assertThat(covers("uid=a,dc=sub,dc=example", "dc=example")).isTrue();
    assertThat(PositionScope.covers(Position.NONE, new byte[0], ServerProfile.EXACT)).isFalse();
    assertThat(PositionScope.covers(Position.NONE, null, ServerProfile.EXACT)).isFalse();
  }

  private static boolean covers(String target, String context) {
    Position position = Position.of(Map.of(context + "#001", "1"));
    return PositionScope.covers(
        position, target.getBytes(StandardCharsets.UTF_8), ServerProfile.EXACT);
  }
}
