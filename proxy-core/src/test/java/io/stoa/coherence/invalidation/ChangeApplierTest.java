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
import static io.stoa.testing.SmallDirectory.unit;
import static io.stoa.testing.SmallDirectory.unmarked;
import static io.stoa.testing.SmallDirectory.upTo;
import static io.stoa.testing.SmallDirectory.uuid;
import static org.assertj.core.api.Assertions.assertThat;

import io.stoa.coherence.invalidation.ChangeRing.Bounds;
import io.stoa.coherence.invalidation.ChangeRing.ReadSummary;
import io.stoa.coherence.invalidation.CoherenceDomain.DomainContext;
import io.stoa.coherence.view.FreshnessGuarantee;
import io.stoa.feed.event.Change;
import io.stoa.feed.event.Change.Deleted;
import io.stoa.feed.event.Change.Modified;
import io.stoa.feed.event.Change.Receipt;
import io.stoa.feed.event.Change.Renamed;
import io.stoa.feed.event.Change.Reporter;
import io.stoa.feed.event.FeedKind;
import io.stoa.ldap.filter.Image;
import io.stoa.ldap.schema.NormalDn;
import io.stoa.testing.SmallDirectory;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** What is applied, and as what it is remembered. */
class ChangeApplierTest {
  private static final String ANN = "cn=ann,ou=p,dc=x";

  private final FeedEpoch feedEpoch = run(1_000);

  private static FeedEpoch run(int records) {
    Bounds bounds = new Bounds(Duration.ZERO, records, Duration.ofHours(1), 1 << 24);
    DomainConfig config =
        new DomainConfig(
            CONTEXT,
            ChangeApplierTest::name,
            type -> false,
            DomainConfig.SETTLE,
            bounds,
            0,
            () -> false,
            FeedKind.SYNCREPL,
            now -> now);
    SteppedExecutor own = new SteppedExecutor();
    DomainContext context =
        new DomainContext(
            own,
            own::now,
            new FreshnessGuarantee(now -> true, null, null),
            done -> {},
            (search, found, failed) -> {});
    return new FeedEpoch(config, context, new DomainCounters(), upTo(0));
  }

  private static NormalDn name(byte[] octets) {
    return NormalDn.of(octets, SmallDirectory.PROFILE);
  }

  private boolean apply(Change change) {
    return feedEpoch.applier().apply(change, false, null, 0);
  }

  private Change last(int entry) {
    RingRecord record = feedEpoch.lastCsns().of(uuid(entry));
    assertThat(record).isNotNull();
    return record.change();
  }

  @Test
  void theSameChangeIsAppliedOnce() {
    assertThat(apply(modified(1, person(ANN, "A"), 5))).isTrue();
    assertThat(apply(modified(1, person(ANN, "A"), 5))).isFalse();
    assertThat(apply(modified(1, person(ANN, "C"), 6))).isTrue();
    assertThat(apply(modified(2, person("cn=b,dc=x", "C"), 5))).isTrue();
    assertThat(feedEpoch.ring().size()).isEqualTo(3);
  }

  @Test
  void aPartlyKnownChangeIsAppliedAgain() {
    Image part =
        Image.of(
            SmallDirectory.entry(ANN, Map.of("sn", "A", "hasSubordinates", "FALSE")),
            false,
            SmallDirectory.PROFILE);
    apply(modified(1, part, 5));
    assertThat(apply(modified(1, person(ANN, "A"), 5))).isTrue();
    apply(modified(2, "cn=b,dc=x", 7));
    assertThat(apply(modified(2, person("cn=b,dc=x", "A"), 7))).isTrue();
  }

  @Test
  void aDeleteIsAppliedOnce() {
    apply(deleted(1, ANN, 5));
    assertThat(apply(deleted(1, null, 5))).isFalse();
    assertThat(apply(modified(1, person(ANN, "A"), 6))).isTrue();
  }

  @Test
  void noOlderChangeIsAppliedAfterARead() {
    Image now = person(ANN, "A");
    Receipt read = new Receipt(csn(5), null, 0, Reporter.OWN_WRITE);
    assertThat(apply(new Modified(uuid(1), now.dn(), now, read))).isTrue();
    assertThat(apply(modified(1, person(ANN, "B"), 4))).isFalse();
    assertThat(apply(modified(1, person(ANN, "A"), 5))).isFalse();
    assertThat(apply(modified(1, person(ANN, "C"), 6))).isTrue();
  }

  /** What the feed has told may never have been; then the older one is what there is. */
  @Test
  void anOlderFeedChangeIsAppliedWithoutReplacingTheLast() {
    apply(modified(1, person(ANN, "A"), 5));
    assertThat(apply(modified(1, person(ANN, "B"), 4))).isTrue();
    assertThat(last(1).csn()).isEqualTo(csn(5));
    feedEpoch.lastCsns().of(uuid(1)).markRefuted();
    assertThat(apply(modified(1, person(ANN, "C"), 3))).isTrue();
    assertThat(last(1).csn()).isEqualTo(csn(3));
  }

  @Test
  void aChangeWithoutACsnIsAlwaysApplied() {
    Change gone = new Deleted(uuid(1), dn(ANN), unmarked(null));
    assertThat(apply(gone)).isTrue();
    assertThat(apply(gone)).isTrue();
  }

  @Test
  void lastCsnsAreForgottenWithTheRing() {
    FeedEpoch small = run(10);
    for (int i = 1; i <= 100; i++) {
      small.applier().apply(modified(i, person("cn=" + i + ",dc=x", "A"), i), false, null, i);
    }
    assertThat(small.ring().size()).isEqualTo(10);
    assertThat(IntStream.rangeClosed(1, 100).filter(i -> small.lastCsns().of(uuid(i)) != null))
        .hasSize(10);
  }

  @Test
  void aModifiedLeafIsNoRename() {
    apply(modified(1, person(ANN, "A"), 5));
    assertThat(last(1)).isInstanceOf(Modified.class);
    apply(modified(1, person("cn=ann,ou=q,dc=x", "A"), 6));
    assertThat(last(1)).isInstanceOf(Modified.class);
    assertThat(feedEpoch.ancestors().size()).isZero();
  }

  @Test
  void anEntryWithChildrenCountsAsRenamedUntilItsNameIsKnown() {
    apply(modified(9, unit("ou=p,dc=x"), 5));
    assertThat(last(9)).isInstanceOfSatisfying(Renamed.class, it -> assertThat(it.old()).isNull());
    apply(modified(9, unit("ou=p,dc=x"), 6));
    assertThat(last(9)).isInstanceOf(Modified.class);
    apply(modified(9, unit("ou=q,dc=x"), 7));
    assertThat(last(9))
        .isInstanceOfSatisfying(
            Renamed.class, it -> assertThat(it.old()).isEqualTo(dn("ou=p,dc=x")));
  }

  /** When the feed goes on, or tells with a change what only a later one has made of the entry. */
  @Test
  void aChangeReportedLateCountsAsARename() {
    Image unit = unit("ou=p,dc=x");
    apply(modified(9, unit, 5));
    feedEpoch.applier().apply(modified(9, unit, 6), true, null, 0);
    assertThat(last(9)).isInstanceOf(Renamed.class);
    apply(modified(9, unit, 7));
    assertThat(last(9)).isInstanceOf(Modified.class);
    apply(new Modified(uuid(9), unit.dn(), unit, new Receipt(csn(9), upTo(8), 0, Reporter.FEED)));
    assertThat(last(9)).isInstanceOf(Renamed.class);
  }

  @Test
  void anEntryOfUnknownChildrenCountsAsRenamed() {
    apply(modified(9, image("ou=p,dc=x", Map.of("ou", "p")), 5));
    assertThat(last(9)).isInstanceOf(Renamed.class);
    apply(modified(8, "cn=x,ou=p,dc=x", 6));
    assertThat(last(8)).isInstanceOf(Renamed.class);
  }

  @Test
  void aRenameForgetsTheNamesBelow() {
    apply(modified(8, unit("ou=a,ou=p,dc=x"), 5));
    apply(modified(9, unit("ou=p,dc=x"), 6));
    apply(modified(9, unit("ou=q,dc=x"), 7));
    assertThat(feedEpoch.ancestors().nameBefore(uuid(8), csn(9))).isNull();
    assertThat(feedEpoch.ancestors().lastName(uuid(9))).isEqualTo(dn("ou=q,dc=x"));
    assertThat(feedEpoch.ancestors().isRead(dn("ou=q,dc=x")))
        .as("a state that was reported, and not read")
        .isFalse();
    assertThat(feedEpoch.ancestors().addRead(uuid(9), dn("ou=q,dc=x"), csn(7))).isTrue();
    assertThat(feedEpoch.ancestors().isRead(dn("ou=q,dc=x"))).isTrue();
    assertThat(feedEpoch.ancestors().isRead(dn("ou=p,dc=x"))).isFalse();
  }

  @Test
  void aNameReadAheadOfTheFeedIsNotTheFormerName() {
    assertThat(feedEpoch.ancestors().addRead(uuid(9), dn("ou=q,dc=x"), csn(5))).isTrue();
    apply(modified(9, unit("ou=q,dc=x"), 5));
    assertThat(last(9)).isInstanceOfSatisfying(Renamed.class, it -> assertThat(it.old()).isNull());
    apply(modified(9, unit("ou=q,dc=x"), 6));
    assertThat(last(9)).isInstanceOf(Modified.class);
  }

  @Test
  void aReadAheadOfTheFeedDoesNotHideTheKnownName() {
    feedEpoch.ancestors().addRead(uuid(9), dn("ou=p,dc=x"), csn(1));
    assertThat(feedEpoch.ancestors().addRead(uuid(9), dn("ou=q,dc=x"), csn(5))).isFalse();
    assertThat(feedEpoch.ancestors().addRead(uuid(8), dn("ou=p,dc=x"), csn(6))).isFalse();
    apply(modified(9, unit("ou=q,dc=x"), 5));
    assertThat(last(9))
        .isInstanceOfSatisfying(
            Renamed.class, it -> assertThat(it.old()).isEqualTo(dn("ou=p,dc=x")));
  }

  @Test
  void theNameOfADeletedEntryIsLookedUp() {
    apply(modified(9, unit("ou=p,dc=x"), 5));
    apply(deleted(9, null, 6));
    assertThat(last(9).dn()).isEqualTo(dn("ou=p,dc=x"));
    assertThat(feedEpoch.ancestors().size()).isZero();
  }

  @Test
  void aChangeIsRecordedBeforeItsPositionIsCovered() {
    apply(modified(1, person(ANN, "Miller"), 5));
    ReadSummary reading =
        new ReadSummary(
            query("dc=x", 2, "(sn=miller)"), Map.of(), false, upTo(0), Long.MAX_VALUE / 2);
    List<RingRecord> relevant = feedEpoch.ring().relevantTo(reading);
    assertThat(relevant).hasSize(1);
    assertThat(relevant.get(0).change().csn()).isEqualTo(csn(5));
    assertThat(feedEpoch.ring().covered()).isEqualTo(upTo(0));
  }
}
