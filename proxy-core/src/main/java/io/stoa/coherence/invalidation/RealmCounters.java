// SPDX-License-Identifier: Apache-2.0
package io.stoa.coherence.invalidation;

import io.stoa.coherence.index.IndexStats;
import io.stoa.coherence.view.InvalidationCause;
import io.stoa.coherence.view.Terms;
import io.stoa.ldap.csn.Position;
import io.stoa.ldap.filter.Truth;
import java.util.EnumMap;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;

/**
 * Counters of a domain, over all its epochs.
 *
 * <p>Threading: thread-safe.
 */
final class RealmCounters {
  private final LongAdder changes = new LongAdder();
  private final LongAdder duplicates = new LongAdder();
  private final LongAdder gaps = new LongAdder();
  private final LongAdder fills = new LongAdder();
  private final LongAdder unproved = new LongAdder();
  private final LongAdder misses = new LongAdder();
  private final LongAdder amendments = new LongAdder();
  private final LongAdder phantoms = new LongAdder();
  private final LongAdder confirms = new LongAdder();
  private final LongAdder evaluations = new LongAdder();
  private final LongAdder unknown = new LongAdder();
  private final LongAdder incoherent = new LongAdder();
  private volatile int told;
  private volatile boolean refuted;
  private final Map<Refusal, LongAdder> refusals = new ConcurrentHashMap<>();
  private final Map<InvalidationCause, LongAdder> kills = new ConcurrentHashMap<>();

  void applied(boolean first) {
    (first ? changes : duplicates).increment();
  }

  void filled() {
    fills.increment();
  }

  void refused(Refusal cause) {
    refusals.computeIfAbsent(cause, none -> new LongAdder()).increment();
  }

  void unproved() {
    unproved.increment();
  }

  /** Counts a change that the server had counted and the feed has left out. */
  void missed() {
    misses.increment();
    refuted = true;
    forgetTold();
  }

  /** Adds confirmed changes, with none left out. Confined to the domain's thread. */
  void told(int changes) {
    int sum = told + changes;
    told = Math.max(sum, told); // an overflow would remove a proof
  }

  /** Resets the confirmed changes: they prove nothing any more. Confined to the domain's thread. */
  private void forgetTold() {
    told = 0;
  }

  /**
   * Called when access rules have been read for the first time, or have changed. Confined to the
   * domain's thread.
   *
   * @param before number of changes reported under these rules before the process started
   * @param changed true if the changes reported until now were reported under other rules
   */
  void rules(int before, boolean changed) {
    if (changed) {
      forgetTold();
      refuted = false;
    }
    if (!refuted) {
      told(before);
    }
  }

  /** Returns the number of confirmed changes since one was left out or the rules changed. */
  int told() {
    return told;
  }

  /** True if the feed has left out a change that the access rules let its account see. */
  boolean isRefuted() {
    return refuted;
  }

  /** Counts results that were updated in place. */
  void amended(int answers) {
    amendments.add(answers);
  }

  void phantom() {
    phantoms.increment();
  }

  /** Counts entries whose state is read to prove their visibility. */
  void confirming(int entries) {
    confirms.add(entries);
  }

  /** Counts an evaluation of a filter for a changed entry. */
  void evaluated(Truth truth) {
    evaluations.increment();
    if (truth == Truth.UNKNOWN) {
      unknown.increment();
    }
  }

  /** Adds the counters of an epoch that has ended. */
  void ended(Terms terms) {
    gaps.increment();
    incoherent.add(terms.wrong());
    for (InvalidationCause cause : InvalidationCause.values()) {
      kills.computeIfAbsent(cause, none -> new LongAdder()).add(terms.kills(cause));
    }
  }

  RealmStatus status(RealmState state, @Nullable FeedEpoch run, long now) {
    Map<Refusal, Long> refused = new EnumMap<>(Refusal.class);
    for (Refusal cause : Refusal.values()) {
      refused.put(cause, sum(refusals.get(cause)));
    }
    Map<InvalidationCause, Long> killed = new EnumMap<>(InvalidationCause.class);
    for (InvalidationCause cause : InvalidationCause.values()) {
      long present = run == null ? 0 : run.terms().kills(cause);
      killed.put(cause, sum(kills.get(cause)) + present);
    }
    return new RealmStatus(
        state,
        run == null ? Position.NONE : run.ring().covered(),
        run == null ? Position.NONE : run.ring().floor(),
        changes.sum(),
        duplicates.sum(),
        gaps.sum(),
        fills.sum(),
        refused,
        killed,
        run == null ? 0 : run.ring().size(),
        run == null ? 0 : run.ring().octets(),
        run == null ? 0 : run.ring().span(now),
        run == null ? IndexStats.NONE : run.index().stats(),
        unproved.sum(),
        misses.sum(),
        amendments.sum(),
        phantoms.sum(),
        confirms.sum(),
        evaluations.sum(),
        unknown.sum(),
        incoherent.sum() + (run == null ? 0 : run.terms().wrong()));
  }

  private static long sum(@Nullable LongAdder count) {
    return count == null ? 0 : count.sum();
  }
}
