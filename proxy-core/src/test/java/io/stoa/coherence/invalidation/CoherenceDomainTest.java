// SPDX-License-Identifier: Apache-2.0
package io.stoa.coherence.invalidation;

import static io.stoa.testing.SmallDirectory.CONTEXT;
import static io.stoa.testing.SmallDirectory.csn;
import static io.stoa.testing.SmallDirectory.deleted;
import static io.stoa.testing.SmallDirectory.dn;
import static io.stoa.testing.SmallDirectory.entry;
import static io.stoa.testing.SmallDirectory.image;
import static io.stoa.testing.SmallDirectory.modified;
import static io.stoa.testing.SmallDirectory.octets;
import static io.stoa.testing.SmallDirectory.person;
import static io.stoa.testing.SmallDirectory.unit;
import static io.stoa.testing.SmallDirectory.unmarked;
import static io.stoa.testing.SmallDirectory.upTo;
import static io.stoa.testing.SmallDirectory.uuid;
import static org.assertj.core.api.Assertions.assertThat;

import io.stoa.coherence.invalidation.CoherenceDomain.Admission;
import io.stoa.coherence.view.InvalidationCause;
import io.stoa.coherence.view.View;
import io.stoa.coherence.view.ViewState;
import io.stoa.feed.event.Change.Deleted;
import io.stoa.feed.event.Change.Modified;
import io.stoa.feed.event.Change.Receipt;
import io.stoa.feed.event.Change.Reporter;
import io.stoa.feed.event.FeedGap;
import io.stoa.feed.event.FeedKind;
import io.stoa.feed.transaction.CommitTracker;
import io.stoa.ldap.csn.Csn;
import io.stoa.ldap.csn.Position;
import io.stoa.operation.ReadSource;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** What a realm makes of what is read, told and written. */
class CoherenceDomainTest extends DomainFixture {
  private static final DateTimeFormatter STAMP =
      DateTimeFormatter.ofPattern("uuuuMMddHHmmss").withZone(ZoneOffset.UTC);

  @Test
  void noViewRestsOnAFeedBeforeItIsLive() {
    CoherenceDomain domain = domain();
    assertThat(open(domain, ANN, 0, "(objectClass=*)")).isNull();
    assertThat(domain.state()).isEqualTo(DomainState.COLD);
    domain.feed().onLive(upTo(1));
    own.run();
    assertThat(domain.state()).isEqualTo(DomainState.LIVE);
    assertThat(open(domain, ANN, 0, "(objectClass=*)")).isNotNull();
    assertThat(applied).containsExactly(upTo(1));
  }

  /** Its server may count a change, which the feed need not tell then, before reads show it. */
  @Test
  void aReadRightAfterTheFeedBeginsIsOutOfRange() {
    CoherenceDomain domain = live();
    domain.feed().onGap(FeedGap.HISTORY_LOST);
    domain.feed().onLive(upTo(1));
    own.run();
    assertThat(fill(domain, 1).refusal()).isEqualTo(Refusal.OUT_OF_RANGE);
    own.pass(DomainConfig.SETTLE.toMillis());
    assertThat(fill(domain, 1).refusal()).isEqualTo(Refusal.OUT_OF_RANGE);
    own.pass(1);
    assertThat(fill(domain, 1).refusal()).isNull();
  }

  @Test
  void aViewIsLiveOnceItIsVisibleWhileTheLeaseHolds() {
    CoherenceDomain domain = live();
    View view = fill(domain, 1).view();
    assertThat(view.state()).isEqualTo(ViewState.AGE_ONLY);
    own.pass(100);
    assertThat(view.isLive(own.now())).isTrue();
    lease = false;
    assertThat(view.isLive(own.now())).isFalse();
    assertThat(view.isInvalid()).isFalse();
    assertThat(killed).isEmpty();
  }

  @Test
  void aChangeInvalidatesViewsBeforeItsPositionIsCovered() {
    CoherenceDomain domain = live();
    View view = valid(domain, 1);
    report(domain, modified(1, person(ANN, "New"), 2));
    assertThat(view.isInvalid()).isTrue();
    assertThat(killed).containsExactly(InvalidationCause.CHANGE);
    assertThat(applied).last().isEqualTo(upTo(2));
    assertThat(domain.status().invalidations()).containsEntry(InvalidationCause.CHANGE, 1L);
    assertThat(domain.status().views()).isZero();
  }

  @Test
  void aReadFromBeforeAChangeIsRefused() {
    CoherenceDomain domain = live();
    ReadStart readStart = open(domain, ANN, 0, "(objectClass=*)");
    report(domain, modified(1, person(ANN, "New"), 2));
    Admission settled = domain.admit(readStart, showing(1, 1, ANN), from(HOME, Position.NONE));
    assertThat(settled.refusal()).isEqualTo(Refusal.STALE);
    assertThat(domain.status().refusals()).containsEntry(Refusal.STALE, 1L);
    assertThat(domain.status().views()).isZero();
    assertThat(fill(domain, 2).view()).isNotNull();
  }

  @Test
  void aReadOfALaggingReplicaIsRefused() {
    CoherenceDomain domain = live();
    report(domain, modified(1, person(ANN, "New"), 2));
    own.pass(60_000);
    ReadStart readStart = open(domain, ANN, 0, "(objectClass=*)");
    assertThat(domain.admit(readStart, showing(1, 1, ANN), from(REPLICA, upTo(1))).refusal())
        .isEqualTo(Refusal.STALE);
    assertThat(domain.admit(readStart, showing(1, 2, ANN), from(REPLICA, upTo(1))).refusal())
        .isNull();
    assertThat(domain.admit(readStart, showing(1, 2, ANN), from(REPLICA, Position.NONE)).refusal())
        .isEqualTo(Refusal.OUT_OF_RANGE);
  }

  @Test
  void aReadDuringTheSettleTimeIsRefused() {
    CoherenceDomain domain = live();
    report(domain, modified(1, person(ANN, "New"), 2));
    privileged.shows(ANN, 1, 2);
    own.pass(399);
    assertThat(fill(domain, 1).refusal()).isEqualTo(Refusal.STALE);
    own.pass(2);
    assertThat(fill(domain, 1).view()).isNotNull();
  }

  /** Its transaction goes on: what is read meanwhile is as old as if it had not been told. */
  @Test
  void aLongTransactionIsAwaitedUntilALaterChangeIsShown() {
    CoherenceDomain domain = live();
    report(domain, modified(1, person(ANN, "New"), 2));
    for (int i = 3; i < 100; i++) {
      own.pass(1_000);
      report(domain, modified(2, person("cn=b,ou=q,dc=x", "B"), i)); // in the same transaction
      assertThat(fill(domain, 1).view()).isNull();
    }
    ReadStart before = open(domain, ANN, 0, "(objectClass=*)");
    privileged.shows(ANN, 1, 2);
    privileged.shows("cn=b,ou=q,dc=x", 2, 99);
    own.pass(1_000);
    ReadSource had = from(HOME, upTo(99));
    assertThat(domain.admit(before, showing(1, 1, ANN), had).view()).isNull();
    valid(domain, 2);
  }

  /** It was aborted, perhaps a long time ago. */
  @Test
  void anAbortedTransactionIsDroppedAfterTheQuietTime() {
    CoherenceDomain domain = live();
    report(domain, modified(1, person(ANN, "New"), 2));
    own.pass(CommitTracker.PATIENCE.toMillis() - 100);
    assertThat(fill(domain, 1).view()).isNull();
    own.pass(1_000);
    valid(domain, 1);
  }

  /** Whoever else is shown with a later count has written when that transaction was over. */
  @Test
  void anAbortedTransactionIsDroppedWhenALaterChangeIsShown() {
    CoherenceDomain domain = live();
    report(domain, modified(1, person(ANN, "New"), 2));
    own.pass(1_000);
    assertThat(fill(domain, 1).view()).isNull();
    report(domain, modified(2, person("cn=b,ou=q,dc=x", "B"), 3));
    privileged.shows("cn=b,ou=q,dc=x", 2, 3);
    own.pass(1_000);
    valid(domain, 1);
  }

  @Test
  void aDeleteIsConfirmedByTheMissingEntry() {
    CoherenceDomain domain = live();
    report(domain, deleted(1, ANN, 2));
    own.pass(1_000);
    assertThat(fill(domain, 1).view()).isNull();
    privileged.byName.remove(ANN);
    own.pass(1_000);
    ReadStart readStart = open(domain, "ou=p,dc=x", 2, "(sn=x)");
    ReadSource had = from(HOME, Position.NONE);
    assertThat(domain.admit(readStart, new ReadResult(false, List.of()), had).view()).isNotNull();
  }

  /** It was added in the same transaction: nobody has ever seen it. */
  @Test
  void aMissingEntryThatMayNeverHaveExistedConfirmsNothing() {
    CoherenceDomain domain = live();
    report(domain, modified(1, person(ANN, "New"), 2));
    own.pass(100);
    report(domain, modified(2, person("cn=b,ou=q,dc=x", "B"), 3));
    own.pass(100);
    report(domain, deleted(2, "cn=b,ou=q,dc=x", 4));
    own.pass(2_000);
    assertThat(fill(domain, 1).view()).isNull();
  }

  @Test
  void aShownChangeIsReadAtMostOnce() {
    CoherenceDomain domain = live();
    int before = privileged.searches;
    for (int i = 2; i < 102; i++) {
      privileged.shows(ANN, 1, i);
      report(domain, modified(1, person(ANN, "New"), i));
      own.pass(300);
    }
    own.pass(2_000);
    assertThat(privileged.searches - before).isBetween(50, 100);
  }

  @Test
  void anUnansweredReadIsRepeated() {
    CoherenceDomain domain = live();
    report(domain, modified(1, person(ANN, "New"), 2));
    privileged.shows(ANN, 1, 2);
    privileged.broken = true;
    own.pass(5_000);
    ReadStart before = open(domain, ANN, 0, "(objectClass=*)");
    ReadSource had = from(HOME, upTo(2));
    assertThat(domain.admit(before, showing(1, 1, ANN), had).view()).isNull();
    privileged.broken = false;
    own.pass(1_000);
    valid(domain, 2);
  }

  /** What was known of it is forgotten. */
  @Test
  void aDeleteAfterAFlushConfirmsNothing() {
    CoherenceDomain domain = live();
    report(domain, modified(1, person(ANN, "New"), 2));
    report(domain, modified(2, person("cn=b,ou=q,dc=x", "B"), 3));
    domain.flush();
    own.pass(100);
    report(domain, deleted(2, "cn=b,ou=q,dc=x", 4));
    own.pass(2_000);
    assertThat(fill(domain, 1).view()).isNull();
  }

  /** The feed is cut off: what the server commits meanwhile is not told again. */
  @Test
  void aServerIsNotQuietWhileTheFeedIsCut() {
    CoherenceDomain domain = live();
    report(domain, modified(1, person(ANN, "New"), 2));
    domain.feed().onLost("cut");
    own.pass(62_000);
    assertThat(fill(domain, 1).view()).isNull();
    assertThat(domain.status().abortedChanges()).isZero();
    domain.feed().onLive(upTo(2));
    own.pass(5_000);
    assertThat(fill(domain, 1).view()).isNull();
    own.pass(6_000);
    valid(domain, 1);
  }

  /** The server has counted what it does not show yet, and nobody tells it any more. */
  @Test
  void theInitialPositionIsAwaitedUntilItIsShown() {
    Csn now = new Csn(STAMP.format(Instant.now()) + ".000000Z#000000#001#000000");
    CoherenceDomain domain = domain();
    domain.feed().onLive(now.toPosition(CONTEXT));
    privileged.shows("dc=x", 100, 1);
    privileged.shows("ou=p,dc=x", 101, 1);
    privileged.shows(ANN, 1, 1);
    own.pass(2_000);
    assertThat(fill(domain, 1).refusal()).isEqualTo(Refusal.OUT_OF_RANGE);
    privileged.byName.put("cn=z,dc=x", new String[] {uuid(9).toString(), now.text()});
    own.pass(2_000);
    valid(domain, 1);
  }

  @Test
  void anEarlyReadIsRefusedHoweverLateItsAnswer() {
    CoherenceDomain domain = live();
    report(domain, modified(1, person(ANN, "New"), 2));
    ReadStart readStart = open(domain, ANN, 0, "(objectClass=*)");
    own.pass(60_000);
    assertThat(domain.admit(readStart, showing(1, 1, ANN), from(HOME, Position.NONE)).refusal())
        .isEqualTo(Refusal.STALE);
  }

  @Test
  void anAnswerWithoutEntryCsnIsRefused() {
    CoherenceDomain domain = live();
    ReadResult blind =
        new ReadResult(false, List.of(new ReadResult.Shown(uuid(1), null, dn(ANN), octets(ANN))));
    ReadStart readStart = open(domain, ANN, 0, "(objectClass=*)");
    assertThat(domain.admit(readStart, blind, from(HOME, Position.NONE)).refusal())
        .isEqualTo(Refusal.NO_STATE);
  }

  @Test
  void anOwnWriteIsAppliedOnceDespiteItsEcho() {
    CoherenceDomain domain = live();
    valid(domain, 1);
    List<String> order = new ArrayList<>();
    Receipt answered = new Receipt(csn(2), null, own.now(), Reporter.OWN_WRITE);
    domain.applyOwnWrite(
        new Modified(uuid(1), dn(ANN), person(ANN, "New"), answered), () -> order.add("answered"));
    assertThat(order).isEmpty();
    own.run();
    assertThat(order).containsExactly("answered");
    assertThat(killed).containsExactly(InvalidationCause.CHANGE);
    privileged.shows(ANN, 1, 2);
    View next = valid(domain, 2);
    report(domain, modified(1, person(ANN, "New"), 2));
    assertThat(next.isLive(own.now())).isTrue();
    assertThat(applied).last().isEqualTo(upTo(2));
    assertThat(domain.status().duplicates()).isEqualTo(1);
  }

  @Test
  void anEchoOfAnOlderWriteDoesNotUndoANewerOne() {
    CoherenceDomain domain = live();
    Receipt answered = new Receipt(csn(10), null, own.now(), Reporter.OWN_WRITE);
    domain.applyOwnWrite(new Modified(uuid(1), dn(ANN), person(ANN, "New"), answered), () -> {});
    own.run();
    ReadStart readStart = open(domain, ANN, 0, "(objectClass=*)");
    report(domain, modified(1, person(ANN, "Older"), 9));
    assertThat(domain.admit(readStart, showing(1, 9, ANN), from(HOME, Position.NONE)).refusal())
        .isEqualTo(Refusal.STALE);
    assertThat(domain.admit(readStart, showing(1, 10, ANN), from(HOME, Position.NONE)).view())
        .isNotNull();
  }

  /** It is told by its UUID alone, as in a refresh, that what was above is not to be seen now. */
  @Test
  void aDeleteWithoutACsnInvalidatesTheSubtree() {
    CoherenceDomain domain = live();
    View view = valid(domain, 1);
    report(domain, new Deleted(uuid(101), null, unmarked(null)));
    assertThat(view.isInvalid()).isTrue();
  }

  /** Two clients have modified an entry, and the feed has told of the later one first. */
  @Test
  void aLateOwnWriteInvalidatesOnlyViewsOfItsEntry() {
    CoherenceDomain domain = live();
    ReadStart readStart = open(domain, "ou=p,dc=x", 2, "(sn=jones)");
    View others =
        domain.admit(readStart, new ReadResult(false, List.of()), from(HOME, Position.NONE)).view();
    own.pass(100);
    report(domain, modified(1, person(ANN, "Later"), 3));
    Receipt answered = new Receipt(csn(2), null, own.now(), Reporter.OWN_WRITE);
    domain.applyOwnWrite(
        new Modified(uuid(1), dn(ANN), person(ANN, "Earlier"), answered), () -> {});
    own.run();
    assertThat(others.state()).isEqualTo(ViewState.VALID);
  }

  /** Of a transaction that was aborted nothing is left but what the feed has told. */
  @Test
  void aPhantomDoesNotHideAnOlderChangeOfAnotherServer() {
    CoherenceDomain domain = live();
    report(domain, modified(1, person(ANN, "Phantom"), 10));
    own.pass(CommitTracker.PATIENCE.toMillis() + 1_000);
    View view = valid(domain, 1);
    Receipt older = new Receipt(csn(9, "002"), null, own.now(), Reporter.FEED);
    report(domain, new Modified(uuid(1), dn(ANN), person(ANN, "Real"), older));
    assertThat(view.isInvalid()).isTrue();
  }

  @Test
  void aGapInvalidatesEverythingAtOnce() {
    CoherenceDomain domain = live();
    View view = valid(domain, 1);
    ReadStart readStart = open(domain, ANN, 0, "(objectClass=*)");
    domain.feed().onGap(FeedGap.REFRESH_REQUIRED);
    own.run();
    assertThat(domain.state()).isEqualTo(DomainState.COLD);
    assertThat(view.isInvalid()).isTrue();
    assertThat(view.isLive(own.now())).isFalse();
    domain.feed().onLive(upTo(50));
    own.run();
    assertThat(domain.admit(readStart, showing(1, 1, ANN), from(HOME, upTo(90))).refusal())
        .isEqualTo(Refusal.NO_FEED);
    assertThat(domain.status().gaps()).isEqualTo(1);
    assertThat(domain.status().covered()).isEqualTo(upTo(50));
    view.onEvicted();
  }

  @Test
  void changesOfARefreshAfterAGapAreCovered() {
    CoherenceDomain domain = live();
    domain.feed().onGap(FeedGap.HISTORY_LOST);
    report(domain, modified(1, person(ANN, "New"), 2));
    domain.feed().onLive(upTo(2));
    own.run();
    ReadStart readStart = open(domain, ANN, 0, "(objectClass=*)");
    assertThat(domain.admit(readStart, showing(1, 1, ANN), from(REPLICA, upTo(1))).refusal())
        .isEqualTo(Refusal.OUT_OF_RANGE);
  }

  @Test
  void viewsKeptDuringACutResumeWithTheFeed() {
    CoherenceDomain domain = live();
    View view = valid(domain, 1);
    domain.feed().onLost("cut");
    own.run();
    assertThat(domain.state()).isEqualTo(DomainState.SUSPENDED);
    assertThat(view.isInvalid()).isFalse();
    domain.feed().onLive(upTo(3));
    own.run();
    assertThat(domain.state()).isEqualTo(DomainState.LIVE);
    assertThat(view.isLive(own.now())).isTrue();
    domain.feed().onLost("cut");
    report(domain, modified(1, person(ANN, "New"), 4));
    domain.feed().onLive(upTo(4));
    own.run();
    assertThat(view.isInvalid()).isTrue();
  }

  @Test
  void aFlushKeepsTheFeedsState() {
    CoherenceDomain domain = live();
    View view = valid(domain, 1);
    domain.flush();
    own.run();
    assertThat(view.isInvalid()).isTrue();
    assertThat(domain.state()).isEqualTo(DomainState.LIVE);
    assertThat(valid(domain, 1).isLive(own.now())).isTrue();
    domain.feed().onLost("cut");
    domain.flush();
    own.run();
    assertThat(domain.state()).isEqualTo(DomainState.SUSPENDED);
  }

  private void write(CoherenceDomain domain, Csn csn) {
    Receipt answered = new Receipt(csn, null, own.now(), Reporter.OWN_WRITE);
    domain.applyOwnWrite(new Modified(uuid(1), dn(ANN), person(ANN, "New"), answered), () -> {});
    own.run();
  }

  private void add(CoherenceDomain domain, int entry, String name, String sn) {
    Receipt answered = new Receipt(csn(10), null, own.now(), Reporter.OWN_WRITE);
    domain.applyOwnWrite(new Modified(uuid(entry), dn(name), person(name, sn), answered), () -> {});
    own.run();
  }

  /**
   * How directories compare values of that type is not known, so it is looked for by its parent.
   */
  @Test
  void anOwnAddInvalidatesOnlyViewsOfItsName() {
    CoherenceDomain domain = live();
    privileged.shows("number=5,ou=p,dc=x", 5, 1);
    ReadStart readStart = open(domain, "ou=p,dc=x", 2, "(sn=miller)");
    View view =
        domain
            .admit(readStart, showing(5, 1, "number=5,ou=p,dc=x"), from(HOME, Position.NONE))
            .view();
    own.pass(1_000);
    add(domain, 6, "cn=bob,ou=p,dc=x", "Smith");
    assertThat(view.state()).isEqualTo(ViewState.VALID);
    add(domain, 7, "number=6,ou=p,dc=x", "Smith");
    assertThat(view.state()).isEqualTo(ViewState.VALID);
    add(domain, 8, "NUMBER=5,ou=p,dc=x", "Smith");
    assertThat(killed).containsExactly(InvalidationCause.DELETE);
  }

  private void overrun(CoherenceDomain domain) {
    domain.flushOverloaded();
    own.run();
  }

  /** Nobody would make void what lacks it before the feed has come to that. */
  @Test
  void readsThatLackAWriteFromBeforeAnOverrunAreRefused() {
    CoherenceDomain domain = live();
    write(domain, csn(10));
    overrun(domain);
    overrun(domain);
    own.pass(1_000);
    assertThat(refused(domain, 1, from(REPLICA, upTo(9)))).isEqualTo(Refusal.OUT_OF_RANGE);
    assertThat(refused(domain, 10, from(REPLICA, upTo(10)))).isNull();
    assertThat(refused(domain, 10, from(HOME, Position.NONE))).isEqualTo(Refusal.OUT_OF_RANGE);
    domain.feed().onCovered(upTo(10));
    own.run();
    assertThat(refused(domain, 10, from(HOME, Position.NONE))).isNull();
  }

  @Test
  void readsThatLackAWriteAtAnUnreportedServerAreRefused() {
    CoherenceDomain domain = live();
    write(domain, csn(10, "002"));
    overrun(domain);
    own.pass(1_000);
    assertThat(refused(domain, 1, from(REPLICA, upTo(20)))).isEqualTo(Refusal.OUT_OF_RANGE);
    Position both = upTo(20).merge(csn(10, "002").toPosition(CONTEXT));
    assertThat(refused(domain, 10, from(REPLICA, both))).isNull();
  }

  /** While the feed goes on after an interruption, it says how far it has come at the end only. */
  @Test
  void readsThatLackAChangeWithoutACookieAreRefused() {
    CoherenceDomain domain = live();
    report(domain, new Modified(uuid(1), dn(ANN), person(ANN, "New"), unmarked(csn(5))));
    privileged.shows(ANN, 1, 5);
    domain.flush();
    domain.feed().onLive(upTo(5));
    own.pass(1_000);
    assertThat(refused(domain, 1, from(REPLICA, upTo(4)))).isEqualTo(Refusal.OUT_OF_RANGE);
    assertThat(refused(domain, 5, from(REPLICA, upTo(5)))).isNull();
  }

  @Test
  void readsRightAfterAnOverrunAreRefused() {
    CoherenceDomain domain = live();
    report(domain, modified(1, person(ANN, "New"), 2));
    privileged.shows(ANN, 1, 2);
    overrun(domain);
    assertThat(refused(domain, 1, from(HOME, upTo(2)))).isEqualTo(Refusal.OUT_OF_RANGE);
    own.pass(1_000);
    assertThat(refused(domain, 2, from(HOME, upTo(2)))).isNull();
  }

  @Test
  void onlyTheNewerOfTwoEntryStatesIsKept() {
    CoherenceDomain domain = live();
    View older = valid(domain, 1);
    View newer = fill(domain, 5).view();
    assertThat(killed).containsExactly(InvalidationCause.NEWER_STATE_SHOWN);
    assertThat(older.isInvalid()).isTrue();
    assertThat(fill(domain, 4).refusal()).isEqualTo(Refusal.STALE);
    assertThat(newer.isInvalid()).isFalse();
  }

  @Test
  void viewsOfHiddenEntriesAreAgeOnly() {
    CoherenceDomain domain = live();
    privileged.byName.remove(ANN);
    View view = fill(domain, 1).view();
    own.pass(2_000);
    assertThat(view.state()).isEqualTo(ViewState.AGE_ONLY);
    assertThat(domain.status().unverified()).isEqualTo(1);
  }

  @Test
  void viewsBelowHiddenEntriesAreAgeOnly() {
    CoherenceDomain domain = live();
    privileged.byName.remove("ou=p,dc=x");
    View view = fill(domain, 1).view();
    own.pass(2_000);
    assertThat(view.state()).isEqualTo(ViewState.AGE_ONLY);
  }

  @Test
  void setsAreAgeOnlyOnceAnEntryIsHidden() {
    CoherenceDomain domain = live();
    privileged.shows("cn=b,ou=p,dc=x", 2, 1);
    ReadStart set = open(domain, "ou=p,dc=x", 2, "(sn=miller)");
    View view =
        domain.admit(set, showing(2, 1, "cn=b,ou=p,dc=x"), from(HOME, Position.NONE)).view();
    own.pass(100);
    assertThat(view.state()).isEqualTo(ViewState.VALID);
    privileged.byName.remove(ANN);
    View hidden = fill(domain, 1).view();
    own.pass(2_000);
    assertThat(hidden.state()).isEqualTo(ViewState.AGE_ONLY);
    assertThat(view.isInvalid()).isTrue();
    assertThat(killed).containsExactly(InvalidationCause.HIDDEN);
    View again =
        domain.admit(set, showing(2, 1, "cn=b,ou=p,dc=x"), from(HOME, Position.NONE)).view();
    own.pass(2_000);
    assertThat(again.state()).isEqualTo(ViewState.AGE_ONLY);
  }

  @Test
  void aPhantomIsNotTakenForAHiddenEntry() {
    CoherenceDomain domain = live();
    report(domain, modified(2, person("cn=b,ou=p,dc=x", "Phantom"), 2));
    own.pass(1_000);
    ReadStart readStart = open(domain, "cn=b,ou=p,dc=x", 0, "(objectClass=*)");
    View view =
        domain.admit(readStart, showing(2, 2, "cn=b,ou=p,dc=x"), from(REPLICA, upTo(2))).view();
    own.pass(2_000);
    assertThat(view.isInvalid()).isTrue();
    assertThat(killed).containsExactly(InvalidationCause.ABORTED);
  }

  @Test
  void viewsStayAgeOnlyWhileTheReaderFails() {
    CoherenceDomain domain = live();
    privileged.broken = true;
    View view = fill(domain, 1).view();
    own.pass(2_000);
    assertThat(view.state()).isEqualTo(ViewState.AGE_ONLY);
  }

  @Test
  void manyViewsAreProvedByFewSearches() {
    CoherenceDomain domain = live();
    for (int i = 10; i < 60; i++) {
      String name = "cn=" + i + ",ou=p,dc=x";
      privileged.shows(name, i, 1);
      ReadStart readStart = open(domain, name, 0, "(objectClass=*)");
      domain.admit(readStart, showing(i, 1, name), from(HOME, Position.NONE));
    }
    own.pass(1_000);
    assertThat(privileged.searches).isEqualTo(3);
    assertThat(domain.status().fills()).isEqualTo(50);
  }

  @Test
  void setsRestOnAFeedWithProvedCoverage() {
    proofs = 3;
    CoherenceDomain domain = live();
    assertThat(set(domain).state()).isEqualTo(ViewState.AGE_ONLY);
    for (int i = 2; i <= 4; i++) {
      domain.onProbed(upTo(i));
      own.run();
      report(domain, modified(50, person("cn=z,ou=q,dc=x", "Z" + i), i));
    }
    assertThat(valid(domain, 1)).isNotNull();
    View view = set(domain);
    assertThat(view.state()).isEqualTo(ViewState.VALID);
    domain.onProbed(upTo(5));
    own.run();
    report(domain, modified(50, person("cn=z,ou=q,dc=x", "Z6"), 6));
    assertThat(view.isInvalid()).isTrue();
    assertThat(domain.status().missedChanges()).isEqualTo(1);
    assertThat(set(domain).state()).isEqualTo(ViewState.AGE_ONLY);
  }

  private View set(CoherenceDomain domain) {
    ReadStart readStart = open(domain, "ou=p,dc=x", 2, "(sn=miller)");
    View view = domain.admit(readStart, showing(1, 1, ANN), from(HOME, Position.NONE)).view();
    own.pass(1_000);
    return view;
  }

  @Test
  void aRenamedSubtreeIsKnownByItsFormerName() {
    CoherenceDomain domain = live();
    View view = valid(domain, 1);
    report(domain, modified(101, unit("ou=renamed,dc=x"), 2));
    assertThat(view.isInvalid()).isTrue();
    assertThat(killed).containsExactly(InvalidationCause.RENAME);
  }

  @Test
  void aChangeAboveAViewIsNoRename() {
    CoherenceDomain domain = live();
    View view = valid(domain, 1);
    report(domain, modified(101, unit("ou=p,dc=x"), 2));
    report(domain, modified(100, unit("dc=x"), 3));
    assertThat(view.isLive(own.now())).isTrue();
  }

  @Test
  void aBaseThatIsDeletedIsKnownByItsIdentifier() {
    CoherenceDomain domain = live();
    ReadStart readStart = open(domain, "ou=p,dc=x", 1, "(sn=jones)");
    View empty =
        domain.admit(readStart, new ReadResult(false, List.of()), from(HOME, Position.NONE)).view();
    own.pass(100);
    assertThat(empty.state()).isEqualTo(ViewState.VALID);
    report(domain, deleted(101, null, 2));
    assertThat(empty.isInvalid()).isTrue();
  }

  @Test
  void anAbsentEntryIsCachedUntilItIsAdded() {
    CoherenceDomain domain = live();
    ReadStart readStart = open(domain, "cn=new,ou=p,dc=x", 0, "(sn=jones)");
    ReadResult missing = new ReadResult(true, List.of());
    View view = domain.admit(readStart, missing, from(HOME, Position.NONE)).view();
    own.pass(100);
    assertThat(view.state()).isEqualTo(ViewState.VALID);
    report(domain, modified(9, person("cn=new,ou=p,dc=x", "Smith"), 2));
    assertThat(view.isInvalid()).isTrue();
    assertThat(domain.admit(readStart, missing, from(HOME, Position.NONE)).refusal())
        .isEqualTo(Refusal.NOT_COMPARABLE);
  }

  @Test
  void passwordsAreNotKept() {
    CoherenceDomain domain = live();
    Map<String, String> secret =
        Map.of("sn", "Miller", "userPassword", "x", "hasSubordinates", "FALSE");
    report(domain, modified(1, image(ANN, secret), 2));
    ReadStart readStart = open(domain, "ou=p,dc=x", 2, "(sn=miller)");
    assertThat(
            domain
                .admit(readStart, new ReadResult(false, List.of()), from(REPLICA, upTo(1)))
                .refusal())
        .isEqualTo(Refusal.NOT_COMPARABLE);
  }

  @Test
  void uncachedAnswersAreValidatedToo() {
    CoherenceDomain domain = live();
    report(domain, modified(1, person(ANN, "New"), 2));
    ReadStart readStart = open(domain, ANN, 0, "(objectClass=*)");
    FillAdmission fills = new FillAdmission(FeedKind.SYNCREPL);
    assertThat(fills.contradiction(readStart, showing(1, 1, ANN), from(REPLICA, upTo(1))))
        .isEqualTo(Refusal.STALE);
    assertThat(fills.contradiction(readStart, showing(1, 2, ANN), from(REPLICA, upTo(1)))).isNull();
    assertThat(domain.status().views()).isZero();
  }

  @Test
  void changesWithoutACookieDoNotMoveThePosition() {
    CoherenceDomain domain = live();
    report(domain, new Modified(uuid(1), dn(ANN), person(ANN, "New"), unmarked(csn(9))));
    assertThat(domain.status().covered()).isEqualTo(upTo(1));
    domain.feed().onCovered(upTo(9));
    own.run();
    assertThat(domain.status().covered()).isEqualTo(upTo(9));
  }

  @Test
  void noTaskIsScheduledForever() {
    CoherenceDomain domain = live();
    report(domain, modified(1, person(ANN, "New"), 2));
    own.pass(10_000);
    assertThat(own.isIdle()).isTrue();
    assertThat(domain.status().ringSize()).isEqualTo(1);
  }

  /** Whoever looks just then sees what is not over. */
  @Test
  void openChangesStayOpenAcrossEpochs() {
    CoherenceDomain domain = live();
    own.pass(11_000);
    report(domain, modified(2, person("cn=b,ou=p,dc=x", "B"), 5)); // and is not shown
    own.pass(1_000);
    List<Long> lags = new ArrayList<>();
    clock =
        () -> {
          lags.add(own.now() - domain.committedUntil(own.now()));
          return own.now();
        };
    domain.flush();
    own.run();
    assertThat(lags).isNotEmpty().allMatch(lag -> lag > 0);
  }
}
