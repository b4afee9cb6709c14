// SPDX-License-Identifier: Apache-2.0
package io.stoa.coherence.view;

import static io.stoa.testing.SmallDirectory.csn;
import static io.stoa.testing.SmallDirectory.deleted;
import static io.stoa.testing.SmallDirectory.dn;
import static io.stoa.testing.SmallDirectory.entry;
import static io.stoa.testing.SmallDirectory.modified;
import static io.stoa.testing.SmallDirectory.person;
import static io.stoa.testing.SmallDirectory.query;
import static io.stoa.testing.SmallDirectory.renamed;
import static io.stoa.testing.SmallDirectory.told;
import static io.stoa.testing.SmallDirectory.unmarked;
import static io.stoa.testing.SmallDirectory.uuid;
import static org.assertj.core.api.Assertions.assertThat;

import io.stoa.coherence.index.PredicateIndex;
import io.stoa.coherence.view.Members.Member;
import io.stoa.feed.event.Change;
import io.stoa.feed.event.Change.Deleted;
import io.stoa.feed.event.Change.Modified;
import io.stoa.feed.event.Change.Receipt;
import io.stoa.feed.event.Change.Renamed;
import io.stoa.feed.event.Change.Reporter;
import io.stoa.ldap.filter.Image;
import io.stoa.ldap.filter.Query;
import io.stoa.ldap.filter.Truth;
import io.stoa.testing.SmallDirectory;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** What a change does to an answer, case by case (the design's section 2.4). */
class InvalidatorTest {
  private static final String ANN = "cn=ann,ou=p,dc=x";
  private static final String BOB = "cn=bob,ou=p,dc=x";
  private static final Query MILLERS = query("ou=p,dc=x", 2, "(sn=miller)");
  private static final Query ITSELF = query(ANN, 0, "(sn=miller)");

  private final PredicateIndex<View> index = new PredicateIndex<>();
  private final List<Truth> evaluated = new ArrayList<>();
  private final Invalidator effects = new Invalidator(index, evaluated::add);
  private long reached = Long.MAX_VALUE;
  private boolean images = true;

  /** An answer, as whoever keeps it does. Thread-confined. */
  private static final class Kept implements ViewListener {
    private final boolean uniform;
    private final List<EntryUpdate> amendments = new ArrayList<>();
    private boolean refuses;
    private @Nullable View view;
    private @Nullable InvalidationCause killed;

    Kept(boolean uniform) {
      this.uniform = uniform;
    }

    @Override
    public void onInvalidated(View dead, InvalidationCause cause) {
      killed = cause;
    }

    @Override
    public boolean mayUpdateInPlace() {
      return uniform;
    }

    @Override
    public boolean onUpdated(View which, EntryUpdate amendment) {
      assertThat(uniform).as("only what is uniform is changed in place").isTrue();
      return !refuses && amendments.add(amendment);
    }

    /** Nothing has happened to it. */
    void isUntouched() {
      assertThat(killed).isNull();
      assertThat(amendments).isEmpty();
    }

    void isKilledBy(InvalidationCause cause) {
      assertThat(killed).isEqualTo(cause);
      assertThat(view.isInvalid()).isTrue();
    }

    /** It shows an entry in that state from now on. */
    void shows(int entry, int csn) {
      assertThat(killed).isNull();
      EntryUpdate last = amendments.get(amendments.size() - 1);
      assertThat(last.uuid()).isEqualTo(uuid(entry));
      assertThat(last.shown()).isNotNull();
      assertThat(last.shown().csn()).isEqualTo(csn(csn));
      assertThat(view.members().csn(uuid(entry))).isEqualTo(csn(csn));
    }

    void hasLost(int entry) {
      assertThat(killed).isNull();
      assertThat(amendments.get(amendments.size() - 1))
          .isEqualTo(new EntryUpdate(uuid(entry), null));
      assertThat(view.members().contains(uuid(entry))).isFalse();
    }
  }

  private Kept kept(Query query, boolean uniform, Member... members) {
    Kept kept = new Kept(uniform);
    EpochState terms =
        new EpochState(
            new FreshnessGuarantee(now -> true, images ? time -> time <= reached : null, null));
    View view = new View(query, Members.of(List.of(members)), terms, index, kept);
    kept.view = view;
    view.register(List.of(members).stream().map(Member::dn).toList());
    view.setReadNanos(0);
    view.markUnseen();
    view.markValid();
    return kept;
  }

  private Kept uniform(Query query, Member... members) {
    return kept(query, true, members);
  }

  private static Member ann(int csn) {
    return new Member(uuid(1), csn(csn), dn(ANN));
  }

  private static Member bob(int csn) {
    return new Member(uuid(2), csn(csn), dn(BOB));
  }

  private void report(Change change) {
    effects.apply(change, null);
  }

  private static Change become(int entry, String name, String sn, int number) {
    return modified(entry, person(name, sn), number);
  }

  @Test
  void aShownEntryIsReplaced() {
    Kept set = uniform(MILLERS, ann(1), bob(1));
    Kept itself = uniform(ITSELF, ann(1));
    report(become(1, ANN, "Miller", 2));
    set.shows(1, 2);
    itself.shows(1, 2);
    assertThat(set.view.members().csn(uuid(2))).isEqualTo(csn(1));
  }

  @Test
  void aNewlyMatchingEntryIsAdded() {
    Kept set = uniform(MILLERS, ann(1));
    report(become(2, BOB, "Miller", 2));
    set.shows(2, 2);
    report(become(2, BOB, "miller", 3));
    set.shows(2, 3);
    report(deleted(2, BOB, 4));
    set.hasLost(2);
  }

  @Test
  void anUnmatchedOrDeletedEntryIsRemoved() {
    Kept set = uniform(MILLERS, ann(1), bob(1));
    report(become(1, ANN, "Smith", 2));
    set.hasLost(1);
    report(deleted(2, null, 3));
    set.hasLost(2);
    assertThat(set.view.members().size()).isZero();
    report(become(1, ANN, "Miller", 4));
    set.shows(1, 4);
  }

  @Test
  void anUnrelatedEntryChangesNothing() {
    Kept set = uniform(MILLERS, ann(1));
    report(become(2, BOB, "Smith", 2));
    report(deleted(2, BOB, 3));
    set.isUntouched();
  }

  /** Somebody has deleted the one and added another, and only that has been told. */
  @Test
  void anEntryWhoseNameAnotherHasTakenIsInvalidated() {
    Kept set = uniform(MILLERS, ann(1), bob(1));
    Kept plain = kept(MILLERS, false, new Member(uuid(1), csn(1), dn(ANN)));
    Kept other = uniform(MILLERS, bob(1));
    Image another = person(ANN, "Smith");
    report(new Change.Modified(uuid(3), dn(ANN), another, told(2)));
    set.isUntouched(); // a feed tells first that the one is gone
    report(new Change.Modified(uuid(3), dn(ANN), another, own(2)));
    set.isKilledBy(InvalidationCause.DELETE);
    plain.isKilledBy(InvalidationCause.DELETE);
    other.isUntouched();
  }

  /** What was shown once is found by its name still. */
  @Test
  void anEntryThatLeftAndChangesAgainIsTheSame() {
    Kept set = uniform(MILLERS, ann(1), bob(1));
    report(become(1, ANN, "Smith", 2));
    set.hasLost(1);
    report(new Change.Modified(uuid(1), dn(ANN), person(ANN, "Smith"), own(3)));
    set.hasLost(1);
  }

  /** How much the directory leaves in the dark can be counted. */
  @Test
  void knownAndUnknownMatchesAreCounted() {
    uniform(MILLERS, ann(1));
    report(become(1, ANN, "Miller", 2));
    assertThat(evaluated).isNotEmpty().containsOnly(Truth.TRUE);
    evaluated.clear();
    report(modified(1, ANN, 3));
    assertThat(evaluated).isNotEmpty().containsOnly(Truth.UNKNOWN);
  }

  @Test
  void aRenamedEntryIsShownByItsNewName() {
    Kept set = uniform(MILLERS, ann(1));
    Image now = person("cn=anna,ou=p,dc=x", "Miller");
    report(new Renamed(uuid(1), dn(ANN), now.dn(), true, now, told(2)));
    set.shows(1, 2);
    report(new Deleted(null, now.dn(), own(3)));
    set.isKilledBy(InvalidationCause.DELETE);
  }

  @Test
  void aViewDiesIfItsBaseIsDeletedOrRenamed() {
    Kept itself = uniform(ITSELF, ann(1));
    report(deleted(1, ANN, 2));
    itself.isKilledBy(InvalidationCause.DELETE);
    Kept again = uniform(ITSELF, ann(1));
    Image now = person("cn=anna,ou=p,dc=x", "Miller");
    report(new Renamed(uuid(1), null, now.dn(), true, now, told(2)));
    again.isKilledBy(InvalidationCause.CHANGE);
    Kept below = uniform(MILLERS, ann(1));
    report(deleted(9, "ou=p,dc=x", 3));
    below.isKilledBy(InvalidationCause.DELETE);
    Kept moved = uniform(MILLERS, ann(1));
    report(renamed(9, "ou=p,dc=x", SmallDirectory.unit("ou=q,dc=x"), 4));
    moved.isKilledBy(InvalidationCause.RENAME);
  }

  @Test
  void aNonUniformViewIsAlwaysInvalidated() {
    for (Change change :
        List.of(
            become(1, ANN, "Miller", 2),
            become(1, ANN, "Smith", 2),
            become(2, BOB, "Miller", 2),
            deleted(1, ANN, 2),
            new Deleted(null, dn(ANN), own(2)))) {
      Kept own = kept(MILLERS, false, ann(1));
      report(change);
      assertThat(own.view.isInvalid()).as("after %s", change).isTrue();
      assertThat(own.amendments).isEmpty();
    }
  }

  @Test
  void anUnknownChangeInvalidates() {
    Image lacking =
        Image.of(
            entry(ANN, Map.of("objectClass", "person", "cn", "x", "sn", "Miller")),
            false,
            SmallDirectory.PROFILE);
    for (Change change :
        List.of(
            modified(1, ANN, 2),
            modified(1, lacking, 2),
            new Modified(uuid(1), dn(ANN), person(ANN, "Miller"), unmarked(null)),
            new Deleted(uuid(1), dn(ANN), unmarked(null)))) {
      Kept set = uniform(MILLERS, ann(1));
      report(change);
      assertThat(set.view.isInvalid()).as("after %s", change).isTrue();
      assertThat(set.amendments).isEmpty();
    }
  }

  @Test
  void aViewThatCannotBeUpdatedIsInvalidated() {
    Kept set = uniform(MILLERS, ann(1));
    set.refuses = true;
    report(become(2, BOB, "Miller", 2));
    set.isKilledBy(InvalidationCause.CHANGE);
  }

  @Test
  void imagesAreAppliedOnlyIfConfigured() {
    images = false;
    Kept set = uniform(MILLERS, ann(1));
    report(become(1, ANN, "Smith", 2));
    set.isKilledBy(InvalidationCause.CHANGE);
  }

  @Test
  void aReadAheadOfTheFeedIsNotUndone() {
    Kept set = uniform(MILLERS, ann(5));
    report(become(1, ANN, "Smith", 3));
    set.isUntouched();
    report(become(1, ANN, "Miller", 5));
    set.isUntouched();
    reached = -1;
    report(become(1, ANN, "Miller", 6));
    set.shows(1, 6);
    report(become(2, BOB, "Miller", 4));
    set.isKilledBy(InvalidationCause.CHANGE);
  }

  /** What was told of the entry since may never have been, but then this was. */
  @Test
  void aLateChangeInvalidatesViewsThatShowOrMayShowItsEntry() {
    Kept ahead = uniform(MILLERS, ann(5));
    Kept other = uniform(query("ou=p,dc=x", 2, "(sn=jones)"));
    Kept behind = uniform(query("ou=p,dc=x", 2, "(cn=x)"), ann(1));
    Kept might = uniform(query("ou=p,dc=x", 2, "(sn=smith)"));
    effects.applyLate(become(1, ANN, "Smith", 3), dn(ANN));
    ahead.isUntouched();
    other.isUntouched();
    behind.isKilledBy(InvalidationCause.CHANGE);
    might.isKilledBy(InvalidationCause.CHANGE);
  }

  /** Nobody would find out whether it was so. */
  @Test
  void aLateDeleteInvalidatesInsteadOfUpdating() {
    Kept set = uniform(MILLERS, ann(1), bob(1));
    effects.applyLate(deleted(1, ANN, 3), dn(ANN));
    set.isKilledBy(InvalidationCause.DELETE);
    assertThat(set.amendments).isEmpty();
  }

  /** What another answer has shown of it may have been given to the same client. */
  @Test
  void noViewShowsAnOlderStateThanAnother() {
    Kept newer = uniform(query("ou=p,dc=x", 2, "(cn=x)"), bob(7));
    Kept set = uniform(MILLERS, ann(1));
    report(become(2, BOB, "Miller", 6));
    set.isKilledBy(InvalidationCause.CHANGE);
    newer.isUntouched();
  }

  @Test
  void anEntryDeletedThroughStoaDoesNotComeBack() {
    Kept set = uniform(MILLERS, ann(1));
    reached = 9;
    report(new Deleted(null, dn(BOB), own(10)));
    set.isUntouched();
    report(become(2, BOB, "Miller", 2));
    set.isKilledBy(InvalidationCause.CHANGE);
    reached = 10;
    Kept later = uniform(MILLERS, ann(1));
    report(become(3, BOB, "Miller", 3));
    later.shows(3, 3);
  }

  /** What is deleted through Stoa may be told later than that there is another entry there. */
  @Test
  void aDeleteDoesNotRemoveTheEntryThatTookTheName() {
    Kept set = uniform(MILLERS, ann(1), bob(1));
    report(deleted(2, BOB, 2));
    report(become(3, BOB, "Miller", 3));
    set.shows(3, 3);
    report(new Deleted(null, dn(BOB), own(10)));
    set.isKilledBy(InvalidationCause.DELETE);
    assertThat(set.amendments).doesNotContain(new EntryUpdate(uuid(3), null));
  }

  private static Receipt own(long arrived) {
    return new Receipt(null, null, arrived, Reporter.OWN_WRITE);
  }

  @Test
  void aPhantomInvalidatesEveryViewItTouched() {
    Kept lost = uniform(MILLERS, ann(1), bob(1));
    Kept shows = uniform(query("ou=p,dc=x", 2, "(sn=phantom)"));
    Kept other = uniform(MILLERS, bob(1));
    List<View> touched = effects.apply(become(1, ANN, "Phantom", 2), null);
    assertThat(touched).containsExactlyInAnyOrder(lost.view, shows.view);
    effects.withdraw(uuid(1), touched, InvalidationCause.ABORTED);
    lost.isKilledBy(InvalidationCause.ABORTED);
    shows.isKilledBy(InvalidationCause.ABORTED);
    other.isUntouched();
  }

  @Test
  void evictedViewsLeaveNothingInTheIndex() {
    Kept set = uniform(MILLERS, ann(1));
    report(become(2, BOB, "Miller", 2));
    Image now = person("cn=bobby,ou=p,dc=x", "Miller");
    report(new Renamed(uuid(2), dn(BOB), now.dn(), true, now, told(3)));
    report(become(3, "cn=cid,ou=p,dc=x", "Miller", 4));
    set.view.onEvicted();
    assertThat(index.stats())
        .satisfies(
            stats -> {
              assertThat(stats.views()).isZero();
              assertThat(stats.uuids()).isZero();
              assertThat(stats.places()).isZero();
            });
  }
}
