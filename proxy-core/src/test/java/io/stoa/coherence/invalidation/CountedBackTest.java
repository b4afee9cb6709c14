// SPDX-License-Identifier: Apache-2.0
package io.stoa.coherence.invalidation;

import static io.stoa.testing.SmallDirectory.CONTEXT;
import static io.stoa.testing.SmallDirectory.csn;
import static io.stoa.testing.SmallDirectory.dn;
import static io.stoa.testing.SmallDirectory.modified;
import static io.stoa.testing.SmallDirectory.octets;
import static io.stoa.testing.SmallDirectory.person;
import static io.stoa.testing.SmallDirectory.query;
import static io.stoa.testing.SmallDirectory.upTo;
import static io.stoa.testing.SmallDirectory.uuid;
import static org.assertj.core.api.Assertions.assertThat;

import io.stoa.coherence.view.InvalidationCause;
import io.stoa.coherence.view.View;
import io.stoa.coherence.view.ViewListener;
import io.stoa.coherence.view.ViewState;
import io.stoa.feed.event.Change.Modified;
import io.stoa.feed.event.Change.Receipt;
import io.stoa.feed.event.Change.Reporter;
import io.stoa.ldap.csn.Csn;
import io.stoa.ldap.csn.Position;
import io.stoa.operation.ReadSource;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Servers that count changes from an earlier time again, since their clocks were set back. */
class CountedBackTest extends RealmFixture {
  /** A server whose clock was set back counts from an earlier time: it has taken the write. */
  @Test
  void anOwnWriteIsAppliedThoughAnotherOneIsCountedLater() {
    CoherenceDomain realm = live();
    realm.applyOwnWrite(own(5, "First"), () -> {});
    own.run();
    privileged.shows(ANN, 1, 5);
    View view = valid(realm, 5);
    ReadStart opening = open(realm, ANN, 0, "(objectClass=*)");
    List<Boolean> dead = new ArrayList<>();
    realm.applyOwnWrite(own(3, "Second"), () -> dead.add(view.isInvalid()));
    own.run();
    assertThat(dead).containsExactly(true);
    assertThat(realm.admit(opening, showing(1, 5, ANN), from(HOME, upTo(5))).view()).isNull();
  }

  /** The same, if the feed has told what was counted later. */
  @Test
  void anOwnWriteIsAppliedThoughTheFeedHasComeFurther() {
    CoherenceDomain realm = live();
    tell(realm, modified(2, person("cn=b,ou=p,dc=x", "B"), 9));
    privileged.shows(ANN, 1, 5);
    View view = valid(realm, 5);
    realm.applyOwnWrite(own(3, "Second"), () -> {});
    own.run();
    assertThat(view.isInvalid()).isTrue();
    privileged.shows(ANN, 1, 3);
    own.pass(1_000);
    View next = valid(realm, 3);
    tell(realm, modified(1, person(ANN, "Second"), 3));
    assertThat(next.isInvalid()).isFalse();
    assertThat(realm.status().duplicates()).isEqualTo(1);
  }

  /** Somebody else has written since it was read, and the feed has told that: that is the state. */
  @Test
  void anOwnWriteThatIsKnownLateDoesNotHideWhatFollowed() {
    CoherenceDomain realm = live();
    tell(realm, modified(1, person(ANN, "Second"), 7));
    realm.applyOwnWrite(own(5, "First"), () -> {});
    own.run();
    own.pass(10_000);
    ReadStart opening = open(realm, ANN, 0, "(objectClass=*)");
    assertThat(realm.admit(opening, showing(1, 5, ANN), from(REPLICA, upTo(5))).view()).isNull();
  }

  /** Answers wait in queues, and many may write the same entry: then nothing was counted back. */
  @Test
  void anOwnWriteThatTheFeedHasToldBeforeWhatFollowedSaysNothingNew() {
    CoherenceDomain realm = live();
    tell(realm, modified(1, person(ANN, "First"), 5));
    tell(realm, modified(1, person(ANN, "Second"), 6));
    tell(realm, modified(1, person(ANN, "Third"), 7));
    privileged.shows(ANN, 1, 7);
    View view = valid(realm, 7);
    realm.applyOwnWrite(own(5, "First"), () -> {});
    realm.applyOwnWrite(own(6, "Second"), () -> {});
    own.run();
    assertThat(view.isInvalid()).isFalse();
    assertThat(nobodyFound(realm, "Fourth", from(REPLICA, upTo(7)))).isNull();
    assertThat(nobodyFound(realm, "third", from(REPLICA, upTo(6)))).isNotNull();
  }

  @Test
  void whatTheFeedTellsAfterItHasCountedFurtherKillsWhatShowsTheEntry() {
    CoherenceDomain realm = live();
    realm.applyOwnWrite(own(5, "First"), () -> {});
    tell(realm, modified(1, person(ANN, "First"), 5));
    privileged.shows(ANN, 1, 5);
    View view = valid(realm, 5);
    ReadStart opening = open(realm, ANN, 0, "(objectClass=*)");
    tell(realm, modified(1, person(ANN, "Second"), 3));
    assertThat(view.isInvalid()).isTrue();
    assertThat(realm.admit(opening, showing(1, 5, ANN), from(HOME, upTo(5))).view()).isNull();
    privileged.shows(ANN, 1, 3);
    own.pass(1_000);
    View next = valid(realm, 3);
    tell(realm, modified(1, person(ANN, "Third"), 4));
    assertThat(next.isInvalid()).isTrue();
  }

  /** The feed has come to the later count, and tells what is counted earlier and done later. */
  private CoherenceDomain countedBack() {
    CoherenceDomain realm = live();
    realm.applyOwnWrite(own(5, "First"), () -> {});
    tell(realm, modified(1, person(ANN, "First"), 5));
    tell(realm, modified(1, person(ANN, "Smith"), 3));
    privileged.shows(ANN, 1, 3);
    own.pass(1_000);
    return realm;
  }

  private @Nullable Refusal nobodyFound(CoherenceDomain realm, String sn, ReadSource from) {
    ReadStart opening = open(realm, "ou=p,dc=x", 2, "(sn=" + sn + ")");
    return realm.admit(opening, new ReadResult(false, List.of()), from).refusal();
  }

  /** Whoever had the later count has it still, and may lack what followed for good. */
  @Test
  void noPositionSaysWhoHasWhatWasCountedBack() {
    CoherenceDomain realm = countedBack();
    assertThat(refused(realm, 5, from(REPLICA, upTo(5)))).isEqualTo(Refusal.NOT_COMPARABLE);
    assertThat(nobodyFound(realm, "smith", from(REPLICA, upTo(5))))
        .isEqualTo(Refusal.NOT_COMPARABLE);
    assertThat(nobodyFound(realm, "first", from(HOME, upTo(5)))).isNull();
    assertThat(refused(realm, 3, from(HOME, upTo(5)))).isNull();
    tell(realm, modified(2, person("cn=b,ou=q,dc=x", "B"), 9));
    privileged.shows("cn=b,ou=q,dc=x", 2, 9);
    own.pass(1_000);
    assertThat(nobodyFound(realm, "smith", from(REPLICA, upTo(9))))
        .isEqualTo(Refusal.NOT_COMPARABLE);
    realm.flush();
    own.pass(1_000);
    assertThat(nobodyFound(realm, "smith", from(REPLICA, upTo(9))))
        .isEqualTo(Refusal.NOT_COMPARABLE);
  }

  @Test
  void whatIsCountedFurtherAfterThatSaysWhoHasIt() {
    CoherenceDomain realm = countedBack();
    tell(realm, modified(1, person(ANN, "Jones"), 6));
    privileged.shows(ANN, 1, 6);
    own.pass(1_000);
    assertThat(nobodyFound(realm, "jones", from(REPLICA, upTo(5))))
        .isEqualTo(Refusal.NOT_COMPARABLE);
    assertThat(nobodyFound(realm, "smith", from(REPLICA, upTo(6)))).isNull();
  }

  /** So many that the ring forgets all that was before. */
  private void tellOthers(CoherenceDomain realm) {
    own.pass(301_000);
    for (int i = 0; i <= 1_000; i++) {
      tell(realm, modified(2, person("cn=b,ou=s,dc=x", "B"), 10 + i));
    }
    privileged.shows("cn=b,ou=s,dc=x", 2, 1_010);
    own.pass(1_000);
  }

  @Test
  void whatTheRingHasForgottenIsNoStepBackAnyMore() {
    CoherenceDomain realm = countedBack();
    tellOthers(realm);
    assertThat(nobodyFound(realm, "smith", from(REPLICA, upTo(1_010)))).isNull();
  }

  /** Nor if all was dropped meanwhile: the entry may be gone, and never be changed again. */
  @Test
  void whatTheRingHasForgottenSinceAllWasDroppedIsNoStepBackAnyMore() {
    CoherenceDomain realm = countedBack();
    realm.flush();
    own.pass(1_000);
    assertThat(nobodyFound(realm, "smith", from(REPLICA, upTo(5))))
        .isEqualTo(Refusal.NOT_COMPARABLE);
    assertThat(nobodyFound(realm, "first", from(HOME, upTo(5)))).isNull();
    tellOthers(realm);
    assertThat(nobodyFound(realm, "smith", from(REPLICA, upTo(1_010)))).isNull();
  }

  private void tellBack(CoherenceDomain realm, int entry) {
    tell(realm, modified(entry, person("cn=e" + entry + ",ou=p,dc=x", "E"), 3));
  }

  private @Nullable Refusal nobodyElsewhere(CoherenceDomain realm, ReadSource from) {
    own.pass(1_000);
    ReadStart opening = open(realm, "ou=q,dc=x", 2, "(sn=e)");
    return realm.admit(opening, new ReadResult(false, List.of()), from).refusal();
  }

  /** One entry is one place, however often it is changed; where all are, nobody looks. */
  @Test
  void moreStepsBackThanCanBeComparedAreTakenForOneEverywhere() {
    CoherenceDomain realm = countedBack();
    for (int i = 0; i < 1_100; i++) {
      tell(realm, modified(1, person(ANN, "Smith"), i % 2 + 3));
    }
    privileged.shows(ANN, 1, 4);
    for (int entry = 1_001; entry < 2_000; entry++) {
      tellBack(realm, entry);
    }
    assertThat(nobodyElsewhere(realm, from(REPLICA, upTo(5)))).isNull();
    tellBack(realm, 2_000);
    assertThat(nobodyElsewhere(realm, from(REPLICA, upTo(5)))).isEqualTo(Refusal.NOT_COMPARABLE);
    assertThat(nobodyElsewhere(realm, from(HOME, upTo(5)))).isNull();
    realm.flush();
    assertThat(nobodyElsewhere(realm, from(REPLICA, upTo(5)))).isEqualTo(Refusal.NOT_COMPARABLE);
    tellOthers(realm);
    assertThat(nobodyElsewhere(realm, from(REPLICA, upTo(1_010)))).isNull();
  }

  private ReadStart openAmendable(CoherenceDomain realm) {
    ViewListener owner =
        new ViewListener() {
          @Override
          public void onInvalidated(View view, InvalidationCause cause) {
            killed.add(cause);
          }

          @Override
          public boolean mayUpdateInPlace() {
            return true;
          }
        };
    return realm.beginRead(query(ANN, 0, "(objectClass=*)"), octets(ANN), owner);
  }

  /**
   * Nothing of the entry is in the ring: what is shown of it may be counted later, and is older.
   */
  @Test
  void whatIsShownWithALaterCountIsNotAheadOfAnOwnWriteThatIsCountedBack() {
    amends = true;
    CoherenceDomain realm = live();
    tell(realm, modified(2, person("cn=b,ou=q,dc=x", "B"), 9));
    privileged.shows("cn=b,ou=q,dc=x", 2, 9);
    privileged.shows(ANN, 1, 5);
    ReadSource home = from(HOME, Position.NONE);
    View view = realm.admit(openAmendable(realm), showing(1, 5, ANN), home).view();
    own.pass(1_000);
    assertThat(view.state()).isEqualTo(ViewState.VALID);
    ReadStart before = openAmendable(realm);
    realm.applyOwnWrite(own(3, "Smith"), () -> {});
    own.run();
    assertThat(view.isInvalid()).isTrue();
    assertThat(realm.admit(before, showing(1, 5, ANN), home).refusal()).isNotNull();
    View lacking = others(realm);
    tell(realm, modified(1, person(ANN, "Smith"), 3));
    assertThat(lacking.isInvalid()).isTrue();
    own.pass(1_000);
    assertThat(nobodyFound(realm, "smith", from(REPLICA, upTo(9))))
        .isEqualTo(Refusal.NOT_COMPARABLE);
  }

  /** By its own clock; and the feed has told that. */
  @Test
  void whatAnotherProviderHasCountedLaterIsNotAheadOfAnOwnWriteThatIsCountedBack() {
    amends = true;
    CoherenceDomain realm = live();
    tell(realm, modified(2, person("cn=b,ou=q,dc=x", "B"), 9));
    assertDead(realm, () -> realm.applyOwnWrite(own(3, "Smith"), () -> {}));
  }

  /** That is the state at the server of the feed, for good; and the other one ignores it. */
  @Test
  void whatAnotherProviderHasCountedLaterIsNotAheadOfWhatTheFeedTellsAfterIt() {
    amends = true;
    CoherenceDomain realm = live();
    assertDead(realm, () -> realm.feed().onChange(modified(1, person(ANN, "Smith"), 3)));
    own.pass(1_000);
    Position both = upTo(3).merge(csn(20, "002").toPosition(CONTEXT));
    assertThat(nobodyFound(realm, "smith", from(REPLICA, both))).isEqualTo(Refusal.NOT_COMPARABLE);
  }

  /** What shows the state of another provider is, and what was read before. */
  private void assertDead(CoherenceDomain realm, Runnable change) {
    Csn other = csn(20, "002");
    Receipt receipt = new Receipt(other, other.toPosition(CONTEXT), 0, Reporter.FEED);
    tell(realm, new Modified(uuid(1), dn(ANN), person(ANN, "Jones"), receipt));
    privileged.byName.put(ANN, new String[] {uuid(1).toString(), other.text()});
    own.pass(1_000);
    ReadResult shown =
        new ReadResult(false, List.of(new ReadResult.Shown(uuid(1), other, dn(ANN), octets(ANN))));
    ReadSource home = from(HOME, Position.NONE);
    View view = realm.admit(openAmendable(realm), shown, home).view();
    own.pass(1_000);
    assertThat(view.state()).isEqualTo(ViewState.VALID);
    ReadStart before = openAmendable(realm);
    change.run();
    own.run();
    assertThat(view.isInvalid()).isTrue();
    assertThat(realm.admit(before, shown, home).refusal()).isEqualTo(Refusal.NOT_COMPARABLE);
  }

  /** It is read back as it was. */
  @Test
  void aWriteThatHasFailedIsNotTakenForOneThatIsCountedBack() {
    CoherenceDomain realm = live();
    realm.applyOwnWrite(own(5, "First"), () -> {});
    tell(realm, modified(1, person(ANN, "First"), 5));
    privileged.shows(ANN, 1, 5);
    View view = valid(realm, 5);
    realm.applyOwnWrite(own(5, "First"), () -> {});
    own.run();
    assertThat(view.isInvalid()).isFalse();
    assertThat(refused(realm, 5, from(REPLICA, upTo(5)))).isNull();
  }

  /** Read from a server that says that it has it. */
  private View others(CoherenceDomain realm) {
    own.pass(1_000);
    ReadStart opening = open(realm, "ou=p,dc=x", 2, "(sn=smith)");
    return realm.admit(opening, new ReadResult(false, List.of()), from(REPLICA, upTo(9))).view();
  }

  /** Another server may have ignored it. */
  @Test
  void whoTellsTheRestDoesNotHaveWhatAnotherHasCountedBack() {
    CoherenceDomain realm = countedBack();
    realm.feed().onLost("cut");
    realm.setFeedServer(REPLICA);
    realm.feed().onLive(upTo(5));
    own.run();
    assertThat(nobodyFound(realm, "smith", from(REPLICA, upTo(5))))
        .isEqualTo(Refusal.NOT_COMPARABLE);
    assertThat(nobodyFound(realm, "first", from(HOME, upTo(5)))).isNull();
  }

  /** That would be told before anything that is counted later. */
  @Test
  void whatWasOnlyKnownLateIsHadByWhoHasWhatTheFeedGoesOnWith() {
    CoherenceDomain realm = live();
    tell(realm, modified(1, person(ANN, "Second"), 7));
    realm.applyOwnWrite(own(5, "First"), () -> {});
    own.pass(1_000);
    assertThat(nobodyFound(realm, "first", from(REPLICA, upTo(7))))
        .isEqualTo(Refusal.NOT_COMPARABLE);
    tell(realm, modified(2, person("cn=b,ou=q,dc=x", "B"), 8));
    privileged.shows("cn=b,ou=q,dc=x", 2, 8);
    own.pass(1_000);
    assertThat(nobodyFound(realm, "first", from(REPLICA, upTo(8)))).isNull();
  }

  /** What a server shows that the feed has not come to is ahead of it. */
  @Test
  void whatTheFeedHasNotComeToIsNoStepBack() {
    CoherenceDomain realm = live();
    realm.applyOwnWrite(own(5, "Second"), () -> {});
    own.run();
    privileged.shows(ANN, 1, 5);
    View view = valid(realm, 5);
    tell(realm, modified(1, person(ANN, "First"), 3));
    assertThat(view.isInvalid()).isFalse();
    assertThat(realm.status().duplicates()).isEqualTo(1);
  }

  /** A feed that goes on tells all that is later than the oldest mark of its cookie. */
  @Test
  void whatIsToldAgainAfterACutIsNoStepBack() {
    CoherenceDomain realm = live();
    tell(realm, modified(2, person("cn=b,ou=p,dc=x", "B"), 9));
    realm.feed().onLost("cut");
    own.run();
    tell(realm, modified(1, person(ANN, "Ann"), 3));
    assertThat(realm.status().ringSize()).isEqualTo(2);
    realm.feed().onLive(upTo(9));
    own.run();
    tell(realm, modified(3, person("cn=c,ou=p,dc=x", "C"), 4));
    assertThat(realm.status().ringSize()).isEqualTo(4);
  }
}
