// SPDX-License-Identifier: Apache-2.0
package io.stoa.coherence.invalidation;

import io.stoa.coherence.index.EntryChange;
import io.stoa.coherence.invalidation.ChangeRing.ReadSummary;
import io.stoa.coherence.invalidation.CoherenceDomain.Admission;
import io.stoa.coherence.invalidation.FillValidator.Verdict;
import io.stoa.coherence.view.InvalidationCause;
import io.stoa.coherence.view.Members;
import io.stoa.coherence.view.MemoryFences;
import io.stoa.coherence.view.View;
import io.stoa.coherence.view.ViewState;
import io.stoa.feed.event.FeedKind;
import io.stoa.ldap.csn.Csn;
import io.stoa.ldap.protocol.Uuid;
import io.stoa.operation.ReadSource;
import org.jspecify.annotations.Nullable;

/**
 * Makes a view of an answer unless an applied change contradicts it. The view is registered first,
 * so that every later change finds it. Then {@link FillValidator} compares the answer with the
 * changes applied before.
 *
 * <p>Threading: thread-safe.
 */
final class FillAdmission {
  private final boolean statesAreShown;

  FillAdmission(FeedKind kind) {
    this.statesAreShown = kind.stateAttribute() != null;
  }

  /**
   * Makes the view, or returns the reason why not.
   *
   * @param source the server that answered, and its position before the search was sent
   */
  Admission admit(ReadStart readStart, ReadResult result, ReadSource source) {
    if (statesAreShown && !result.showsStates()) {
      return new Admission(null, Refusal.NO_STATE);
    }
    FeedEpoch feedEpoch = readStart.epoch();
    View view =
        new View(
            readStart.query(),
            members(readStart, result),
            feedEpoch.viewState(),
            feedEpoch.index(),
            readStart.listener());
    view.register(result.dns());
    MemoryFences.fullFence();
    Refusal refusal = contradiction(readStart, result, source);
    if (refusal == null && !view.markUnseen()) {
      refusal = Refusal.CHANGED;
    }
    if (refusal == null && feedEpoch.viewState().isOver()) {
      refusal = Refusal.NO_FEED;
    }
    // Runs for a refused answer, too: the client receives it, kept or not.
    boolean isLatest = statesAreShown ? view.supersedes() : supersedes(feedEpoch, view);
    if (refusal != null) {
      view.onEvicted();
      return new Admission(null, refusal);
    }
    return isLatest ? new Admission(view, null) : new Admission(null, Refusal.STALE);
  }

  /**
   * Returns the entries to keep in the view. Names take as much memory as all the rest. Only a view
   * keeps them that may be updated in place, or that is found by names that none of its entries
   * has.
   */
  private static Members members(ReadStart readStart, ReadResult result) {
    if (result.absent()) {
      return Members.ABSENT;
    }
    boolean surelyNamed = readStart.query().base().isSure() && result.isSurelyNamed();
    return readStart.listener().mayUpdateInPlace() || !surelyNamed
        ? result.namedMembers()
        : result.members();
  }

  /**
   * Returns why the answer may be older than the applied changes, or null if it is not. Attributes
   * without a version stamp are not checked.
   */
  @Nullable Refusal contradiction(ReadStart readStart, ReadResult result, ReadSource source) {
    ChangeRing ring = readStart.epoch().ring();
    Members members = result.members();
    long settledNanos = readStart.settledNanos();
    ReadSummary summary =
        new ReadSummary(
            readStart.query(), result.names(), result.absent(), source.position(), settledNanos);
    Refusal refusal =
        readStart.epoch().regressions().mayLack(summary, source.server())
            ? Refusal.NOT_COMPARABLE
            : null;
    for (RingRecord change : ring.relevantTo(summary)) {
      Verdict verdict = FillValidator.judge(change, summary, members);
      if (verdict == Verdict.STALE) {
        return Refusal.STALE;
      }
      refusal = verdict == Verdict.UNSURE ? Refusal.NOT_COMPARABLE : refusal;
    }
    return ring.isComplete(summary) && isSettled(readStart) ? refusal : Refusal.OUT_OF_RANGE;
  }

  /**
   * True if the changes from before the epoch have settled: the feed does not report them, and
   * earlier reads may lack them.
   */
  private boolean isSettled(ReadStart readStart) {
    return readStart.epoch().begunNanos() - readStart.settledNanos() < 0;
  }

  /**
   * Invalidates the older one of two views that show the same entry. An answer may be ahead of the
   * feed. A client that has seen it must not be shown an older state of an entry afterwards.
   */
  private boolean supersedes(FeedEpoch feedEpoch, View view) {
    for (Uuid uuid : view.members().uuids()) {
      EntryChange entry = new EntryChange(uuid, null, null, null);
      feedEpoch.index().findAffected(entry, other -> compare(view, other, uuid));
    }
    return view.state() != ViewState.INVALID;
  }

  private void compare(View view, View other, Uuid uuid) {
    Csn csn = view.members().csn(uuid);
    Csn otherCsn = other.members().csn(uuid);
    int order = csn == null || otherCsn == null ? 0 : csn.compareTo(otherCsn);
    if (order != 0 && TimestampOrder.haveUnknownOrder(csn, otherCsn)) {
      other.invalidate(
          InvalidationCause.NEWER_STATE_SHOWN); // their order within the second is unknown
      view.onEvicted();
    } else if (order > 0) {
      other.invalidate(InvalidationCause.NEWER_STATE_SHOWN);
    } else if (order < 0) {
      view.onEvicted();
    }
  }
}
