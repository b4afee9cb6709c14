// SPDX-License-Identifier: Apache-2.0
package io.stoa.feed.accesslog;

import static org.assertj.core.api.Assertions.assertThat;

import io.stoa.ldap.csn.Csn;
import io.stoa.ldap.csn.Position;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** A log is believed as far as the database confirms it. */
class LogCoverageTest {
  private static final String CONTEXT = "dc=x";

  private final List<String> ended = new ArrayList<>();
  private final List<Position> proved = new ArrayList<>();
  private long now = 1;
  private final LogCoverage coverage = new LogCoverage(CONTEXT, () -> now, ended::add);

  private static Csn csn(int count) {
    return new Csn("20260101000000.%06dZ#000000#000#000000".formatted(count));
  }

  private static Position at(int count) {
    return csn(count).toPosition(CONTEXT);
  }

  private void counted(int database, int log) {
    coverage.onPosition(at(database), at(log), proved::add);
  }

  private void later(int millis) {
    now += TimeUnit.MILLISECONDS.toNanos(millis);
  }

  @Test
  void aPositionIsProvedOnlyByItsRecord() {
    coverage.begin(at(1));
    coverage.onLogPosition(at(9)); // another database has written
    counted(1, 9);
    assertThat(proved).containsExactly(at(1));
    counted(2, 9);
    assertThat(proved).containsExactly(at(1));
    assertThat(coverage.coveredPosition(at(9))).isEqualTo(at(1));
    coverage.onRecord(csn(2));
    assertThat(proved).containsExactly(at(1), at(2));
    assertThat(coverage.coveredPosition(at(9))).isEqualTo(at(2));
  }

  @Test
  void aLogThatIsBehindProvesNothing() {
    coverage.begin(at(1));
    counted(1, 3);
    assertThat(proved).isEmpty();
    coverage.onLogPosition(at(3));
    assertThat(proved).containsExactly(at(1));
  }

  @Test
  void noPositionIsProvedBeforeTheFirstRecord() {
    coverage.onLogPosition(at(9));
    counted(1, 9);
    assertThat(proved).isEmpty();
  }

  @Test
  void aLogThatOmitsAChangeIsNotTrusted() {
    coverage.begin(at(1));
    coverage.onLogPosition(at(9));
    counted(2, 9);
    coverage.onRecord(csn(3));
    counted(3, 9);
    assertThat(proved).isEmpty();
    assertThat(ended).isEmpty();
    later(3000);
    counted(3, 9);
    assertThat(ended).hasSize(1);
    assertThat(coverage.leftOut()).contains(csn(2).text());
    assertThat(proved).isEmpty();
  }

  @Test
  void aLateRecordIsNotOmitted() {
    coverage.begin(at(1));
    coverage.onLogPosition(at(9));
    counted(2, 9);
    coverage.onRecord(csn(3));
    counted(3, 9);
    later(1000);
    coverage.onRecord(csn(2));
    assertThat(proved).containsExactly(at(2), at(3));
    later(3000);
    counted(3, 9);
    assertThat(coverage.leftOut()).isNull();
  }

  @Test
  void aStandingContextCsnProvesNothing() {
    coverage.begin(at(1));
    coverage.onLogPosition(at(9));
    coverage.onRecord(csn(2));
    counted(1, 9);
    later(61_000);
    assertThat(coverage.leftOut()).isNull();
    counted(1, 9);
    assertThat(coverage.leftOut()).contains("does not advance");
  }

  @Test
  void aLongWriteProvesNothingUntilItEnds() {
    coverage.begin(at(1));
    coverage.onLogPosition(at(9));
    coverage.onRecord(csn(3)); // 2 is not over
    counted(1, 9);
    proved.clear();
    later(30_000);
    counted(1, 9);
    assertThat(proved).isEmpty();
    coverage.onRecord(csn(2));
    counted(3, 9);
    assertThat(proved).contains(at(3));
    assertThat(coverage.leftOut()).isNull();
  }

  /** Nobody knows of it: it is not missing, and proves nothing. */
  @Test
  void aForgottenRecordIsNotOmitted() {
    coverage.begin(at(1));
    for (int i = 2; i < 5000; i++) {
      coverage.onRecord(csn(i));
    }
    coverage.onLogPosition(at(5000));
    counted(7, 5000);
    later(3000);
    counted(9, 5000);
    assertThat(coverage.leftOut()).isNull();
    assertThat(proved).isEmpty();
    counted(4999, 5000);
    assertThat(proved).containsExactly(at(4999));
  }

  /** A server that is behind was asked. */
  @Test
  void aChangeFromBeforeTheBeginningIsNotOmitted() {
    coverage.begin(at(5));
    coverage.onLogPosition(at(9));
    counted(3, 9);
    later(3000);
    counted(5, 9);
    assertThat(coverage.leftOut()).isNull();
    assertThat(proved).containsExactly(at(5));
  }

  /** However long this process was not running, what was asked before proves nothing against it. */
  @Test
  void anOldAnswerDoesNotStandStill() {
    coverage.begin(at(1));
    coverage.onLogPosition(at(9));
    coverage.onRecord(csn(2));
    later(60_000);
    counted(1, 9);
    counted(2, 9);
    later(60_000);
    counted(2, 9);
    assertThat(coverage.leftOut()).isNull();
  }

  @Test
  void aQuestionFromBeforeACutIsNotAnswered() {
    coverage.begin(at(1));
    counted(2, 2);
    coverage.onDisconnect();
    coverage.onLogPosition(at(2));
    coverage.onRecord(csn(2));
    assertThat(proved).isEmpty();
  }
}
