// SPDX-License-Identifier: Apache-2.0
package io.stoa.coherence.invalidation;

import io.stoa.coherence.index.EntryChange;
import io.stoa.coherence.invalidation.ChangeRing.Reading;
import io.stoa.coherence.invalidation.CoherenceDomain.Settled;
import io.stoa.coherence.invalidation.FillValidator.Verdict;
import io.stoa.coherence.view.InvalidationCause;
import io.stoa.coherence.view.Members;
import io.stoa.coherence.view.MemoryFences;
import io.stoa.coherence.view.View;
import io.stoa.coherence.view.ViewState;
import io.stoa.feed.event.FeedKind;
import io.stoa.ldap.csn.Csn;
import io.stoa.ldap.protocol.Uuid;
import io.stoa.operation.ReadFrom;
import org.jspecify.annotations.Nullable;

/**
 * Makes a view of what was read, if nothing that has been applied contradicts it. First it is
 * registered, so that whatever is applied from then on finds it; then it is compared with what was
 * applied before. Thread-safe.
 */
final class FillAdmission {
  private final boolean statesAreShown;

  FillAdmission(FeedKind kind) {
    this.statesAreShown = kind.stateAttribute() != null;
  }

  /**
   * Makes the view, or says why not.
   *
   * @param had which server was asked, and what it had before the search was sent
   */
  Settled settle(ReadStart opening, Result result, ReadFrom had) {
    if (statesAreShown && !result.isReadable()) {
      return new Settled(null, Refusal.UNREADABLE);
    }
    FeedEpoch run = opening.run();
    View view =
        new View(opening.query(), kept(opening, result), run.terms(), run.index(), opening.owner());
    view.register(result.dns());
    MemoryFences.full();
    Refusal refusal = contradiction(opening, result, had);
    if (refusal == null && !view.keep()) {
      refusal = Refusal.CHANGED;
    }
    if (refusal == null && run.terms().areOver()) {
      refusal = Refusal.NO_FEED;
    }
    // Whoever is given the answer sees it, kept or not.
    boolean latest = statesAreShown ? view.supersedes() : supersedes(run, view);
    if (refusal != null) {
      view.evicted();
      return new Settled(null, refusal);
    }
    return latest ? new Settled(view, null) : new Settled(null, Refusal.STALE);
  }

  /**
   * Names take as much room as all the rest. They are kept where answers may be changed in place,
   * and where a view is found by names that none of its entries has.
   */
  private static Members kept(ReadStart opening, Result result) {
    if (result.absent()) {
      return Members.ABSENT;
    }
    boolean sure = opening.query().base().isSure() && result.isSurelyNamed();
    return opening.owner().mayAmend() || !sure ? result.namedMembers() : result.members();
  }

  /**
   * What speaks against giving an answer as one that is not older than what has been applied, but
   * for its parts of which it does not show how old they are; null if nothing does.
   */
  @Nullable Refusal contradiction(ReadStart opening, Result result, ReadFrom had) {
    ChangeRing ring = opening.run().ring();
    Members members = result.members();
    long settled = opening.settledNanos();
    Reading reading =
        new Reading(opening.query(), result.names(), result.absent(), had.position(), settled);
    Refusal refusal = opening.run().steps().mayLack(reading, had.server()) ? Refusal.UNSURE : null;
    for (RingRecord change : ring.relevantTo(reading)) {
      Verdict verdict = FillValidator.judge(change, reading, members);
      if (verdict == Verdict.STALE) {
        return Refusal.STALE;
      }
      refusal = verdict == Verdict.UNSURE ? Refusal.UNSURE : refusal;
    }
    return ring.keeps(reading) && isSettled(opening) ? refusal : Refusal.TOO_FAR_BEHIND;
  }

  /** Where the feed began something may have been counted that reads did not show yet. */
  private boolean isSettled(ReadStart opening) {
    return opening.run().begunNanos() - opening.settledNanos() < 0;
  }

  /**
   * It may show what the feed has not told yet: who has seen that must not be shown an older state
   * of the same entry afterwards. So of two views the one that shows the older state dies.
   */
  private boolean supersedes(FeedEpoch run, View view) {
    for (Uuid uuid : view.members().uuids()) {
      EntryChange entry = new EntryChange(uuid, null, null, null, null);
      run.index().affected(entry, other -> compare(view, other, uuid));
    }
    return view.state() != ViewState.DEAD;
  }

  private void compare(View view, View other, Uuid uuid) {
    Csn ours = view.members().csn(uuid);
    Csn theirs = other.members().csn(uuid);
    int order = ours == null || theirs == null ? 0 : ours.compareTo(theirs);
    if (order != 0 && TimestampOrder.areOfOne(ours, theirs)) {
      other.kill(InvalidationCause.EVIDENCE); // one of them is older, nobody knows which
      view.evicted();
    } else if (order > 0) {
      other.kill(InvalidationCause.EVIDENCE);
    } else if (order < 0) {
      view.evicted();
    }
  }
}
