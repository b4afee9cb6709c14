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
class ClockRegressionTest extends DomainFixture {
  /** A server whose clock was set back counts from an earlier time: it has taken the write. */
  @Test
  void anOwnWriteWithALowerCsnIsApplied() {
    CoherenceDomain domain = live();
    domain.applyOwnWrite(own(5, "First"), () -> {});
    own.run();
    privileged.shows(ANN, 1, 5);
    View view = valid(domain, 5);
    ReadStart readStart = open(domain, ANN, 0, "(objectClass=*)");
    List<Boolean> dead = new ArrayList<>();
    domain.applyOwnWrite(own(3, "Second"), () -> dead.add(view.isInvalid()));
    own.run();
    assertThat(dead).containsExactly(true);
    assertThat(domain.admit(readStart, showing(1, 5, ANN), from(HOME, upTo(5))).view()).isNull();
  }

  /** The same, if the feed has told what was counted later. */
  @Test
  void anOwnWriteIsAppliedThoughTheFeedHasComeFurther() {
    CoherenceDomain domain = live();
    report(domain, modified(2, person("cn=b,ou=p,dc=x", "B"), 9));
    privileged.shows(ANN, 1, 5);
    View view = valid(domain, 5);
    domain.applyOwnWrite(own(3, "Second"), () -> {});
    own.run();
    assertThat(view.isInvalid()).isTrue();
    privileged.shows(ANN, 1, 3);
    own.pass(1_000);
    View next = valid(domain, 3);
    report(domain, modified(1, person(ANN, "Second"), 3));
    assertThat(next.isInvalid()).isFalse();
    assertThat(domain.status().duplicates()).isEqualTo(1);
  }

  /** Somebody else has written since it was read, and the feed has told that: that is the state. */
  @Test
  void aLateOwnWriteDoesNotHideLaterChanges() {
    CoherenceDomain domain = live();
    report(domain, modified(1, person(ANN, "Second"), 7));
    domain.applyOwnWrite(own(5, "First"), () -> {});
    own.run();
    own.pass(10_000);
    ReadStart readStart = open(domain, ANN, 0, "(objectClass=*)");
    assertThat(domain.admit(readStart, showing(1, 5, ANN), from(REPLICA, upTo(5))).view()).isNull();
  }

  /** Answers wait in queues, and many may write the same entry: then nothing was counted back. */
  @Test
  void anOwnWriteThatTheFeedOvertookChangesNothing() {
    CoherenceDomain domain = live();
    report(domain, modified(1, person(ANN, "First"), 5));
    report(domain, modified(1, person(ANN, "Second"), 6));
    report(domain, modified(1, person(ANN, "Third"), 7));
    privileged.shows(ANN, 1, 7);
    View view = valid(domain, 7);
    domain.applyOwnWrite(own(5, "First"), () -> {});
    domain.applyOwnWrite(own(6, "Second"), () -> {});
    own.run();
    assertThat(view.isInvalid()).isFalse();
    assertThat(refusalOfEmptySet(domain, "Fourth", from(REPLICA, upTo(7)))).isNull();
    assertThat(refusalOfEmptySet(domain, "third", from(REPLICA, upTo(6)))).isNotNull();
  }

  @Test
  void aFeedChangeWithALowerCsnInvalidatesItsEntry() {
    CoherenceDomain domain = live();
    domain.applyOwnWrite(own(5, "First"), () -> {});
    report(domain, modified(1, person(ANN, "First"), 5));
    privileged.shows(ANN, 1, 5);
    View view = valid(domain, 5);
    ReadStart readStart = open(domain, ANN, 0, "(objectClass=*)");
    report(domain, modified(1, person(ANN, "Second"), 3));
    assertThat(view.isInvalid()).isTrue();
    assertThat(domain.admit(readStart, showing(1, 5, ANN), from(HOME, upTo(5))).view()).isNull();
    privileged.shows(ANN, 1, 3);
    own.pass(1_000);
    View next = valid(domain, 3);
    report(domain, modified(1, person(ANN, "Third"), 4));
    assertThat(next.isInvalid()).isTrue();
  }

  /** The feed has come to the later count, and tells what is counted earlier and done later. */
  private CoherenceDomain countedBack() {
    CoherenceDomain domain = live();
    domain.applyOwnWrite(own(5, "First"), () -> {});
    report(domain, modified(1, person(ANN, "First"), 5));
    report(domain, modified(1, person(ANN, "Smith"), 3));
    privileged.shows(ANN, 1, 3);
    own.pass(1_000);
    return domain;
  }

  private @Nullable Refusal refusalOfEmptySet(CoherenceDomain domain, String sn, ReadSource from) {
    ReadStart readStart = open(domain, "ou=p,dc=x", 2, "(sn=" + sn + ")");
    return domain.admit(readStart, new ReadResult(false, List.of()), from).refusal();
  }

  /** Whoever had the later count has it still, and may lack what followed for good. */
  @Test
  void noPositionCoversAChangeCountedBack() {
    CoherenceDomain domain = countedBack();
    assertThat(refused(domain, 5, from(REPLICA, upTo(5)))).isEqualTo(Refusal.NOT_COMPARABLE);
    assertThat(refusalOfEmptySet(domain, "smith", from(REPLICA, upTo(5))))
        .isEqualTo(Refusal.NOT_COMPARABLE);
    assertThat(refusalOfEmptySet(domain, "first", from(HOME, upTo(5)))).isNull();
    assertThat(refused(domain, 3, from(HOME, upTo(5)))).isNull();
    report(domain, modified(2, person("cn=b,ou=q,dc=x", "B"), 9));
    privileged.shows("cn=b,ou=q,dc=x", 2, 9);
    own.pass(1_000);
    assertThat(refusalOfEmptySet(domain, "smith", from(REPLICA, upTo(9))))
        .isEqualTo(Refusal.NOT_COMPARABLE);
    domain.flush();
    own.pass(1_000);
    assertThat(refusalOfEmptySet(domain, "smith", from(REPLICA, upTo(9))))
        .isEqualTo(Refusal.NOT_COMPARABLE);
  }

  @Test
  void aLaterCsnCoversAChangeCountedBack() {
    CoherenceDomain domain = countedBack();
    report(domain, modified(1, person(ANN, "Jones"), 6));
    privileged.shows(ANN, 1, 6);
    own.pass(1_000);
    assertThat(refusalOfEmptySet(domain, "jones", from(REPLICA, upTo(5))))
        .isEqualTo(Refusal.NOT_COMPARABLE);
    assertThat(refusalOfEmptySet(domain, "smith", from(REPLICA, upTo(6)))).isNull();
  }

  /** So many that the ring forgets all that was before. */
  private void reportOtherChanges(CoherenceDomain domain) {
    own.pass(301_000);
    for (int i = 0; i <= 1_000; i++) {
      report(domain, modified(2, person("cn=b,ou=s,dc=x", "B"), 10 + i));
    }
    privileged.shows("cn=b,ou=s,dc=x", 2, 1_010);
    own.pass(1_000);
  }

  @Test
  void aRegressionIsForgottenWithItsRingRecords() {
    CoherenceDomain domain = countedBack();
    reportOtherChanges(domain);
    assertThat(refusalOfEmptySet(domain, "smith", from(REPLICA, upTo(1_010)))).isNull();
  }

  /** Nor if all was dropped meanwhile: the entry may be gone, and never be changed again. */
  @Test
  void aRegressionIsForgottenWithItsRingRecordsAfterAFlush() {
    CoherenceDomain domain = countedBack();
    domain.flush();
    own.pass(1_000);
    assertThat(refusalOfEmptySet(domain, "smith", from(REPLICA, upTo(5))))
        .isEqualTo(Refusal.NOT_COMPARABLE);
    assertThat(refusalOfEmptySet(domain, "first", from(HOME, upTo(5)))).isNull();
    reportOtherChanges(domain);
    assertThat(refusalOfEmptySet(domain, "smith", from(REPLICA, upTo(1_010)))).isNull();
  }

  private void reportCountedBack(CoherenceDomain domain, int entry) {
    report(domain, modified(entry, person("cn=e" + entry + ",ou=p,dc=x", "E"), 3));
  }

  private @Nullable Refusal refusalOfOtherEmptySet(CoherenceDomain domain, ReadSource from) {
    own.pass(1_000);
    ReadStart readStart = open(domain, "ou=q,dc=x", 2, "(sn=e)");
    return domain.admit(readStart, new ReadResult(false, List.of()), from).refusal();
  }

  /** One entry is one place, however often it is changed; where all are, nobody looks. */
  @Test
  void tooManyRegressionsCountForAllEntries() {
    CoherenceDomain domain = countedBack();
    for (int i = 0; i < 1_100; i++) {
      report(domain, modified(1, person(ANN, "Smith"), i % 2 + 3));
    }
    privileged.shows(ANN, 1, 4);
    for (int entry = 1_001; entry < 2_000; entry++) {
      reportCountedBack(domain, entry);
    }
    assertThat(refusalOfOtherEmptySet(domain, from(REPLICA, upTo(5)))).isNull();
    reportCountedBack(domain, 2_000);
    assertThat(refusalOfOtherEmptySet(domain, from(REPLICA, upTo(5))))
        .isEqualTo(Refusal.NOT_COMPARABLE);
    assertThat(refusalOfOtherEmptySet(domain, from(HOME, upTo(5)))).isNull();
    domain.flush();
    assertThat(refusalOfOtherEmptySet(domain, from(REPLICA, upTo(5))))
        .isEqualTo(Refusal.NOT_COMPARABLE);
    reportOtherChanges(domain);
    assertThat(refusalOfOtherEmptySet(domain, from(REPLICA, upTo(1_010)))).isNull();
  }

  private ReadStart openAmendable(CoherenceDomain domain) {
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
    return domain.beginRead(query(ANN, 0, "(objectClass=*)"), octets(ANN), owner);
  }

  /**
   * Nothing of the entry is in the ring: what is shown of it may be counted later, and is older.
   */
  @Test
  void aHigherCsnReadDoesNotHideAnOwnWriteCountedBack() {
    amends = true;
    CoherenceDomain domain = live();
    report(domain, modified(2, person("cn=b,ou=q,dc=x", "B"), 9));
    privileged.shows("cn=b,ou=q,dc=x", 2, 9);
    privileged.shows(ANN, 1, 5);
    ReadSource home = from(HOME, Position.NONE);
    View view = domain.admit(openAmendable(domain), showing(1, 5, ANN), home).view();
    own.pass(1_000);
    assertThat(view.state()).isEqualTo(ViewState.VALID);
    ReadStart before = openAmendable(domain);
    domain.applyOwnWrite(own(3, "Smith"), () -> {});
    own.run();
    assertThat(view.isInvalid()).isTrue();
    assertThat(domain.admit(before, showing(1, 5, ANN), home).refusal()).isNotNull();
    View lacking = others(domain);
    report(domain, modified(1, person(ANN, "Smith"), 3));
    assertThat(lacking.isInvalid()).isTrue();
    own.pass(1_000);
    assertThat(refusalOfEmptySet(domain, "smith", from(REPLICA, upTo(9))))
        .isEqualTo(Refusal.NOT_COMPARABLE);
  }

  /** By its own clock; and the feed has told that. */
  @Test
  void anotherProvidersCsnDoesNotHideAnOwnWriteCountedBack() {
    amends = true;
    CoherenceDomain domain = live();
    report(domain, modified(2, person("cn=b,ou=q,dc=x", "B"), 9));
    assertDead(domain, () -> domain.applyOwnWrite(own(3, "Smith"), () -> {}));
  }

  /** That is the state at the server of the feed, for good; and the other one ignores it. */
  @Test
  void anotherProvidersCsnDoesNotHideALaterFeedChange() {
    amends = true;
    CoherenceDomain domain = live();
    assertDead(domain, () -> domain.feed().onChange(modified(1, person(ANN, "Smith"), 3)));
    own.pass(1_000);
    Position both = upTo(3).merge(csn(20, "002").toPosition(CONTEXT));
    assertThat(refusalOfEmptySet(domain, "smith", from(REPLICA, both)))
        .isEqualTo(Refusal.NOT_COMPARABLE);
  }

  /** What shows the state of another provider is, and what was read before. */
  private void assertDead(CoherenceDomain domain, Runnable change) {
    Csn other = csn(20, "002");
    Receipt receipt = new Receipt(other, other.toPosition(CONTEXT), 0, Reporter.FEED);
    report(domain, new Modified(uuid(1), dn(ANN), person(ANN, "Jones"), receipt));
    privileged.byName.put(ANN, new String[] {uuid(1).toString(), other.text()});
    own.pass(1_000);
    ReadResult shown =
        new ReadResult(false, List.of(new ReadResult.Shown(uuid(1), other, dn(ANN), octets(ANN))));
    ReadSource home = from(HOME, Position.NONE);
    View view = domain.admit(openAmendable(domain), shown, home).view();
    own.pass(1_000);
    assertThat(view.state()).isEqualTo(ViewState.VALID);
    ReadStart before = openAmendable(domain);
    change.run();
    own.run();
    assertThat(view.isInvalid()).isTrue();
    assertThat(domain.admit(before, shown, home).refusal()).isEqualTo(Refusal.NOT_COMPARABLE);
  }

  /** It is read back as it was. */
  @Test
  void aFailedWriteIsNoRegression() {
    CoherenceDomain domain = live();
    domain.applyOwnWrite(own(5, "First"), () -> {});
    report(domain, modified(1, person(ANN, "First"), 5));
    privileged.shows(ANN, 1, 5);
    View view = valid(domain, 5);
    domain.applyOwnWrite(own(5, "First"), () -> {});
    own.run();
    assertThat(view.isInvalid()).isFalse();
    assertThat(refused(domain, 5, from(REPLICA, upTo(5)))).isNull();
  }

  /** Read from a server that says that it has it. */
  private View others(CoherenceDomain domain) {
    own.pass(1_000);
    ReadStart readStart = open(domain, "ou=p,dc=x", 2, "(sn=smith)");
    return domain.admit(readStart, new ReadResult(false, List.of()), from(REPLICA, upTo(9))).view();
  }

  /** Another server may have ignored it. */
  @Test
  void anotherFeedServerDoesNotCoverAChangeCountedBack() {
    CoherenceDomain domain = countedBack();
    domain.feed().onLost("cut");
    domain.setFeedServer(REPLICA);
    domain.feed().onLive(upTo(5));
    own.run();
    assertThat(refusalOfEmptySet(domain, "smith", from(REPLICA, upTo(5))))
        .isEqualTo(Refusal.NOT_COMPARABLE);
    assertThat(refusalOfEmptySet(domain, "first", from(HOME, upTo(5)))).isNull();
  }

  /** That would be told before anything that is counted later. */
  @Test
  void aLateOwnWriteIsCoveredByTheFeedsNextPosition() {
    CoherenceDomain domain = live();
    report(domain, modified(1, person(ANN, "Second"), 7));
    domain.applyOwnWrite(own(5, "First"), () -> {});
    own.pass(1_000);
    assertThat(refusalOfEmptySet(domain, "first", from(REPLICA, upTo(7))))
        .isEqualTo(Refusal.NOT_COMPARABLE);
    report(domain, modified(2, person("cn=b,ou=q,dc=x", "B"), 8));
    privileged.shows("cn=b,ou=q,dc=x", 2, 8);
    own.pass(1_000);
    assertThat(refusalOfEmptySet(domain, "first", from(REPLICA, upTo(8)))).isNull();
  }

  /** What a server shows that the feed has not come to is ahead of it. */
  @Test
  void aStateAheadOfTheFeedIsNoRegression() {
    CoherenceDomain domain = live();
    domain.applyOwnWrite(own(5, "Second"), () -> {});
    own.run();
    privileged.shows(ANN, 1, 5);
    View view = valid(domain, 5);
    report(domain, modified(1, person(ANN, "First"), 3));
    assertThat(view.isInvalid()).isFalse();
    assertThat(domain.status().duplicates()).isEqualTo(1);
  }

  /** A feed that goes on tells all that is later than the oldest mark of its cookie. */
  @Test
  void aChangeRepeatedAfterACutIsNoRegression() {
    CoherenceDomain domain = live();
    report(domain, modified(2, person("cn=b,ou=p,dc=x", "B"), 9));
    domain.feed().onLost("cut");
    own.run();
    report(domain, modified(1, person(ANN, "Ann"), 3));
    assertThat(domain.status().ringSize()).isEqualTo(2);
    domain.feed().onLive(upTo(9));
    own.run();
    report(domain, modified(3, person("cn=c,ou=p,dc=x", "C"), 4));
    assertThat(domain.status().ringSize()).isEqualTo(4);
  }
}
