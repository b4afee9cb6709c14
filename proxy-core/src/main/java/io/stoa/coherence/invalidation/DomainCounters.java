// SPDX-License-Identifier: Apache-2.0
package io.stoa.coherence.invalidation;

import io.stoa.coherence.index.IndexStats;
import io.stoa.coherence.view.EpochState;
import io.stoa.coherence.view.InvalidationCause;
import io.stoa.ldap.csn.Position;
import io.stoa.ldap.filter.Truth;
import io.stoa.operation.EnumCounters;
import java.util.EnumMap;
import java.util.Map;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;

/**
 * Counters of a domain, over all its epochs.
 *
 * <p>Threading: thread-safe.
 */
final class DomainCounters {
  private final LongAdder changes = new LongAdder();
  private final LongAdder duplicates = new LongAdder();
  private final LongAdder gaps = new LongAdder();
  private final LongAdder fills = new LongAdder();
  private final LongAdder unverified = new LongAdder();
  private final LongAdder misses = new LongAdder();
  private final LongAdder updates = new LongAdder();
  private final LongAdder abortedChanges = new LongAdder();
  private final LongAdder verifications = new LongAdder();
  private final LongAdder evaluations = new LongAdder();
  private final LongAdder unknown = new LongAdder();
  private final LongAdder incoherent = new LongAdder();
  private volatile int confirmed;
  private volatile boolean refuted;
  private final EnumCounters<Refusal> refusals = new EnumCounters<>(Refusal.class);
  private final EnumCounters<InvalidationCause> invalidations =
      new EnumCounters<>(InvalidationCause.class);

  void countApplied(boolean first) {
    (first ? changes : duplicates).increment();
  }

  void countFill() {
    fills.increment();
  }

  void countRefusal(Refusal cause) {
    refusals.increment(cause);
  }

  void countUnverified() {
    unverified.increment();
  }

  /** Counts a change that the server had counted and the feed has left out. */
  void onMissedChange() {
    misses.increment();
    refuted = true;
    resetConfirmed();
  }

  /** Adds confirmed changes, with none left out. Confined to the domain's thread. */
  void addConfirmed(int changes) {
    int sum = confirmed + changes;
    confirmed = Math.max(sum, confirmed); // an overflow would remove a proof
  }

  /** Resets the confirmed changes: they prove nothing any more. Confined to the domain's thread. */
  private void resetConfirmed() {
    confirmed = 0;
  }

  /**
   * Called when access rules have been read for the first time, or have changed. Confined to the
   * domain's thread.
   *
   * @param before number of changes reported under these rules before the process started
   * @param changed true if the changes reported until now were reported under other rules
   */
  void onAccessRules(int before, boolean changed) {
    if (changed) {
      resetConfirmed();
      refuted = false;
    }
    if (!refuted) {
      addConfirmed(before);
    }
  }

  /** Returns the number of confirmed changes since one was left out or the rules changed. */
  int confirmed() {
    return confirmed;
  }

  /** True if the feed has left out a change that the access rules let its account see. */
  boolean isRefuted() {
    return refuted;
  }

  /** Counts results that were updated in place. */
  void countUpdated(int answers) {
    updates.add(answers);
  }

  void countAbort() {
    abortedChanges.increment();
  }

  /** Counts entries whose state is read to prove their visibility. */
  void countVerifying(int entries) {
    verifications.add(entries);
  }

  /** Counts an evaluation of a filter for a changed entry. */
  void countEvaluation(Truth truth) {
    evaluations.increment();
    if (truth == Truth.UNKNOWN) {
      unknown.increment();
    }
  }

  /** Adds the counters of an epoch that has ended. */
  void addEpoch(EpochState epochState) {
    gaps.increment();
    incoherent.add(epochState.mismatches());
    for (InvalidationCause cause : InvalidationCause.values()) {
      invalidations.add(cause, epochState.invalidations(cause));
    }
  }

  DomainStatus status(DomainState state, @Nullable FeedEpoch feedEpoch, long now) {
    Map<Refusal, Long> refused = new EnumMap<>(Refusal.class);
    for (Refusal cause : Refusal.values()) {
      refused.put(cause, refusals.get(cause));
    }
    Map<InvalidationCause, Long> killed = new EnumMap<>(InvalidationCause.class);
    for (InvalidationCause cause : InvalidationCause.values()) {
      long present = feedEpoch == null ? 0 : feedEpoch.viewState().invalidations(cause);
      killed.put(cause, invalidations.get(cause) + present);
    }
    return new DomainStatus(
        state,
        feedEpoch == null ? Position.NONE : feedEpoch.ring().covered(),
        changes.sum(),
        duplicates.sum(),
        gaps.sum(),
        fills.sum(),
        refused,
        killed,
        feedEpoch == null ? 0 : feedEpoch.ring().size(),
        feedEpoch == null ? 0 : feedEpoch.ring().octets(),
        feedEpoch == null ? 0 : feedEpoch.ring().span(now),
        feedEpoch == null ? IndexStats.NONE : feedEpoch.index().stats(),
        unverified.sum(),
        misses.sum(),
        updates.sum(),
        abortedChanges.sum(),
        verifications.sum(),
        evaluations.sum(),
        unknown.sum(),
        incoherent.sum() + (feedEpoch == null ? 0 : feedEpoch.viewState().mismatches()));
  }
}
