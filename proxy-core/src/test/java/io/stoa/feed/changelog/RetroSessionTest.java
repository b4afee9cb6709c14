// SPDX-License-Identifier: Apache-2.0
package io.stoa.feed.changelog;

import static org.assertj.core.api.Assertions.assertThat;

import com.unboundid.ldap.sdk.Entry;
import com.unboundid.ldif.LDIFException;
import io.stoa.feed.changelog.RetroRecord.ChangeType;
import io.stoa.feed.changelog.RetroSession.PollResult;
import io.stoa.feed.event.FeedGap;
import io.stoa.ldap.csn.Position;
import io.stoa.ldap.protocol.Uuid;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** What is read of a changelog is new, or was known, or shows that what is known is void. */
class RetroSessionTest {
  private static final Uuid ENTRY =
      Uuid.parse("5eed0000-00004000-80000000-00000007".getBytes(StandardCharsets.US_ASCII));

  private final RetroSession session =
      new RetroSession("dc=x#changelog@a", record(7), List.of(4L), 0);

  private static RetroRecord record(long number) {
    return new RetroRecord(number, "id" + number, ChangeType.MODIFY, ENTRY, "cn=a,dc=x", null);
  }

  private static List<RetroRecord> records(long... numbers) {
    List<RetroRecord> records = new ArrayList<>();
    for (long number : numbers) {
      records.add(record(number));
    }
    return records;
  }

  private List<Long> take(long counted, long now, long... numbers) {
    PollResult taken = session.take(records(numbers), counted, now);
    assertThat(taken.gap()).isNull();
    taken.news().forEach(one -> session.onReported(one, now));
    return taken.news().stream().map(RetroRecord::number).toList();
  }

  private FeedGap gap(long counted, long... numbers) {
    return session.take(records(numbers), counted, 0).gap();
  }

  @Test
  void recordsAfterTheLastAreNew() {
    assertThat(take(7, 0, 7)).isEmpty();
    List<RetroRecord> mixed = records(9, 7, 8);
    Collections.shuffle(mixed);
    List<RetroRecord> news = session.take(mixed, 9, 0).news();
    assertThat(news).extracting(RetroRecord::number).containsExactly(8L, 9L);
    assertThat(session.from()).isEqualTo(7); // not before it has been told
    news.forEach(one -> session.onReported(one, 0));
    assertThat(session.from()).isEqualTo(9);
    assertThat(session.position())
        .isEqualTo(Position.of(Map.of("dc=x#changelog@a", "0000000000000000009")));
  }

  /** A change may be done before another with a lower number. */
  @Test
  void aMissingNumberHoldsBackLaterOnesUntilItTimesOut() {
    assertThat(take(9, 0, 7, 9)).isEmpty();
    assertThat(session.isWaiting()).isTrue();
    assertThat(take(9, 1, 7, 8, 9)).containsExactly(8L, 9L);
    assertThat(session.isWaiting()).isFalse();
    assertThat(take(12, 2, 9, 10, 12)).containsExactly(10L);
    assertThat(session.isWaiting()).isTrue();
    PollResult taken = session.take(records(10, 12), 12, 2 + RetroSession.PATIENCE_NANOS);
    assertThat(taken.news())
        .extracting(RetroRecord::type)
        .containsExactly(ChangeType.MISSING, ChangeType.MODIFY);
    assertThat(session.isWaiting()).isFalse();
  }

  /** What was passed over is looked for, and told when it comes; it moves nothing back. */
  @Test
  void numbersThatComeLateAreNotMissed() {
    assertThat(session.passedOver(0)).containsExactly(4L);
    assertThat(take(9, 0, 7, 9)).isEmpty();
    long later = RetroSession.PATIENCE_NANOS;
    assertThat(take(9, later, 7, 9)).containsExactly(8L, 9L);
    assertThat(session.passedOver(later)).containsExactly(4L, 8L);
    assertThat(session.position(record(8))).isEqualTo(session.position());
    session.onReported(record(8), later);
    assertThat(session.passedOver(later)).containsExactly(4L);
    assertThat(session.from()).isEqualTo(9);
    assertThat(take(9, later, 9)).isEmpty();
    assertThat(session.passedOver(RetroSession.LATE_NANOS)).isEmpty();
  }

  /** If telling ends between the two, it goes on from a record that is there. */
  @Test
  void aMissingNumberIsNoPosition() {
    session.take(records(7, 9), 9, 0);
    PollResult taken = session.take(records(7, 9), 9, RetroSession.PATIENCE_NANOS);
    session.onReported(taken.news().get(0), 0);
    assertThat(session.from()).isEqualTo(7);
    assertThat(take(9, 0, 7, 9)).containsExactly(9L);
  }

  @Test
  void aLargeGapInNumbersIsLostHistory() {
    long far = 8 + RetroSession.MAX_MISSING;
    assertThat(gap(far, 7, far)).isEqualTo(FeedGap.HISTORY_LOST);
  }

  @Test
  void lowerNumbersAreANewHistory() {
    assertThat(gap(3)).isEqualTo(FeedGap.NEW_HISTORY);
    RetroRecord other = new RetroRecord(7, "other", ChangeType.MODIFY, ENTRY, "cn=a,dc=x", null);
    assertThat(session.take(List.of(other), 7, 0).gap()).isEqualTo(FeedGap.NEW_HISTORY);
  }

  /** Who trims leaves the last one; who was restored goes on with the numbers that he had. */
  @Test
  void aMissingLastRecordIsLostHistory() {
    assertThat(take(7, 0, 7)).isEmpty();
    assertThat(gap(7)).isEqualTo(FeedGap.HISTORY_LOST);
    assertThat(gap(8, 8)).isEqualTo(FeedGap.HISTORY_LOST);
    assertThat(gap(11, 10, 11)).isEqualTo(FeedGap.HISTORY_LOST);
    session.onDisconnect();
    assertThat(gap(8, 8)).isEqualTo(FeedGap.HISTORY_LOST);
  }

  @Test
  void anUnreportedRecordIsReadAgain() {
    assertThat(session.take(records(7, 8), 8, 0).news()).hasSize(1);
    assertThat(take(8, 0, 7, 8)).containsExactly(8L);
  }

  @Test
  void parsesRecords() throws LDIFException {
    RetroRecord moved =
        RetroRecord.of(
            new Entry(
                "dn: changenumber=5,cn=changelog",
                "changeNumber: 5",
                "nsUniqueId: 753563c6-e6b811f1-ac9dbb3e-ab8a15ae",
                "targetUniqueId: 5eed0000-00004000-80000000-00000007",
                "targetDn: ou=q,dc=x",
                "changeType: modrdn",
                "newRdn: ou=r",
                "newSuperior: ou=other,dc=x"));
    assertThat(moved)
        .isEqualTo(
            new RetroRecord(
                5,
                "753563c6-e6b811f1-ac9dbb3e-ab8a15ae",
                ChangeType.MODRDN,
                ENTRY,
                "ou=q,dc=x",
                "ou=r,ou=other,dc=x"));
    RetroRecord unknown =
        RetroRecord.of(new Entry("dn: changenumber=6,cn=changelog", "changeNumber: 6"));
    assertThat(unknown).isEqualTo(new RetroRecord(6, "", ChangeType.UNKNOWN, null, null, null));
  }
}
