// SPDX-License-Identifier: Apache-2.0
package io.stoa.coherence.invalidation;

import static io.stoa.testing.SmallDirectory.CONTEXT;
import static io.stoa.testing.SmallDirectory.csn;
import static io.stoa.testing.SmallDirectory.deleted;
import static io.stoa.testing.SmallDirectory.dn;
import static io.stoa.testing.SmallDirectory.image;
import static io.stoa.testing.SmallDirectory.modified;
import static io.stoa.testing.SmallDirectory.person;
import static io.stoa.testing.SmallDirectory.query;
import static io.stoa.testing.SmallDirectory.renamed;
import static io.stoa.testing.SmallDirectory.told;
import static io.stoa.testing.SmallDirectory.unit;
import static io.stoa.testing.SmallDirectory.unmarked;
import static io.stoa.testing.SmallDirectory.upTo;
import static io.stoa.testing.SmallDirectory.uuid;
import static org.assertj.core.api.Assertions.assertThat;

import io.stoa.coherence.invalidation.ChangeRing.Bounds;
import io.stoa.coherence.invalidation.ChangeRing.ReadSummary;
import io.stoa.coherence.invalidation.FillValidator.Verdict;
import io.stoa.coherence.view.Members;
import io.stoa.coherence.view.Members.Member;
import io.stoa.feed.event.Change;
import io.stoa.feed.event.Change.Deleted;
import io.stoa.feed.event.Change.Modified;
import io.stoa.feed.event.Change.Receipt;
import io.stoa.feed.event.Change.Renamed;
import io.stoa.feed.event.Change.Reporter;
import io.stoa.feed.event.Change.Unknown;
import io.stoa.ldap.csn.Csn;
import io.stoa.ldap.csn.Position;
import io.stoa.ldap.filter.Image;
import io.stoa.ldap.filter.Query;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Each row of the rule by which what was read is compared with what has changed. */
class FillValidatorTest {
  private static final Query MILLERS = query("ou=p,dc=x", 2, "(sn=miller)");
  private static final String ENTRY = "cn=a,ou=p,dc=x";
  private static final Members NOTHING = Members.of(List.of());

  private static Members showing(@Nullable Csn csn) {
    return Members.of(List.of(new Member(uuid(1), csn)));
  }

  /** By contents: the server says that it lacks all changes. */
  private static Verdict verdict(Change change, Members shown) {
    return verdict(change, shown, MILLERS, false);
  }

  private static Verdict verdict(Change change, Members shown, Query query, boolean absent) {
    return FillValidator.judgeByContents(
        record(change, 0), reading(query, absent, Position.NONE, 0), shown);
  }

  private static RingRecord record(Change change, long at) {
    Bounds bounds = new Bounds(Duration.ofHours(1), 10, Duration.ofHours(1), 1 << 20);
    return new ChangeRing(bounds, CONTEXT, Position.NONE, gone -> {}).append(change, at);
  }

  private static ReadSummary reading(Query query, boolean absent, Position had, long settled) {
    return new ReadSummary(query, Map.of(uuid(1), dn(ENTRY)), absent, had, settled);
  }

  /** A leaf had others below it, perhaps, when it got its name. */
  @Test
  void entriesBelowTheFormerNameOfALeafAreUnsure() {
    Image leaf = person("cn=z,dc=x", "Smith");
    Change renamed = new Renamed(uuid(2), dn("ou=p,dc=x"), dn("cn=z,dc=x"), true, leaf, told(5));
    Query all = query("dc=x", 2, "(sn=miller)");
    assertThat(verdict(renamed, showing(csn(4)), all, false)).isEqualTo(Verdict.UNSURE);
    Change other = new Renamed(uuid(2), dn("ou=q,dc=x"), dn("cn=z,dc=x"), true, leaf, told(5));
    assertThat(verdict(other, showing(csn(4)), all, false)).isEqualTo(Verdict.CONSISTENT);
  }

  /** A subtree that was moved out of sight is told as one entry that is gone. */
  @Test
  void entriesBelowADeletedEntryAreUnsure() {
    Query all = query("dc=x", 2, "(sn=miller)");
    Change above = deleted(2, "ou=p,dc=x", 5);
    assertThat(verdict(above, showing(csn(4)), all, false)).isEqualTo(Verdict.UNSURE);
    Change other = deleted(2, "ou=q,dc=x", 5);
    assertThat(verdict(other, showing(csn(4)), all, false)).isEqualTo(Verdict.CONSISTENT);
  }

  /** An entry that was added through Stoa. */
  private static Change written(String name) {
    Receipt receipt = new Receipt(csn(5), null, 0, Reporter.OWN_WRITE);
    return new Modified(uuid(2), dn(name), person(name, "Smith"), receipt);
  }

  /** Somebody has deleted it and added another, or the other way round. */
  @Test
  void anEntryWhoseNameAnotherHasTakenIsUnsure() {
    assertThat(verdict(written(ENTRY), showing(csn(4)))).isEqualTo(Verdict.UNSURE);
    Change elsewhere = written("cn=b,ou=p,dc=x");
    assertThat(verdict(elsewhere, showing(csn(4)))).isEqualTo(Verdict.CONSISTENT);
  }

  @Test
  void aDeletedEntryIsStaleUnlessItWasAddedAgain() {
    Change gone = deleted(1, ENTRY, 5);
    assertThat(verdict(gone, NOTHING)).isEqualTo(Verdict.CONSISTENT);
    assertThat(verdict(gone, showing(csn(4)))).isEqualTo(Verdict.STALE);
    assertThat(verdict(gone, showing(csn(5)))).isEqualTo(Verdict.STALE);
    assertThat(verdict(gone, showing(csn(6)))).isEqualTo(Verdict.CONSISTENT);
  }

  @Test
  void anEntryDeletedAtAnUnknownTimeIsAlwaysStale() {
    Change gone = new Deleted(uuid(1), dn(ENTRY), unmarked(null));
    assertThat(verdict(gone, NOTHING)).isEqualTo(Verdict.CONSISTENT);
    assertThat(verdict(gone, showing(csn(999)))).isEqualTo(Verdict.STALE);
  }

  @Test
  void aMatchingEntryMustBeShownInItsStateOrLater() {
    Change matches = modified(1, person(ENTRY, "Miller"), 5);
    assertThat(verdict(matches, NOTHING)).isEqualTo(Verdict.STALE);
    assertThat(verdict(matches, showing(csn(4)))).isEqualTo(Verdict.STALE);
    assertThat(verdict(matches, showing(csn(5)))).isEqualTo(Verdict.CONSISTENT);
    assertThat(verdict(matches, showing(csn(6)))).isEqualTo(Verdict.CONSISTENT);
  }

  @Test
  void anUnmatchedEntryMayBeShownOnlyInALaterState() {
    Change other = modified(1, person(ENTRY, "Smith"), 5);
    assertThat(verdict(other, NOTHING)).isEqualTo(Verdict.CONSISTENT);
    assertThat(verdict(other, showing(csn(5)))).isEqualTo(Verdict.STALE);
    assertThat(verdict(other, showing(csn(6)))).isEqualTo(Verdict.CONSISTENT);
  }

  @Test
  void anEntryMovedAwayMayNotBeShown() {
    Change elsewhere = modified(1, person("cn=a,ou=q,dc=x", "Miller"), 5);
    assertThat(verdict(elsewhere, NOTHING)).isEqualTo(Verdict.CONSISTENT);
    assertThat(verdict(elsewhere, showing(csn(4)))).isEqualTo(Verdict.STALE);
  }

  @Test
  void anEntryOfUnknownMatchIsConsistentOnlyIfShown() {
    Change unknown = modified(1, ENTRY, 5);
    assertThat(verdict(unknown, NOTHING)).isEqualTo(Verdict.UNSURE);
    assertThat(verdict(unknown, showing(csn(4)))).isEqualTo(Verdict.STALE);
    assertThat(verdict(unknown, showing(csn(5)))).isEqualTo(Verdict.CONSISTENT);
  }

  @Test
  void anEntryWithoutACsnIsUnsure() {
    Change matches = modified(1, person(ENTRY, "Miller"), 5);
    assertThat(verdict(matches, showing(null))).isEqualTo(Verdict.UNSURE);
    Change unmarked = new Modified(uuid(1), dn(ENTRY), person(ENTRY, "Miller"), unmarked(null));
    assertThat(verdict(unmarked, showing(csn(9)))).isEqualTo(Verdict.UNSURE);
  }

  @Test
  void aMovedSubtreeIsUnsure() {
    Change moved = renamed(9, "ou=old,dc=x", unit("ou=p,dc=x"), 5);
    assertThat(verdict(moved, showing(csn(9)))).isEqualTo(Verdict.UNSURE);
    Change anywhere = renamed(9, null, unit("ou=elsewhere,dc=x"), 5);
    assertThat(verdict(anywhere, showing(csn(9)))).isEqualTo(Verdict.UNSURE);
    Change elsewhere = renamed(9, "ou=q,dc=x", unit("ou=r,dc=x"), 5);
    assertThat(verdict(elsewhere, NOTHING)).isEqualTo(Verdict.CONSISTENT);
    assertThat(verdict(new Unknown(null, unmarked(null)), NOTHING)).isEqualTo(Verdict.UNSURE);
  }

  @Test
  void aDeletedBaseIsUnsure() {
    assertThat(verdict(deleted(9, "ou=p,dc=x", 5), NOTHING)).isEqualTo(Verdict.UNSURE);
    assertThat(verdict(deleted(9, "cn=b,ou=p,dc=x", 5), NOTHING)).isEqualTo(Verdict.CONSISTENT);
  }

  @Test
  void anAbsentBaseIsUnsureAfterAnAddThere() {
    Query missing = query("cn=a,ou=p,dc=x", 0, "(sn=miller)");
    Change there = modified(9, person("cn=a,ou=p,dc=x", "Smith"), 5);
    assertThat(verdict(there, NOTHING, missing, true)).isEqualTo(Verdict.UNSURE);
    Change above = modified(9, image("ou=p,dc=x", Map.of("hasSubordinates", "FALSE")), 5);
    assertThat(verdict(above, NOTHING, missing, true)).isEqualTo(Verdict.UNSURE);
    Change elsewhere = modified(9, person("cn=b,ou=p,dc=x", "Smith"), 5);
    assertThat(verdict(elsewhere, NOTHING, missing, true)).isEqualTo(Verdict.CONSISTENT);
  }

  @Test
  void aPositionCountsOnceTheChangeHasSettled() {
    Change matches = modified(1, person(ENTRY, "Miller"), 5);
    RingRecord record = record(matches, 0);
    ReadSummary had = reading(MILLERS, false, upTo(5), 1);
    ReadSummary lacked = reading(MILLERS, false, upTo(4), 1);
    ReadSummary early = reading(MILLERS, false, upTo(5), 0);
    assertThat(FillValidator.judge(record, had, NOTHING)).isEqualTo(Verdict.CONSISTENT);
    assertThat(FillValidator.judge(record, lacked, NOTHING)).isEqualTo(Verdict.STALE);
    assertThat(FillValidator.judge(record, early, NOTHING)).isEqualTo(Verdict.STALE);
    assertThat(FillValidator.judge(record, early, showing(csn(5)))).isEqualTo(Verdict.CONSISTENT);
  }
}
