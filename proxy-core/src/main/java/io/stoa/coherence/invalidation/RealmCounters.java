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

/** What a realm has done, over all its runs. Thread-safe. */
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

  /** The feed has left out a change that the server had counted. */
  void missed() {
    misses.increment();
    refuted = true;
    forgetTold();
  }

  /** Changes have been told that the server had counted, and none was left out. Realm's thread. */
  void told(int changes) {
    int sum = told + changes;
    told = Math.max(sum, told); // an overflow would take a proof away
  }

  /** What was told before proves nothing any more. Realm's thread. */
  private void forgetTold() {
    told = 0;
  }

  /**
   * Rules of access are known, or others than before. Realm's thread.
   *
   * @param before how many changes were told under them before the process started
   * @param changed true if what was told until now was told under others
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

  /** How many changes have been told since one was left out, or since rules have changed. */
  int told() {
    return told;
  }

  /** True if the feed has left out a change though rules of access let its account see it. */
  boolean isRefuted() {
    return refuted;
  }

  /** Answers have been changed in place. */
  void amended(int answers) {
    amendments.add(answers);
  }

  void phantom() {
    phantoms.increment();
  }

  /** It is asked in which state entries are that are shown. */
  void confirming(int entries) {
    confirms.add(entries);
  }

  /** It was looked whether an entry matches. */
  void evaluated(Truth truth) {
    evaluations.increment();
    if (truth == Truth.UNKNOWN) {
      unknown.increment();
    }
  }

  /** A run is over. */
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
