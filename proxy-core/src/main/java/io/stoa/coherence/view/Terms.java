// SPDX-License-Identifier: Apache-2.0
package io.stoa.coherence.view;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.LongPredicate;
import org.jspecify.annotations.Nullable;

/**
 * What all views have in common that rest on one run of a feed without gaps. Thread-safe.
 *
 * <p>When the run is over, all of them are void at once, whoever holds them, however many they are.
 */
public final class Terms {
  private final Map<InvalidationCause, LongAdder> kills = new ConcurrentHashMap<>();
  private final LongAdder wrong = new LongAdder();
  private final NewestVersions newest = new NewestVersions();
  private final FreshnessGuarantee reliance;
  private volatile LongPredicate lease;
  private volatile boolean over;

  /** Begins a run. */
  public Terms(FreshnessGuarantee reliance) {
    this.reliance = reliance;
    this.lease = reliance.live();
  }

  /**
   * Begins one in which nothing is changed in place.
   *
   * @param lease whether, at a time of the clock, the feed is known to be close enough behind
   */
  public Terms(LongPredicate lease) {
    this(FreshnessGuarantee.on(lease));
  }

  /** Which states of entries its views show. */
  NewestVersions newest() {
    return newest;
  }

  /** Whether what the feed shows of entries may be given. */
  boolean showImages() {
    return reliance.reached() != null;
  }

  /** Whether all that was acknowledged by then has been applied. */
  boolean haveReached(long then) {
    LongPredicate reached = reliance.reached();
    return reached != null && !over && reached.test(then);
  }

  boolean haveProved(long received) {
    FreshnessGuarantee.Proof proof = reliance.proof();
    return proof != null && !over && proof.isThere(received);
  }

  /** What each answer must be proved by; null if age is what bounds them. */
  public FreshnessGuarantee.@Nullable Proof proof() {
    return reliance.proof();
  }

  boolean areLive(long now) {
    return lease.test(now);
  }

  /** Something has changed of which nothing is known: nothing of this run is right any more. */
  public void end() {
    lease = Terms::never;
    over = true;
  }

  private static boolean never(long now) {
    return false;
  }

  public boolean areOver() {
    return over;
  }

  void count(InvalidationCause cause) {
    kills.computeIfAbsent(cause, none -> new LongAdder()).increment();
  }

  void countWrong() {
    wrong.increment();
  }

  /** How many views were found not to be what the directory answers, in this run. */
  public long wrong() {
    return wrong.sum();
  }

  /** How many views have died of that, in this run. */
  public long kills(InvalidationCause cause) {
    LongAdder count = kills.get(cause);
    return count == null ? 0 : count.sum();
  }
}
