// SPDX-License-Identifier: Apache-2.0
package io.stoa.promise.writes;

import static org.assertj.core.api.Assertions.assertThat;

import io.stoa.promise.writes.SessionHistory.Event;
import org.junit.jupiter.api.Test;

/** The checker finds what is wrong, and nothing else. */
class SessionHistoryTest {
  private final SessionHistory history = new SessionHistory();

  private void write(int session, int version, long begun, long ended) {
    history.add(new Event(session, 1, true, version, begun, ended));
  }

  private void read(int session, int version, long begun, long ended) {
    history.add(new Event(session, 1, false, version, begun, ended));
  }

  @Test
  void aReadOfAnOwnWriteIsAccepted() {
    write(1, 1, 10, 20);
    read(1, 1, 21, 30);
    read(2, 0, 21, 30);
    assertThat(history.violations()).isEmpty();
  }

  @Test
  void aReadWithoutTheSessionsOwnWriteIsFound() {
    write(1, 1, 10, 20);
    read(1, 0, 21, 30);
    assertThat(history.violations()).hasSize(1).first().asString().contains("not what was written");
  }

  @Test
  void aReadThatBeganBeforeTheWriteEndedMayShowEither() {
    write(1, 1, 10, 20);
    read(1, 0, 19, 30);
    assertThat(history.violations()).isEmpty();
  }

  @Test
  void aReadThatGoesBackIsFound() {
    write(2, 1, 1, 2);
    write(2, 2, 3, 4);
    read(1, 2, 10, 20);
    read(1, 1, 21, 30);
    assertThat(history.violations()).hasSize(1).first().asString().contains("older than was read");
  }

  @Test
  void sessionsNeedNotSeeEachOthersReads() {
    write(2, 1, 1, 2);
    read(1, 1, 10, 20);
    read(3, 0, 21, 30);
    assertThat(history.violations()).isEmpty();
  }

  @Test
  void readsAtTheSameTimeMayDiffer() {
    write(2, 1, 1, 2);
    read(1, 1, 10, 20);
    read(1, 0, 15, 30);
    assertThat(history.violations()).isEmpty();
  }

  @Test
  void theOrderOfRecordingDoesNotMatter() {
    read(1, 0, 21, 30);
    write(1, 1, 10, 20);
    assertThat(history.violations()).hasSize(1);
  }

  @Test
  void aReadOfAnUnwrittenVersionIsFound() {
    read(1, 7, 1, 2);
    write(1, 7, 3, 4);
    assertThat(history.violations()).isNotEmpty();
  }
}
