// SPDX-License-Identifier: Apache-2.0
package io.stoa.feed.syncrepl;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class ServerRunTest {
  private static final long START = 1_800_000_000;

  private final ServerRun run = new ServerRun();

  /** By how much the clock of the server is ahead, and what it is asked at. */
  private long aheadMillis = TimeUnit.SECONDS.toMillis(START);

  private long nowMillis;

  private ServerTime read(long started) {
    long sent = TimeUnit.MILLISECONDS.toNanos(nowMillis);
    long second = Math.floorDiv(nowMillis + aheadMillis, 1_000L);
    return new ServerTime(started, second, sent, sent + 1_000_000);
  }

  private Continuity after(long millis, @Nullable Long started, boolean sameConnection) {
    nowMillis += millis;
    return run.judge(started == null ? null : read(started), sameConnection);
  }

  /** Asks for so long, four times a second, on one connection. */
  private void watch(long millis) {
    for (long until = nowMillis + millis; nowMillis < until; ) {
      assertThat(after(250, START, true)).isEqualTo(Continuity.SAME);
    }
  }

  private void begin() {
    assertThat(after(0, START, false)).isEqualTo(Continuity.FIRST);
    watch(5_000);
  }

  @Test
  void anOpenConnectionProvesTheProcess() {
    assertThat(after(0, null, false)).isEqualTo(Continuity.FIRST);
    assertThat(after(250, null, true)).isEqualTo(Continuity.SAME);
    assertThat(after(250, null, false)).isEqualTo(Continuity.RESTARTED);
    assertThat(run.isClockKnown()).isFalse();
  }

  @Test
  void anEqualStartTimeProvesTheProcessByAnotherConnection() {
    begin();
    assertThat(after(3_000, START, false)).isEqualTo(Continuity.SAME);
    assertThat(after(3_000, START + 9, false)).isEqualTo(Continuity.RESTARTED);
    assertThat(after(250, START + 9, true)).isEqualTo(Continuity.SAME);
  }

  @Test
  void aProcessSeenOnlyBrieflyCountsAsRestarted() {
    assertThat(after(0, START, false)).isEqualTo(Continuity.FIRST);
    watch(2_000);
    assertThat(after(100, START, false)).isEqualTo(Continuity.RESTARTED);
  }

  @Test
  void anUnreadableStartTimeProvesNothing() {
    begin();
    assertThat(after(250, null, true)).isEqualTo(Continuity.SAME);
    assertThat(after(250, START, false)).isEqualTo(Continuity.SAME);
    assertThat(after(250, null, false)).isEqualTo(Continuity.RESTARTED);
    assertThat(after(250, START, false)).isEqualTo(Continuity.RESTARTED);
  }

  @Test
  void aClockThatIsBehindProvesNothingUntilItCatchesUp() {
    begin();
    aheadMillis -= 60_000;
    assertThat(after(250, START, true)).isEqualTo(Continuity.CLOCK_BEHIND);
    assertThat(after(50_000, START, true)).isEqualTo(Continuity.CLOCK_BEHIND);
    assertThat(after(20_000, START, true)).isEqualTo(Continuity.CLOCK_SET_BACK);
    watch(5_000);
  }

  @Test
  void aClockSetBackDuringALongCutIsNoticed() {
    begin();
    aheadMillis -= 2_000;
    assertThat(after(60_000, START, false)).isEqualTo(Continuity.CLOCK_SET_BACK);
    watch(5_000);
  }

  @Test
  void aClockThatIsSetForwardIsNoGap() {
    begin();
    aheadMillis += 60_000;
    watch(5_000);
    aheadMillis += 500;
    watch(5_000);
  }

  @Test
  void aClockThatDriftsIsNotSetBack() {
    begin();
    for (int i = 0; i < 100; i++) {
      aheadMillis -= 2;
      watch(4_000);
    }
  }

  @Test
  void aRestartKeepsWhereTheClockWas() {
    begin();
    aheadMillis -= 60_000;
    assertThat(after(2_000, START - 50, false)).isEqualTo(Continuity.RESTARTED);
    assertThat(run.isClockBehind()).isTrue();
    assertThat(after(250, START - 50, true)).isEqualTo(Continuity.CLOCK_BEHIND);
    assertThat(after(60_000, START - 50, true)).isEqualTo(Continuity.CLOCK_SET_BACK);
  }

  @Test
  void aProcessWhoseClockWasSetBackIsRecognized() {
    begin();
    aheadMillis -= 60_000;
    assertThat(after(250, START, true)).isEqualTo(Continuity.CLOCK_BEHIND);
    assertThat(after(250, START, false)).isEqualTo(Continuity.CLOCK_BEHIND);
    aheadMillis += 60_000;
    assertThat(after(250, START, false)).isEqualTo(Continuity.CLOCK_SET_BACK);
    assertThat(run.isClockBehind()).isFalse();
  }

  @Test
  void aClockSetBackOverARestartIsReportedAfterIt() {
    begin();
    aheadMillis -= 2_000;
    assertThat(after(60_000, START + 50, false)).isEqualTo(Continuity.RESTARTED);
    assertThat(run.isClockBehind()).isTrue();
    assertThat(after(250, START + 50, true)).isEqualTo(Continuity.CLOCK_SET_BACK);
    assertThat(after(250, START + 50, true)).isEqualTo(Continuity.SAME);
    assertThat(run.isClockBehind()).isFalse();
  }
}
