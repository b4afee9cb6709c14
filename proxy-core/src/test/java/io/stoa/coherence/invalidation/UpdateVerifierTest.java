// SPDX-License-Identifier: Apache-2.0
package io.stoa.coherence.invalidation;

import static io.stoa.testing.SmallDirectory.CONTEXT;
import static io.stoa.testing.SmallDirectory.csn;
import static io.stoa.testing.SmallDirectory.deleted;
import static io.stoa.testing.SmallDirectory.dn;
import static io.stoa.testing.SmallDirectory.modified;
import static io.stoa.testing.SmallDirectory.octets;
import static io.stoa.testing.SmallDirectory.person;
import static io.stoa.testing.SmallDirectory.query;
import static io.stoa.testing.SmallDirectory.upTo;
import static io.stoa.testing.SmallDirectory.uuid;
import static org.assertj.core.api.Assertions.assertThat;

import io.stoa.coherence.invalidation.ChangeRing.Bounds;
import io.stoa.coherence.invalidation.CoherenceDomain.DomainContext;
import io.stoa.coherence.view.EntryUpdate;
import io.stoa.coherence.view.FreshnessGuarantee;
import io.stoa.coherence.view.InvalidationCause;
import io.stoa.coherence.view.View;
import io.stoa.coherence.view.ViewListener;
import io.stoa.feed.event.Change;
import io.stoa.feed.event.Change.Modified;
import io.stoa.feed.event.Change.Receipt;
import io.stoa.feed.event.Change.Reporter;
import io.stoa.feed.event.FeedKind;
import io.stoa.feed.transaction.CommitTracker;
import io.stoa.ldap.csn.Position;
import io.stoa.ldap.filter.Image;
import io.stoa.ldap.schema.NormalDn;
import io.stoa.operation.ReadSource;
import io.stoa.testing.SmallDirectory;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What the feed has shown is asked for once more, and dies if it never was. */
class UpdateVerifierTest {
  private static final String ANN = "cn=ann,ou=p,dc=x";
  private static final Object HOME = new Object();
  private static final long SETTLED = 450;
  private static final long REPORT_MILLIS = 100;
  private static final long QUIET = CommitTracker.PATIENCE.toMillis();

  private final SteppedExecutor own = new SteppedExecutor();
  private final ScriptedReader reader = new ScriptedReader();
  private final CoherenceDomain domain = realm();

  /** Keeps whatever it is told. Stateless. */
  private static final class Keeper implements ViewListener {
    @Override
    public void onInvalidated(View view, InvalidationCause cause) {
      // The view says so itself.
    }

    @Override
    public boolean mayUpdateInPlace() {
      return true;
    }

    @Override
    public boolean onUpdated(View view, EntryUpdate amendment) {
      return true;
    }
  }

  private CoherenceDomain realm() {
    Bounds ring = new Bounds(Duration.ofMinutes(5), 1_000, Duration.ofMillis(800), 1 << 24);
    DomainConfig config =
        new DomainConfig(
            CONTEXT,
            name -> NormalDn.of(name, SmallDirectory.PROFILE),
            type -> false,
            DomainConfig.SETTLE,
            ring,
            0,
            () -> false,
            FeedKind.SYNCREPL,
            now -> now);
    FreshnessGuarantee reliance = new FreshnessGuarantee(now -> true, then -> true, null);
    CoherenceDomain made =
        new CoherenceDomain(
            config, new DomainContext(own, own::now, reliance, all -> {}, reader), change -> {});
    made.setFeedServer(HOME);
    made.feed().onLive(upTo(1));
    own.pass(1_000); // what was counted before the feed began has settled
    reader.has("dc=x", 100, 1);
    reader.has("ou=p,dc=x", 101, 1);
    reader.has(ANN, 1, 1);
    return made;
  }

  private View valid() {
    return valid("(cn=x)");
  }

  private View valid(String filter) {
    ReadStart readStart =
        domain.beginRead(query("ou=p,dc=x", 2, filter), octets("ou=p,dc=x"), new Keeper());
    ReadResult result =
        new ReadResult(false, List.of(new ReadResult.Shown(uuid(1), csn(1), dn(ANN), octets(ANN))));
    View view = domain.admit(readStart, result, new ReadSource(HOME, Position.NONE, 0, 0)).view();
    own.pass(1_000);
    assertThat(view.isLive(own.now())).isTrue();
    reader.asked.clear();
    return view;
  }

  /** One change is told of an entry that a view shows, and another one before that has settled. */
  private View reportedTwice(String filter, Change later) {
    View view = valid(filter);
    report(modified(1, person(ANN, "New"), 2));
    own.pass(SETTLED - 50);
    report(later);
    return view;
  }

  private void report(Change change) {
    domain.feed().onChange(change);
    own.run();
  }

  @Test
  void aConfirmedUpdateStays() {
    View view = valid();
    long proofs = domain.status().entriesRead();
    assertThat(proofs).as("reads of the shown entry").isPositive();
    report(modified(1, person(ANN, "New"), 2));
    reader.has(ANN, 1, 2);
    assertThat(view.members().csn(uuid(1))).isEqualTo(csn(2));
    own.pass(SETTLED);
    assertThat(reader.asked).as("whether it is shown, and whether that was so").hasSize(2);
    own.pass(5_000);
    assertThat(view.isInvalid()).isFalse();
    assertThat(reader.asked).hasSize(2);
    assertThat(domain.status().updates()).isEqualTo(1);
    assertThat(domain.status().entriesRead()).isEqualTo(proofs + 1);
    assertThat(domain.status().evaluations()).isPositive();
    assertThat(domain.status().unknown()).isZero();
    assertThat(domain.status().abortedChanges()).isZero();
  }

  @Test
  void aPhantomUpdateIsInvalidatedAfterTheSettleTime() {
    View view = valid();
    report(modified(1, person(ANN, "Phantom"), 2));
    own.pass(SETTLED);
    assertThat(view.isInvalid()).isTrue();
    own.pass(QUIET + SETTLED);
    assertThat(domain.status().abortedChanges()).isEqualTo(1);
    assertThat(domain.status().invalidations()).containsEntry(InvalidationCause.UNCONFIRMED, 1L);
    assertThat(valid().members().csn(uuid(1))).isEqualTo(csn(1));
  }

  /** By that time nobody can tell whether it ever was, and it is not so any more. */
  @Test
  void aSupersededUpdateIsInvalidatedIfTheFeedIsSilent() {
    View view = valid();
    report(modified(1, person(ANN, "Phantom"), 2));
    reader.has(ANN, 1, 3);
    own.pass(SETTLED);
    assertThat(view.isInvalid()).as("the report may still arrive").isFalse();
    own.pass(REPORT_MILLIS);
    assertThat(view.isInvalid()).isTrue();
    assertThat(domain.status().invalidations())
        .containsEntry(InvalidationCause.NEWER_STATE_SHOWN, 1L);
    assertThat(domain.status().abortedChanges()).isZero();
  }

  @Test
  void aSupersededUpdateStaysIfTheFeedReportsSoon() {
    View view = valid();
    report(modified(1, person(ANN, "New"), 2));
    reader.has(ANN, 1, 3);
    own.pass(SETTLED);
    report(modified(1, person(ANN, "Newer"), 3));
    own.pass(2 * SETTLED);
    assertThat(view.isInvalid()).isFalse();
    assertThat(view.isConfirmed()).isTrue();
  }

  @Test
  void aSupersededUpdateStaysIfTheFeedHasReported() {
    View view = reportedTwice("(cn=x)", modified(1, person(ANN, "Newer"), 3));
    reader.has(ANN, 1, 3);
    own.pass(2 * SETTLED);
    assertThat(view.isInvalid()).isFalse();
  }

  /** That it dies does not say that it never will be. */
  @Test
  void anUnconfirmedUpdateIsNoPhantomDuringItsTransaction() {
    View view = valid();
    report(modified(1, person(ANN, "New"), 2));
    own.pass(SETTLED);
    assertThat(view.isInvalid()).isTrue();
    own.pass(QUIET - 2 * SETTLED);
    assertThat(domain.status().abortedChanges()).isZero();
    reader.has(ANN, 1, 2);
    own.pass(QUIET);
    assertThat(domain.status().abortedChanges()).isZero();
  }

  @Test
  void aDeletedEntryThatStillExistsIsAPhantom() {
    View view = valid();
    report(deleted(1, ANN, 2));
    assertThat(view.members().size()).isZero();
    own.pass(SETTLED);
    assertThat(view.isInvalid()).isTrue();
    own.pass(QUIET + SETTLED);
    assertThat(domain.status().abortedChanges()).isEqualTo(1);
  }

  /** The next change has been made, and has yet to be told. */
  @Test
  void anEntryDeletedBeforeItsConfirmationIsNoPhantom() {
    View view = valid();
    report(modified(1, person(ANN, "New"), 2));
    reader.lacks(ANN);
    own.pass(SETTLED);
    assertThat(view.isInvalid()).isTrue();
    report(deleted(1, ANN, 3));
    own.pass(5_000);
    assertThat(domain.status().abortedChanges()).isZero();
  }

  @Test
  void anUnverifiableUpdateIsInvalidated() {
    View view = valid();
    report(modified(1, person(ANN, "New"), 2));
    reader.broken = true;
    own.pass(SETTLED);
    assertThat(view.isInvalid()).isTrue();
    assertThat(domain.status().abortedChanges()).isZero();
    assertThat(domain.status().invalidations())
        .containsEntry(InvalidationCause.UNCONFIRMED, 1L)
        .containsEntry(InvalidationCause.ABORTED, 0L);
  }

  /** A transaction may change an entry twice: what the second one leaves as it is is no proof. */
  @Test
  void twoPhantomUpdatesOfOneEntryAreInvalidated() {
    View view = valid("(sn=x)");
    report(modified(1, person(ANN, "Phantom"), 2));
    assertThat(view.members().size()).isZero();
    report(modified(1, person(ANN, "Ghost"), 3));
    own.pass(SETTLED);
    assertThat(view.isInvalid()).isTrue();
    own.pass(QUIET + 2 * SETTLED);
    assertThat(domain.status().abortedChanges()).isPositive();
  }

  /** I9: what is told meanwhile, and is not so either, does not let it live for longer. */
  @Test
  void aPhantomWithAPhantomDeleteIsInvalidatedInTime() {
    View view = reportedTwice("(sn=x)", deleted(1, ANN, 3));
    own.pass(50);
    assertThat(view.isInvalid()).isTrue();
  }

  /** Then the view shows that. */
  @Test
  void aReportedDeleteIsNoPhantom() {
    View view = reportedTwice("(cn=x)", deleted(1, ANN, 3));
    reader.lacks(ANN);
    own.pass(2 * SETTLED);
    assertThat(view.isInvalid()).isFalse();
    assertThat(domain.status().abortedChanges()).isZero();
  }

  @Test
  void aShownUpdateIsConfirmed() {
    View view = valid();
    assertThat(view.isConfirmed()).isTrue();
    report(modified(1, person(ANN, "New"), 2));
    report(modified(1, person(ANN, "Newer"), 3));
    assertThat(view.isConfirmed()).isFalse();
    reader.has(ANN, 1, 3);
    own.pass(SETTLED);
    assertThat(view.isConfirmed()).isTrue();
  }

  /** What the server has done for a client of its own it has shown. */
  @Test
  void anOwnWriteIsConfirmed() {
    View view = valid();
    Receipt read = new Receipt(csn(2), null, own.now(), Reporter.OWN_WRITE);
    Image now = person(ANN, "New");
    domain.applyOwnWrite(new Modified(uuid(1), now.dn(), now, read), () -> {});
    own.run();
    assertThat(view.members().csn(uuid(1))).isEqualTo(csn(2));
    assertThat(view.isConfirmed()).isTrue();
  }
}
