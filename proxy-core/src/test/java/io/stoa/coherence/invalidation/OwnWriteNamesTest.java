// SPDX-License-Identifier: Apache-2.0
package io.stoa.coherence.invalidation;

import static io.stoa.testing.SmallDirectory.csn;
import static io.stoa.testing.SmallDirectory.dn;
import static io.stoa.testing.SmallDirectory.modified;
import static io.stoa.testing.SmallDirectory.person;
import static io.stoa.testing.SmallDirectory.unit;
import static io.stoa.testing.SmallDirectory.upTo;
import static io.stoa.testing.SmallDirectory.uuid;
import static org.assertj.core.api.Assertions.assertThat;

import io.stoa.coherence.view.View;
import io.stoa.coherence.view.ViewState;
import io.stoa.feed.event.Change;
import io.stoa.feed.event.Change.Modified;
import io.stoa.feed.event.Change.Receipt;
import io.stoa.feed.event.Change.Renamed;
import io.stoa.feed.event.Change.Reporter;
import io.stoa.ldap.filter.Image;
import io.stoa.testing.SmallDirectory;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/**
 * A feed has lost a change, and tells of a later one before Stoa has looked what a client has made
 * of it: the client knows what was left and taken.
 */
class OwnWriteNamesTest extends DomainFixture {
  private static final String UNIT = "ou=q,dc=x";

  private final CoherenceDomain domain = live();

  private View rests(String base, String filter, ReadResult result) {
    own.pass(1_000); // what was told before has settled
    ReadStart readStart = open(domain, base, 2, filter);
    View view = domain.admit(readStart, result, from(HOME, upTo(4))).view();
    assertThat(view).isNotNull();
    own.pass(1_000);
    assertThat(view.state()).isEqualTo(ViewState.VALID);
    return view;
  }

  private static Image leaf(String dn) {
    Map<String, String> unit =
        Map.of("objectClass", "organizationalUnit", "ou", "x", "hasSubordinates", "FALSE");
    return SmallDirectory.image(dn, unit);
  }

  private void unitIsKnown() {
    report(domain, modified(9, unit(UNIT), 3));
    privileged.shows(UNIT, 9, 3);
  }

  private void write(Change change) {
    domain.applyOwnWrite(change, () -> {});
    own.run();
  }

  private Receipt answered(int csn) {
    return new Receipt(csn(csn), null, own.now(), Reporter.OWN_WRITE);
  }

  /** That Ann is gone was lost. */
  @Test
  void aViewOfTheNamesFormerEntryIsInvalidated() {
    View ann = rests("ou=p,dc=x", "(sn=miller)", showing(1, 1, ANN));
    Image smith = person(ANN, "Smith");
    report(domain, modified(2, smith, 5));
    assertThat(ann.state()).isEqualTo(ViewState.VALID);
    write(new Modified(uuid(2), smith.dn(), smith, answered(5)));
    assertThat(ann.isInvalid()).isTrue();
  }

  /** That what was above Ann had left its name was lost, and she with it. */
  @Test
  void entriesBelowANameThatWasLeftAreInvalidated() {
    String unit = "ou=p,dc=x";
    View ann = rests("dc=x", "(sn=miller)", showing(1, 1, ANN));
    write(new Renamed(uuid(9), dn(UNIT), dn(unit), true, leaf(unit), answered(5)));
    assertThat(ann.isInvalid()).isTrue();
  }

  @Test
  void entriesBelowALeafAreInvalidated() {
    View ann = rests("dc=x", "(sn=miller)", showing(1, 1, ANN));
    write(new Modified(uuid(9), dn("ou=p,dc=x"), leaf("ou=p,dc=x"), answered(5)));
    assertThat(ann.isInvalid()).isTrue();
  }

  @Test
  void entriesBelowAnEntryWithChildrenStay() {
    View ann = rests("dc=x", "(sn=miller)", showing(1, 1, ANN));
    Image unit = unit("ou=p,dc=x");
    write(new Modified(uuid(101), unit.dn(), unit, answered(5)));
    assertThat(ann.state()).isEqualTo(ViewState.VALID);
  }

  @Test
  void earlierReadsBelowALeafAreNotComparable() {
    ReadStart before = open(domain, "dc=x", 2, "(sn=miller)");
    Image leaf = leaf("ou=p,dc=x");
    write(new Modified(uuid(9), leaf.dn(), leaf, answered(5)));
    assertThat(domain.admit(before, showing(1, 1, ANN), from(HOME, upTo(4))).refusal())
        .isEqualTo(Refusal.NOT_COMPARABLE);
  }

  @Test
  void aViewOfTheEntryThatHasTheNameStays() {
    report(domain, modified(1, person(ANN, "Miller"), 5));
    privileged.shows(ANN, 1, 5);
    View ann = rests("ou=p,dc=x", "(sn=miller)", showing(1, 5, ANN));
    write(new Modified(uuid(1), dn(ANN), person(ANN, "Miller"), answered(5)));
    assertThat(ann.state()).isEqualTo(ViewState.VALID);
  }

  /** It had another name in between, of which the feed tells when it has that no more. */
  @Test
  void aNameGivenBackExistsAgain() {
    unitIsKnown();
    View none = rests(UNIT, "(sn=miller)", new ReadResult(true, List.of()));
    View below = rests("ou=s," + UNIT, "(sn=miller)", new ReadResult(true, List.of()));
    View beside = rests("ou=s,dc=x", "(sn=miller)", new ReadResult(true, List.of()));
    report(domain, modified(9, unit(UNIT), 5));
    assertThat(none.isInvalid()).isTrue();
    assertThat(below.isInvalid()).isTrue();
    assertThat(beside.state()).isEqualTo(ViewState.VALID);
  }

  /** What an entry has become by that one, told with a change before it. */
  private static Change early(int entry, Image image, int csn) {
    Receipt receipt = new Receipt(csn(csn), upTo(csn - 1), 0, Reporter.FEED);
    return new Modified(uuid(entry), image.dn(), image, receipt);
  }

  /** A subtree was elsewhere for a while, of which the feed tells when it is back. */
  @Test
  void aSubtreeMovedAwayAndBackIsFoundAgain() {
    unitIsKnown();
    ReadResult nothing = new ReadResult(false, List.of());
    View above = rests("dc=x", "(sn=miller)", nothing);
    View itself = rests(UNIT, "(sn=miller)", nothing);
    View beside = rests("ou=p,dc=x", "(sn=miller)", nothing);
    report(domain, modified(9, unit(UNIT), 5)); // by which it did not move
    assertThat(List.of(above.state(), itself.state())).containsOnly(ViewState.VALID);
    report(domain, early(9, unit(UNIT), 7));
    assertThat(above.isInvalid()).isTrue();
    assertThat(itself.isInvalid()).isTrue();
    assertThat(beside.state()).isEqualTo(ViewState.VALID);
  }

  @Test
  void readsWhileASubtreeIsAwayAreNotComparable() {
    report(domain, modified(9, unit(UNIT), 3));
    own.pass(1_000);
    ReadStart before = open(domain, "dc=x", 2, "(sn=miller)");
    report(domain, early(9, unit(UNIT), 6));
    ReadResult nothing = new ReadResult(false, List.of());
    assertThat(domain.admit(before, nothing, from(HOME, upTo(4))).refusal())
        .isEqualTo(Refusal.NOT_COMPARABLE);
  }

  /** A client has modified it before the feed has told that it was elsewhere. */
  @Test
  void aMoveReportedAfterAnOwnWriteCounts() {
    unitIsKnown();
    ReadResult nothing = new ReadResult(false, List.of());
    View above = rests("dc=x", "(sn=miller)", nothing);
    ReadStart before = open(domain, "dc=x", 2, "(sn=miller)");
    write(new Modified(uuid(9), dn(UNIT), unit(UNIT), answered(8)));
    assertThat(above.state()).isEqualTo(ViewState.VALID);
    report(domain, modified(9, unit("ou=r,dc=x"), 6));
    assertThat(above.isInvalid()).isTrue();
    assertThat(domain.admit(before, nothing, from(HOME, upTo(4))).refusal())
        .isEqualTo(Refusal.NOT_COMPARABLE);
  }

  /** Another one, with something below it, had its name for a while. */
  @Test
  void entriesBelowALeafOfTheFeedAreInvalidated() {
    View ann = rests("dc=x", "(sn=miller)", showing(1, 1, ANN));
    report(domain, early(101, leaf("ou=p,dc=x"), 6));
    assertThat(ann.isInvalid()).isTrue();
  }

  @Test
  void veryDeepNamesAreNotTracked() {
    assertThat(open(domain, "ou=x,".repeat(200) + "dc=x", 2, "(sn=miller)")).isNull();
    assertThat(domain.status().refusals().get(Refusal.NOT_REPORTED)).isEqualTo(1);
  }

  /** The same, if it is given back through Stoa before the feed has told anything. */
  @Test
  void aNameGivenBackThroughStoaExistsAgain() {
    unitIsKnown();
    View none = rests(UNIT, "(sn=miller)", new ReadResult(true, List.of()));
    View emptied =
        domain
            .admit(
                open(domain, "ou=r,dc=x", 2, "(sn=miller)"),
                new ReadResult(false, List.of()),
                from(HOME, upTo(4)))
            .view();
    write(new Renamed(uuid(9), dn("ou=r,dc=x"), dn(UNIT), true, leaf(UNIT), answered(5)));
    assertThat(none.isInvalid()).isTrue();
    assertThat(emptied.isInvalid()).isTrue();
  }

  /** It shows Ann, whose name another entry has. */
  @Test
  void earlierReadsOfTheNamesFormerEntryAreNotComparable() {
    ReadStart before = open(domain, "ou=p,dc=x", 2, "(sn=miller)");
    Image smith = person(ANN, "Smith");
    report(domain, modified(2, smith, 5));
    write(new Modified(uuid(2), smith.dn(), smith, answered(5)));
    assertThat(domain.admit(before, showing(1, 1, ANN), from(HOME, upTo(4))).refusal())
        .isEqualTo(Refusal.NOT_COMPARABLE);
  }

  /** The same, if the feed was quicker, and has told even what followed. */
  @Test
  void earlierReadsAreNotComparableAfterLaterFeedChanges() {
    ReadStart before = open(domain, "ou=p,dc=x", 2, "(sn=miller)");
    Image smith = person(ANN, "Smith");
    report(domain, modified(2, smith, 5));
    report(domain, modified(2, person(ANN, "Smyth"), 6));
    write(new Modified(uuid(2), smith.dn(), smith, answered(5)));
    ReadStart after = open(domain, "ou=p,dc=x", 2, "(sn=miller)");
    assertThat(domain.admit(before, showing(1, 1, ANN), from(HOME, upTo(4))).refusal())
        .isEqualTo(Refusal.NOT_COMPARABLE);
    assertThat(domain.admit(after, showing(1, 1, ANN), from(REPLICA, upTo(4))).refusal())
        .isEqualTo(Refusal.NOT_COMPARABLE);
  }

  @Test
  void earlierReadsOfANameGivenBackAreNotComparable() {
    report(domain, modified(9, unit(UNIT), 3));
    own.pass(1_000);
    ReadStart before = open(domain, UNIT, 2, "(sn=miller)");
    report(domain, modified(9, unit(UNIT), 5));
    write(new Renamed(uuid(9), dn("ou=r,dc=x"), dn(UNIT), true, unit(UNIT), answered(5)));
    ReadResult none = new ReadResult(true, List.of());
    assertThat(domain.admit(before, none, from(HOME, upTo(4))).refusal())
        .isEqualTo(Refusal.NOT_COMPARABLE);
  }

  /** It was there when that was read, with nothing below it. */
  @Test
  void earlierReadsOfANameThatWasLeftAreNotComparable() {
    ReadStart before = open(domain, "ou=r,dc=x", 2, "(sn=miller)");
    write(new Renamed(uuid(9), dn("ou=r,dc=x"), dn(UNIT), true, leaf(UNIT), answered(5)));
    ReadResult nothing = new ReadResult(false, List.of());
    assertThat(domain.admit(before, nothing, from(HOME, upTo(4))).refusal())
        .isEqualTo(Refusal.NOT_COMPARABLE);
  }
}
