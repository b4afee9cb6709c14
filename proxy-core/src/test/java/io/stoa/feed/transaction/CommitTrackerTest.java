// SPDX-License-Identifier: Apache-2.0
package io.stoa.feed.transaction;

import static io.stoa.testing.SmallDirectory.CONTEXT;
import static io.stoa.testing.SmallDirectory.csn;
import static io.stoa.testing.SmallDirectory.deleted;
import static io.stoa.testing.SmallDirectory.modified;
import static io.stoa.testing.SmallDirectory.upTo;
import static io.stoa.testing.SmallDirectory.uuid;
import static org.assertj.core.api.Assertions.assertThat;

import io.stoa.feed.event.Change;
import io.stoa.feed.event.Change.Deleted;
import io.stoa.feed.event.Change.Modified;
import io.stoa.feed.event.Change.Receipt;
import io.stoa.feed.event.Change.Reporter;
import io.stoa.feed.transaction.CommitTracker.Witness;
import io.stoa.ldap.csn.Position;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What of that which was told may be in a transaction still. */
class CommitTrackerTest {
  private static final long MILLIS = 1_000_000;
  private static final long QUIET = CommitTracker.PATIENCE.toNanos();
  private static final long EVER = Long.MAX_VALUE;

  /** When the changes of {@link io.stoa.testing.SmallDirectory} are made. */
  private static final Instant MADE = Instant.ofEpochSecond(csn(1).seconds());

  private final CommitTracker commits = new CommitTracker(CONTEXT, InstantSource.fixed(MADE), 0);

  private void report(int entry, int number, long millis) {
    commits.onChange(modified(entry, "cn=a,dc=x", number), true, millis * MILLIS);
  }

  private void reportDelete(int entry, int number, boolean wasThere, long millis) {
    commits.onChange(deleted(entry, "cn=a,dc=x", number), wasThere, millis * MILLIS);
  }

  @Test
  void aChangeSettlesWhenALaterOneIsVisible() {
    report(1, 5, 100);
    report(2, 6, 200);
    assertThat(commits.settled(EVER)).isEqualTo(100 * MILLIS);
    assertThat(commits.settled(50)).as("no later than anything else").isEqualTo(50);
    commits.onShown(csn(4), 300 * MILLIS);
    assertThat(commits.settled(EVER)).isEqualTo(100 * MILLIS);
    commits.onShown(csn(5), 300 * MILLIS);
    assertThat(commits.settled(EVER)).isEqualTo(200 * MILLIS);
    commits.onShown(csn(7), 300 * MILLIS);
    assertThat(commits.isOpen()).isFalse();
    report(1, 7, 400);
    assertThat(commits.isOpen()).as("of what is shown already").isFalse();
  }

  @Test
  void csnsOfAnotherServerProveNothing() {
    report(1, 5, 100);
    commits.onShown(csn(9, "002"), 300 * MILLIS);
    assertThat(commits.isOpen()).isTrue();
    Receipt receipt = new Receipt(csn(6, "002"), null, 0, Reporter.FEED);
    commits.onChange(new Modified(uuid(2), null, null, receipt), true, 200 * MILLIS);
    commits.onShown(csn(5), 300 * MILLIS);
    assertThat(commits.settled(EVER)).isEqualTo(200 * MILLIS);
  }

  @Test
  void anOwnWriteIsSettledWhenItIsAnswered() {
    Receipt receipt = new Receipt(csn(6), null, 0, Reporter.OWN_WRITE);
    commits.onChange(new Modified(uuid(2), null, null, receipt), true, 200 * MILLIS);
    assertThat(commits.isOpen()).isFalse();
  }

  @Test
  void theLastChangedEntryIsTheFirstWitness() {
    report(1, 5, 100);
    report(2, 6, 110);
    report(3, 7, 200);
    assertThat(commits.witnesses(1)).containsExactly(new Witness(uuid(3), csn(7), false));
    assertThat(commits.witnesses(9))
        .as("a change that was reported at once settles at once")
        .extracting(Witness::uuid)
        .containsExactly(uuid(3), uuid(2));
  }

  @Test
  void anAbsentEntryProvesItsDeleteIfItExisted() {
    reportDelete(1, 5, true, 100);
    List<Witness> asked = commits.witnesses(1);
    assertThat(asked).containsExactly(new Witness(uuid(1), csn(5), true));
    commits.onGone(asked, 300 * MILLIS);
    assertThat(commits.isOpen()).isFalse();
    reportDelete(2, 6, false, 400);
    assertThat(commits.isOpen()).isTrue();
    assertThat(commits.witnesses(1)).isEmpty();
  }

  @Test
  void anAbsentEntryProvesNoModification() {
    report(1, 5, 100);
    commits.onGone(commits.witnesses(1), 300 * MILLIS);
    assertThat(commits.isOpen()).isTrue();
  }

  /** Its cookie names all servers, one of which has done it. */
  @Test
  void aChangeWithoutACsnIsOneOfItsCookie() {
    Position both = upTo(5).merge(csn(6, "002").toPosition(CONTEXT));
    Change change = new Deleted(uuid(1), null, new Receipt(null, both, 0, Reporter.FEED));
    commits.onChange(change, true, 100 * MILLIS);
    assertThat(commits.witnesses(1)).isEmpty();
    commits.onShown(csn(5), 200 * MILLIS);
    assertThat(commits.isOpen()).isTrue();
    commits.onShown(csn(6, "002"), 200 * MILLIS);
    assertThat(commits.isOpen()).isFalse();
  }

  @Test
  void aQuietServerHasNoOpenTransaction() {
    report(1, 5, 0);
    report(2, 6, 9_000);
    commits.expire(QUIET + 8_999 * MILLIS);
    assertThat(commits.settled(EVER)).isZero();
    commits.expire(QUIET + 9_000 * MILLIS);
    assertThat(commits.isOpen()).isFalse();
  }

  @Test
  void theInitialPositionMustBeVisible() {
    report(1, 5, 1_000);
    commits.onBegin(upTo(7), 2_000 * MILLIS);
    assertThat(commits.marks()).containsExactly(csn(7));
    assertThat(commits.settled(EVER)).as("when it began").isZero();
    reportDelete(3, 8, true, 3_000);
    assertThat(commits.witnesses(1)).as("the entry may have been added before").hasSize(1);
    assertThat(commits.witnesses(1).get(0).gone()).isFalse();
    commits.onShown(csn(7), 3_100 * MILLIS);
    assertThat(commits.marks()).isEmpty();
    assertThat(commits.settled(EVER)).isEqualTo(3_000 * MILLIS);
  }

  @Test
  void anOldInitialPositionCountsAsVisible() {
    CommitTracker late = new CommitTracker(CONTEXT, InstantSource.fixed(MADE.plusSeconds(120)), 0);
    late.onBegin(upTo(7), 0);
    assertThat(late.isOpen()).isFalse();
  }

  /** It may come from another server, which has a transaction of its own. */
  @Test
  void aReadFromBeforeADisconnectProvesNothing() {
    report(1, 5, 100);
    commits.onDisconnect(200 * MILLIS);
    commits.onShown(csn(9), 199 * MILLIS);
    assertThat(commits.isOpen()).isTrue();
    commits.onShown(csn(9), 200 * MILLIS);
    assertThat(commits.isOpen()).isFalse();
    commits.onDisconnect(300 * MILLIS);
    report(1, 6, 400);
    assertThat(commits.isOpen()).isTrue();
  }

  /** Nobody hears it while the feed is cut off, and what it tells then is not told again. */
  @Test
  void aServerIsNotQuietWhileTheFeedIsCut() {
    report(1, 5, 100);
    commits.onDisconnect(200 * MILLIS);
    commits.expire(2 * QUIET);
    assertThat(commits.isOpen()).isTrue();
    commits.onBegin(upTo(5), 2 * QUIET);
    commits.expire(3 * QUIET - 1);
    assertThat(commits.isOpen()).isTrue();
    commits.expire(3 * QUIET);
    assertThat(commits.isOpen()).isFalse();
  }

  @Test
  void theWitnessHasTheHighestCsnInAnyOrder() {
    report(1, 5, 100);
    report(2, 3, 101);
    assertThat(commits.witnesses(1)).containsExactly(new Witness(uuid(1), csn(5), false));
  }

  @Test
  void onlyTheLatestInitialPositionMustBeVisible() {
    commits.onBegin(upTo(5), 0);
    commits.onBegin(upTo(6), 5_000 * MILLIS);
    assertThat(commits.marks()).containsExactly(csn(6));
    commits.onBegin(upTo(6), 9_000 * MILLIS);
    commits.expire(QUIET + 5_000 * MILLIS);
    assertThat(commits.isOpen()).as("nothing was heard since").isFalse();
  }

  /** However long a transaction takes. */
  @Test
  void openChangesAreLimited() {
    for (int i = 0; i < 10_000; i++) {
      report(i, i + 5, 30L * i);
    }
    assertThat(commits.witnesses(10_000)).hasSize(3_000);
    assertThat(commits.witnesses(1)).extracting(Witness::uuid).containsExactly(uuid(9_999));
    commits.onShown(csn(10_003), 400_000 * MILLIS);
    assertThat(commits.isOpen()).isTrue();
    commits.onShown(csn(10_004), 400_000 * MILLIS);
    assertThat(commits.isOpen()).isFalse();
  }
}
