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
class CoherenceDomainTest extends RealmFixture {
  private static final DateTimeFormatter STAMP =
      DateTimeFormatter.ofPattern("uuuuMMddHHmmss").withZone(ZoneOffset.UTC);

  @Test
  void nothingRestsOnAFeedThatHasNotBegun() {
    CoherenceDomain realm = realm();
    assertThat(open(realm, ANN, 0, "(objectClass=*)")).isNull();
    assertThat(realm.state()).isEqualTo(DomainState.COLD);
    realm.feed().onLive(upTo(1));
    own.run();
    assertThat(realm.state()).isEqualTo(DomainState.LIVE);
    assertThat(open(realm, ANN, 0, "(objectClass=*)")).isNotNull();
    assertThat(applied).containsExactly(upTo(1));
  }

  /** Its server may count a change, which the feed need not tell then, before reads show it. */
  @Test
  void whatIsSentJustAfterTheFeedHasBegunDoesNotRestOnIt() {
    CoherenceDomain realm = live();
    realm.feed().onGap(FeedGap.HISTORY_LOST);
    realm.feed().onLive(upTo(1));
    own.run();
    assertThat(fill(realm, 1).refusal()).isEqualTo(Refusal.OUT_OF_RANGE);
    own.pass(DomainConfig.SETTLE.toMillis());
    assertThat(fill(realm, 1).refusal()).isEqualTo(Refusal.OUT_OF_RANGE);
    own.pass(1);
    assertThat(fill(realm, 1).refusal()).isNull();
  }

  @Test
  void aViewIsLiveOnceItIsProvedToBeSeenAndAsLongAsTheLeaseHolds() {
    CoherenceDomain realm = live();
    View view = fill(realm, 1).view();
    assertThat(view.state()).isEqualTo(ViewState.AGE_ONLY);
    own.pass(100);
    assertThat(view.isLive(own.now())).isTrue();
    lease = false;
    assertThat(view.isLive(own.now())).isFalse();
    assertThat(view.isInvalid()).isFalse();
    assertThat(killed).isEmpty();
  }

  @Test
  void aChangeKillsWhatShowsItBeforeItsPositionIsTold() {
    CoherenceDomain realm = live();
    View view = valid(realm, 1);
    tell(realm, modified(1, person(ANN, "New"), 2));
    assertThat(view.isInvalid()).isTrue();
    assertThat(killed).containsExactly(InvalidationCause.CHANGE);
    assertThat(applied).last().isEqualTo(upTo(2));
    assertThat(realm.status().invalidations()).containsEntry(InvalidationCause.CHANGE, 1L);
    assertThat(realm.status().views()).isZero();
  }

  @Test
  void whatWasReadBeforeAChangeIsNotKeptAfterIt() {
    CoherenceDomain realm = live();
    ReadStart opening = open(realm, ANN, 0, "(objectClass=*)");
    tell(realm, modified(1, person(ANN, "New"), 2));
    Admission settled = realm.admit(opening, showing(1, 1, ANN), from(HOME, Position.NONE));
    assertThat(settled.refusal()).isEqualTo(Refusal.STALE);
    assertThat(realm.status().refusals()).containsEntry(Refusal.STALE, 1L);
    assertThat(realm.status().views()).isZero();
    assertThat(fill(realm, 2).view()).isNotNull();
  }

  @Test
  void aReplicaThatLagsBehindIsNotBelieved() {
    CoherenceDomain realm = live();
    tell(realm, modified(1, person(ANN, "New"), 2));
    own.pass(60_000);
    ReadStart opening = open(realm, ANN, 0, "(objectClass=*)");
    assertThat(realm.admit(opening, showing(1, 1, ANN), from(REPLICA, upTo(1))).refusal())
        .isEqualTo(Refusal.STALE);
    assertThat(realm.admit(opening, showing(1, 2, ANN), from(REPLICA, upTo(1))).refusal()).isNull();
    assertThat(realm.admit(opening, showing(1, 2, ANN), from(REPLICA, Position.NONE)).refusal())
        .isEqualTo(Refusal.OUT_OF_RANGE);
  }

  @Test
  void aChangeThatIsAnnouncedBeforeItIsThereIsWaitedFor() {
    CoherenceDomain realm = live();
    tell(realm, modified(1, person(ANN, "New"), 2));
    privileged.shows(ANN, 1, 2);
    own.pass(399);
    assertThat(fill(realm, 1).refusal()).isEqualTo(Refusal.STALE);
    own.pass(2);
    assertThat(fill(realm, 1).view()).isNotNull();
  }

  /** Its transaction goes on: what is read meanwhile is as old as if it had not been told. */
  @Test
  void aChangeThatIsNotShownForLongIsWaitedForUntilAnythingLaterIsShown() {
    CoherenceDomain realm = live();
    tell(realm, modified(1, person(ANN, "New"), 2));
    for (int i = 3; i < 100; i++) {
      own.pass(1_000);
      tell(realm, modified(2, person("cn=b,ou=q,dc=x", "B"), i)); // in the same transaction
      assertThat(fill(realm, 1).view()).isNull();
    }
    ReadStart before = open(realm, ANN, 0, "(objectClass=*)");
    privileged.shows(ANN, 1, 2);
    privileged.shows("cn=b,ou=q,dc=x", 2, 99);
    own.pass(1_000);
    ReadSource had = from(HOME, upTo(99));
    assertThat(realm.admit(before, showing(1, 1, ANN), had).view()).isNull();
    valid(realm, 2);
  }

  /** It was aborted, perhaps a long time ago. */
  @Test
  void aChangeThatIsNeverShownIsNotWaitedForWhenTheServerHasBeenQuietForLong() {
    CoherenceDomain realm = live();
    tell(realm, modified(1, person(ANN, "New"), 2));
    own.pass(CommitTracker.PATIENCE.toMillis() - 100);
    assertThat(fill(realm, 1).view()).isNull();
    own.pass(1_000);
    valid(realm, 1);
  }

  /** Whoever else is shown with a later count has written when that transaction was over. */
  @Test
  void aChangeThatIsNeverShownIsNotWaitedForWhenALaterOneIsShown() {
    CoherenceDomain realm = live();
    tell(realm, modified(1, person(ANN, "New"), 2));
    own.pass(1_000);
    assertThat(fill(realm, 1).view()).isNull();
    tell(realm, modified(2, person("cn=b,ou=q,dc=x", "B"), 3));
    privileged.shows("cn=b,ou=q,dc=x", 2, 3);
    own.pass(1_000);
    valid(realm, 1);
  }

  @Test
  void whatIsGoneIsKnownToBeGoneWhenItIsNotShownAnyMore() {
    CoherenceDomain realm = live();
    tell(realm, deleted(1, ANN, 2));
    own.pass(1_000);
    assertThat(fill(realm, 1).view()).isNull();
    privileged.byName.remove(ANN);
    own.pass(1_000);
    ReadStart opening = open(realm, "ou=p,dc=x", 2, "(sn=x)");
    ReadSource had = from(HOME, Position.NONE);
    assertThat(realm.admit(opening, new ReadResult(false, List.of()), had).view()).isNotNull();
  }

  /** It was added in the same transaction: nobody has ever seen it. */
  @Test
  void thatAnEntryIsNotThereSaysNothingIfItMayNeverHaveBeenThere() {
    CoherenceDomain realm = live();
    tell(realm, modified(1, person(ANN, "New"), 2));
    own.pass(100);
    tell(realm, modified(2, person("cn=b,ou=q,dc=x", "B"), 3));
    own.pass(100);
    tell(realm, deleted(2, "cn=b,ou=q,dc=x", 4));
    own.pass(2_000);
    assertThat(fill(realm, 1).view()).isNull();
  }

  @Test
  void aChangeThatIsShownIsAskedForOnceAtMost() {
    CoherenceDomain realm = live();
    int before = privileged.searches;
    for (int i = 2; i < 102; i++) {
      privileged.shows(ANN, 1, i);
      tell(realm, modified(1, person(ANN, "New"), i));
      own.pass(300);
    }
    own.pass(2_000);
    assertThat(privileged.searches - before).isBetween(50, 100);
  }

  @Test
  void ifThereIsNoAnswerItIsAskedAgain() {
    CoherenceDomain realm = live();
    tell(realm, modified(1, person(ANN, "New"), 2));
    privileged.shows(ANN, 1, 2);
    privileged.broken = true;
    own.pass(5_000);
    ReadStart before = open(realm, ANN, 0, "(objectClass=*)");
    ReadSource had = from(HOME, upTo(2));
    assertThat(realm.admit(before, showing(1, 1, ANN), had).view()).isNull();
    privileged.broken = false;
    own.pass(1_000);
    valid(realm, 2);
  }

  /** What was known of it is forgotten. */
  @Test
  void norIfAllIsVoidMeanwhile() {
    CoherenceDomain realm = live();
    tell(realm, modified(1, person(ANN, "New"), 2));
    tell(realm, modified(2, person("cn=b,ou=q,dc=x", "B"), 3));
    realm.flush();
    own.pass(100);
    tell(realm, deleted(2, "cn=b,ou=q,dc=x", 4));
    own.pass(2_000);
    assertThat(fill(realm, 1).view()).isNull();
  }

  /** The feed is cut off: what the server commits meanwhile is not told again. */
  @Test
  void aServerThatIsNotHeardIsNotQuiet() {
    CoherenceDomain realm = live();
    tell(realm, modified(1, person(ANN, "New"), 2));
    realm.feed().onLost("cut");
    own.pass(62_000);
    assertThat(fill(realm, 1).view()).isNull();
    assertThat(realm.status().phantoms()).isZero();
    realm.feed().onLive(upTo(2));
    own.pass(5_000);
    assertThat(fill(realm, 1).view()).isNull();
    own.pass(6_000);
    valid(realm, 1);
  }

  /** The server has counted what it does not show yet, and nobody tells it any more. */
  @Test
  void whereAFeedBeginsIsWaitedForUntilItIsShown() {
    Csn now = new Csn(STAMP.format(Instant.now()) + ".000000Z#000000#001#000000");
    CoherenceDomain realm = realm();
    realm.feed().onLive(now.toPosition(CONTEXT));
    privileged.shows("dc=x", 100, 1);
    privileged.shows("ou=p,dc=x", 101, 1);
    privileged.shows(ANN, 1, 1);
    own.pass(2_000);
    assertThat(fill(realm, 1).refusal()).isEqualTo(Refusal.OUT_OF_RANGE);
    privileged.byName.put("cn=z,dc=x", new String[] {uuid(9).toString(), now.text()});
    own.pass(2_000);
    valid(realm, 1);
  }

  @Test
  void aReadThatWasSentTooEarlyIsNotBelievedHoweverLateItIsAnswered() {
    CoherenceDomain realm = live();
    tell(realm, modified(1, person(ANN, "New"), 2));
    ReadStart opening = open(realm, ANN, 0, "(objectClass=*)");
    own.pass(60_000);
    assertThat(realm.admit(opening, showing(1, 1, ANN), from(HOME, Position.NONE)).refusal())
        .isEqualTo(Refusal.STALE);
  }

  @Test
  void anAnswerThatDoesNotShowItsStateRestsOnItsAge() {
    CoherenceDomain realm = live();
    ReadResult blind =
        new ReadResult(false, List.of(new ReadResult.Shown(uuid(1), null, dn(ANN), octets(ANN))));
    ReadStart opening = open(realm, ANN, 0, "(objectClass=*)");
    assertThat(realm.admit(opening, blind, from(HOME, Position.NONE)).refusal())
        .isEqualTo(Refusal.NO_STATE);
  }

  @Test
  void anOwnWriteIsAppliedOnceThoughTheFeedTellsItAgain() {
    CoherenceDomain realm = live();
    valid(realm, 1);
    List<String> order = new ArrayList<>();
    Receipt answered = new Receipt(csn(2), null, own.now(), Reporter.OWN_WRITE);
    realm.applyOwnWrite(
        new Modified(uuid(1), dn(ANN), person(ANN, "New"), answered), () -> order.add("answered"));
    assertThat(order).isEmpty();
    own.run();
    assertThat(order).containsExactly("answered");
    assertThat(killed).containsExactly(InvalidationCause.CHANGE);
    privileged.shows(ANN, 1, 2);
    View next = valid(realm, 2);
    tell(realm, modified(1, person(ANN, "New"), 2));
    assertThat(next.isLive(own.now())).isTrue();
    assertThat(applied).last().isEqualTo(upTo(2));
    assertThat(realm.status().duplicates()).isEqualTo(1);
  }

  @Test
  void anEchoOfAnOlderWriteDoesNotUndoANewerOne() {
    CoherenceDomain realm = live();
    Receipt answered = new Receipt(csn(10), null, own.now(), Reporter.OWN_WRITE);
    realm.applyOwnWrite(new Modified(uuid(1), dn(ANN), person(ANN, "New"), answered), () -> {});
    own.run();
    ReadStart opening = open(realm, ANN, 0, "(objectClass=*)");
    tell(realm, modified(1, person(ANN, "Older"), 9));
    assertThat(realm.admit(opening, showing(1, 9, ANN), from(HOME, Position.NONE)).refusal())
        .isEqualTo(Refusal.STALE);
    assertThat(realm.admit(opening, showing(1, 10, ANN), from(HOME, Position.NONE)).view())
        .isNotNull();
  }

  /** It is told by its UUID alone, as in a refresh, that what was above is not to be seen now. */
  @Test
  void aSubtreeThatIsGoneWithoutACountTakesAllBelowItAlong() {
    CoherenceDomain realm = live();
    View view = valid(realm, 1);
    tell(realm, new Deleted(uuid(101), null, unmarked(null)));
    assertThat(view.isInvalid()).isTrue();
  }

  /** Two clients have modified an entry, and the feed has told of the later one first. */
  @Test
  void aWriteThatIsLateConcernsNobodyWhoDoesNotShowItsEntry() {
    CoherenceDomain realm = live();
    ReadStart opening = open(realm, "ou=p,dc=x", 2, "(sn=jones)");
    View others =
        realm.admit(opening, new ReadResult(false, List.of()), from(HOME, Position.NONE)).view();
    own.pass(100);
    tell(realm, modified(1, person(ANN, "Later"), 3));
    Receipt answered = new Receipt(csn(2), null, own.now(), Reporter.OWN_WRITE);
    realm.applyOwnWrite(new Modified(uuid(1), dn(ANN), person(ANN, "Earlier"), answered), () -> {});
    own.run();
    assertThat(others.state()).isEqualTo(ViewState.VALID);
  }

  /** Of a transaction that was aborted nothing is left but what the feed has told. */
  @Test
  void whatNeverWasDoesNotHideAnOlderChangeOfAnotherServer() {
    CoherenceDomain realm = live();
    tell(realm, modified(1, person(ANN, "Phantom"), 10));
    own.pass(CommitTracker.PATIENCE.toMillis() + 1_000);
    View view = valid(realm, 1);
    Receipt older = new Receipt(csn(9, "002"), null, own.now(), Reporter.FEED);
    tell(realm, new Modified(uuid(1), dn(ANN), person(ANN, "Real"), older));
    assertThat(view.isInvalid()).isTrue();
  }

  @Test
  void aGapMakesEverythingVoidAtOnce() {
    CoherenceDomain realm = live();
    View view = valid(realm, 1);
    ReadStart opening = open(realm, ANN, 0, "(objectClass=*)");
    realm.feed().onGap(FeedGap.REFRESH_REQUIRED);
    own.run();
    assertThat(realm.state()).isEqualTo(DomainState.COLD);
    assertThat(view.isInvalid()).isTrue();
    assertThat(view.isLive(own.now())).isFalse();
    realm.feed().onLive(upTo(50));
    own.run();
    assertThat(realm.admit(opening, showing(1, 1, ANN), from(HOME, upTo(90))).refusal())
        .isEqualTo(Refusal.NO_FEED);
    assertThat(realm.status().gaps()).isEqualTo(1);
    assertThat(realm.status().covered()).isEqualTo(upTo(50));
    view.onEvicted();
  }

  @Test
  void whatIsToldInARefreshAfterAGapIsNotMissed() {
    CoherenceDomain realm = live();
    realm.feed().onGap(FeedGap.HISTORY_LOST);
    tell(realm, modified(1, person(ANN, "New"), 2));
    realm.feed().onLive(upTo(2));
    own.run();
    ReadStart opening = open(realm, ANN, 0, "(objectClass=*)");
    assertThat(realm.admit(opening, showing(1, 1, ANN), from(REPLICA, upTo(1))).refusal())
        .isEqualTo(Refusal.OUT_OF_RANGE);
  }

  @Test
  void whatIsKeptWhileTheFeedIsCutOffGoesOnWithIt() {
    CoherenceDomain realm = live();
    View view = valid(realm, 1);
    realm.feed().onLost("cut");
    own.run();
    assertThat(realm.state()).isEqualTo(DomainState.SUSPENDED);
    assertThat(view.isInvalid()).isFalse();
    realm.feed().onLive(upTo(3));
    own.run();
    assertThat(realm.state()).isEqualTo(DomainState.LIVE);
    assertThat(view.isLive(own.now())).isTrue();
    realm.feed().onLost("cut");
    tell(realm, modified(1, person(ANN, "New"), 4));
    realm.feed().onLive(upTo(4));
    own.run();
    assertThat(view.isInvalid()).isTrue();
  }

  @Test
  void aFlushLeavesTheFeedAsItIs() {
    CoherenceDomain realm = live();
    View view = valid(realm, 1);
    realm.flush();
    own.run();
    assertThat(view.isInvalid()).isTrue();
    assertThat(realm.state()).isEqualTo(DomainState.LIVE);
    assertThat(valid(realm, 1).isLive(own.now())).isTrue();
    realm.feed().onLost("cut");
    realm.flush();
    own.run();
    assertThat(realm.state()).isEqualTo(DomainState.SUSPENDED);
  }

  private void write(CoherenceDomain realm, Csn csn) {
    Receipt answered = new Receipt(csn, null, own.now(), Reporter.OWN_WRITE);
    realm.applyOwnWrite(new Modified(uuid(1), dn(ANN), person(ANN, "New"), answered), () -> {});
    own.run();
  }

  private void add(CoherenceDomain realm, int entry, String name, String sn) {
    Receipt answered = new Receipt(csn(10), null, own.now(), Reporter.OWN_WRITE);
    realm.applyOwnWrite(new Modified(uuid(entry), dn(name), person(name, sn), answered), () -> {});
    own.run();
  }

  /**
   * How directories compare values of that type is not known, so it is looked for by its parent.
   */
  @Test
  void whatIsAddedThroughStoaConcernsOnlyWhoShowsAnotherByItsName() {
    CoherenceDomain realm = live();
    privileged.shows("number=5,ou=p,dc=x", 5, 1);
    ReadStart opening = open(realm, "ou=p,dc=x", 2, "(sn=miller)");
    View view =
        realm.admit(opening, showing(5, 1, "number=5,ou=p,dc=x"), from(HOME, Position.NONE)).view();
    own.pass(1_000);
    add(realm, 6, "cn=bob,ou=p,dc=x", "Smith");
    assertThat(view.state()).isEqualTo(ViewState.VALID);
    add(realm, 7, "number=6,ou=p,dc=x", "Smith");
    assertThat(view.state()).isEqualTo(ViewState.VALID);
    add(realm, 8, "NUMBER=5,ou=p,dc=x", "Smith");
    assertThat(killed).containsExactly(InvalidationCause.DELETE);
  }

  private void overrun(CoherenceDomain realm) {
    realm.flushOverloaded();
    own.run();
  }

  /** Nobody would make void what lacks it before the feed has come to that. */
  @Test
  void whoLacksWhatWasWrittenBeforeAnOverrunIsNotBelievedAfterIt() {
    CoherenceDomain realm = live();
    write(realm, csn(10));
    overrun(realm);
    overrun(realm);
    own.pass(1_000);
    assertThat(refused(realm, 1, from(REPLICA, upTo(9)))).isEqualTo(Refusal.OUT_OF_RANGE);
    assertThat(refused(realm, 10, from(REPLICA, upTo(10)))).isNull();
    assertThat(refused(realm, 10, from(HOME, Position.NONE))).isEqualTo(Refusal.OUT_OF_RANGE);
    realm.feed().onCovered(upTo(10));
    own.run();
    assertThat(refused(realm, 10, from(HOME, Position.NONE))).isNull();
  }

  @Test
  void soItIsWithWhatWasWrittenAtAServerOfWhichTheFeedHasToldNothing() {
    CoherenceDomain realm = live();
    write(realm, csn(10, "002"));
    overrun(realm);
    own.pass(1_000);
    assertThat(refused(realm, 1, from(REPLICA, upTo(20)))).isEqualTo(Refusal.OUT_OF_RANGE);
    Position both = upTo(20).merge(csn(10, "002").toPosition(CONTEXT));
    assertThat(refused(realm, 10, from(REPLICA, both))).isNull();
  }

  /** While the feed goes on after an interruption, it says how far it has come at the end only. */
  @Test
  void soItIsWithWhatTheFeedHasToldBeforeItSaysHowFarItHasCome() {
    CoherenceDomain realm = live();
    tell(realm, new Modified(uuid(1), dn(ANN), person(ANN, "New"), unmarked(csn(5))));
    privileged.shows(ANN, 1, 5);
    realm.flush();
    realm.feed().onLive(upTo(5));
    own.pass(1_000);
    assertThat(refused(realm, 1, from(REPLICA, upTo(4)))).isEqualTo(Refusal.OUT_OF_RANGE);
    assertThat(refused(realm, 5, from(REPLICA, upTo(5)))).isNull();
  }

  @Test
  void whatWasToldJustBeforeAnOverrunMayNotBeShownYetAfterIt() {
    CoherenceDomain realm = live();
    tell(realm, modified(1, person(ANN, "New"), 2));
    privileged.shows(ANN, 1, 2);
    overrun(realm);
    assertThat(refused(realm, 1, from(HOME, upTo(2)))).isEqualTo(Refusal.OUT_OF_RANGE);
    own.pass(1_000);
    assertThat(refused(realm, 2, from(HOME, upTo(2)))).isNull();
  }

  @Test
  void ofTwoStatesOfOneEntryOnlyTheNewerOneIsKept() {
    CoherenceDomain realm = live();
    View older = valid(realm, 1);
    View newer = fill(realm, 5).view();
    assertThat(killed).containsExactly(InvalidationCause.NEWER_STATE_SHOWN);
    assertThat(older.isInvalid()).isTrue();
    assertThat(fill(realm, 4).refusal()).isEqualTo(Refusal.STALE);
    assertThat(newer.isInvalid()).isFalse();
  }

  @Test
  void whatTheFeedDoesNotSeeRestsOnItsAge() {
    CoherenceDomain realm = live();
    privileged.byName.remove(ANN);
    View view = fill(realm, 1).view();
    own.pass(2_000);
    assertThat(view.state()).isEqualTo(ViewState.AGE_ONLY);
    assertThat(realm.status().unproved()).isEqualTo(1);
  }

  @Test
  void belowWhatTheFeedDoesNotSeeNothingRestsOnIt() {
    CoherenceDomain realm = live();
    privileged.byName.remove("ou=p,dc=x");
    View view = fill(realm, 1).view();
    own.pass(2_000);
    assertThat(view.state()).isEqualTo(ViewState.AGE_ONLY);
  }

  @Test
  void whereSomethingIsHiddenNoSetRestsOnTheFeed() {
    CoherenceDomain realm = live();
    privileged.shows("cn=b,ou=p,dc=x", 2, 1);
    ReadStart set = open(realm, "ou=p,dc=x", 2, "(sn=miller)");
    View view = realm.admit(set, showing(2, 1, "cn=b,ou=p,dc=x"), from(HOME, Position.NONE)).view();
    own.pass(100);
    assertThat(view.state()).isEqualTo(ViewState.VALID);
    privileged.byName.remove(ANN);
    View hidden = fill(realm, 1).view();
    own.pass(2_000);
    assertThat(hidden.state()).isEqualTo(ViewState.AGE_ONLY);
    assertThat(view.isInvalid()).isTrue();
    assertThat(killed).containsExactly(InvalidationCause.HIDDEN);
    View again =
        realm.admit(set, showing(2, 1, "cn=b,ou=p,dc=x"), from(HOME, Position.NONE)).view();
    own.pass(2_000);
    assertThat(again.state()).isEqualTo(ViewState.AGE_ONLY);
  }

  @Test
  void anEntryThatNeverWasIsNotTakenForAHiddenOne() {
    CoherenceDomain realm = live();
    tell(realm, modified(2, person("cn=b,ou=p,dc=x", "Phantom"), 2));
    own.pass(1_000);
    ReadStart opening = open(realm, "cn=b,ou=p,dc=x", 0, "(objectClass=*)");
    View view =
        realm.admit(opening, showing(2, 2, "cn=b,ou=p,dc=x"), from(REPLICA, upTo(2))).view();
    own.pass(2_000);
    assertThat(view.isInvalid()).isTrue();
    assertThat(killed).containsExactly(InvalidationCause.PHANTOM);
  }

  @Test
  void nothingIsProvedWhileNobodyCanBeAsked() {
    CoherenceDomain realm = live();
    privileged.broken = true;
    View view = fill(realm, 1).view();
    own.pass(2_000);
    assertThat(view.state()).isEqualTo(ViewState.AGE_ONLY);
  }

  @Test
  void manyAreProvedByFewSearches() {
    CoherenceDomain realm = live();
    for (int i = 10; i < 60; i++) {
      String name = "cn=" + i + ",ou=p,dc=x";
      privileged.shows(name, i, 1);
      ReadStart opening = open(realm, name, 0, "(objectClass=*)");
      realm.admit(opening, showing(i, 1, name), from(HOME, Position.NONE));
    }
    own.pass(1_000);
    assertThat(privileged.searches).isEqualTo(3);
    assertThat(realm.status().fills()).isEqualTo(50);
  }

  @Test
  void setsRestOnAFeedThatHasProvedToTellOfEverything() {
    proofs = 3;
    CoherenceDomain realm = live();
    assertThat(set(realm).state()).isEqualTo(ViewState.AGE_ONLY);
    for (int i = 2; i <= 4; i++) {
      realm.onProbed(upTo(i));
      own.run();
      tell(realm, modified(50, person("cn=z,ou=q,dc=x", "Z" + i), i));
    }
    assertThat(valid(realm, 1)).isNotNull();
    View view = set(realm);
    assertThat(view.state()).isEqualTo(ViewState.VALID);
    realm.onProbed(upTo(5));
    own.run();
    tell(realm, modified(50, person("cn=z,ou=q,dc=x", "Z6"), 6));
    assertThat(view.isInvalid()).isTrue();
    assertThat(realm.status().missedChanges()).isEqualTo(1);
    assertThat(set(realm).state()).isEqualTo(ViewState.AGE_ONLY);
  }

  private View set(CoherenceDomain realm) {
    ReadStart opening = open(realm, "ou=p,dc=x", 2, "(sn=miller)");
    View view = realm.admit(opening, showing(1, 1, ANN), from(HOME, Position.NONE)).view();
    own.pass(1_000);
    return view;
  }

  @Test
  void aSubtreeThatIsRenamedIsKnownByTheNameItHadBefore() {
    CoherenceDomain realm = live();
    View view = valid(realm, 1);
    tell(realm, modified(101, unit("ou=renamed,dc=x"), 2));
    assertThat(view.isInvalid()).isTrue();
    assertThat(killed).containsExactly(InvalidationCause.RENAME);
  }

  @Test
  void whatLiesAboveMayChangeWithoutBeingRenamed() {
    CoherenceDomain realm = live();
    View view = valid(realm, 1);
    tell(realm, modified(101, unit("ou=p,dc=x"), 2));
    tell(realm, modified(100, unit("dc=x"), 3));
    assertThat(view.isLive(own.now())).isTrue();
  }

  @Test
  void aBaseThatIsDeletedIsKnownByItsIdentifier() {
    CoherenceDomain realm = live();
    ReadStart opening = open(realm, "ou=p,dc=x", 1, "(sn=jones)");
    View empty =
        realm.admit(opening, new ReadResult(false, List.of()), from(HOME, Position.NONE)).view();
    own.pass(100);
    assertThat(empty.state()).isEqualTo(ViewState.VALID);
    tell(realm, deleted(101, null, 2));
    assertThat(empty.isInvalid()).isTrue();
  }

  @Test
  void aMissingEntryIsFoundMissingUntilItComes() {
    CoherenceDomain realm = live();
    ReadStart opening = open(realm, "cn=new,ou=p,dc=x", 0, "(sn=jones)");
    ReadResult missing = new ReadResult(true, List.of());
    View view = realm.admit(opening, missing, from(HOME, Position.NONE)).view();
    own.pass(100);
    assertThat(view.state()).isEqualTo(ViewState.VALID);
    tell(realm, modified(9, person("cn=new,ou=p,dc=x", "Smith"), 2));
    assertThat(view.isInvalid()).isTrue();
    assertThat(realm.admit(opening, missing, from(HOME, Position.NONE)).refusal())
        .isEqualTo(Refusal.NOT_COMPARABLE);
  }

  @Test
  void secretsAreNotKept() {
    CoherenceDomain realm = live();
    Map<String, String> secret =
        Map.of("sn", "Miller", "userPassword", "x", "hasSubordinates", "FALSE");
    tell(realm, modified(1, image(ANN, secret), 2));
    ReadStart opening = open(realm, "ou=p,dc=x", 2, "(sn=miller)");
    assertThat(
            realm
                .admit(opening, new ReadResult(false, List.of()), from(REPLICA, upTo(1)))
                .refusal())
        .isEqualTo(Refusal.NOT_COMPARABLE);
  }

  @Test
  void answersThatAreNotKeptAreComparedToo() {
    CoherenceDomain realm = live();
    tell(realm, modified(1, person(ANN, "New"), 2));
    ReadStart opening = open(realm, ANN, 0, "(objectClass=*)");
    assertThat(realm.contradiction(opening, showing(1, 1, ANN), from(REPLICA, upTo(1))))
        .isEqualTo(Refusal.STALE);
    assertThat(realm.contradiction(opening, showing(1, 2, ANN), from(REPLICA, upTo(1)))).isNull();
    assertThat(realm.status().views()).isZero();
  }

  @Test
  void changesWithoutACookieDoNotMoveThePosition() {
    CoherenceDomain realm = live();
    tell(realm, new Modified(uuid(1), dn(ANN), person(ANN, "New"), unmarked(csn(9))));
    assertThat(realm.status().covered()).isEqualTo(upTo(1));
    realm.feed().onCovered(upTo(9));
    own.run();
    assertThat(realm.status().covered()).isEqualTo(upTo(9));
  }

  @Test
  void nothingIsScheduledForEver() {
    CoherenceDomain realm = live();
    tell(realm, modified(1, person(ANN, "New"), 2));
    own.pass(10_000);
    assertThat(own.isIdle()).isTrue();
    assertThat(realm.status().ringSize()).isEqualTo(1);
  }

  /** Whoever looks just then sees what is not over. */
  @Test
  void whatIsOpenStaysSoWhileOneRunTakesThePlaceOfAnother() {
    CoherenceDomain realm = live();
    own.pass(11_000);
    tell(realm, modified(2, person("cn=b,ou=p,dc=x", "B"), 5)); // and is not shown
    own.pass(1_000);
    List<Long> lags = new ArrayList<>();
    clock =
        () -> {
          lags.add(own.now() - realm.committedUntil(own.now()));
          return own.now();
        };
    realm.flush();
    own.run();
    assertThat(lags).isNotEmpty().allMatch(lag -> lag > 0);
  }
}
