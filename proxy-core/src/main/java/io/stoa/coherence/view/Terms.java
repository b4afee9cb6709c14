// SPDX-License-Identifier: Apache-2.0
package io.stoa.coherence.view;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.LongPredicate;
import org.jspecify.annotations.Nullable;

/**
 * Shared state of all views of one feed epoch. When the epoch ends, all of them are invalid at
 * once, whatever their number.
 *
 * <p>Threading: thread-safe.
 */
public final class Terms {
  private final Map<InvalidationCause, LongAdder> kills = new ConcurrentHashMap<>();
  private final LongAdder wrong = new LongAdder();
  private final NewestVersions newest = new NewestVersions();
  private final FreshnessGuarantee reliance;
  private volatile LongPredicate lease;
  private volatile boolean over;

  /** Begins an epoch. */
  public Terms(FreshnessGuarantee reliance) {
    this.reliance = reliance;
    this.lease = reliance.live();
  }

  /**
   * Begins an epoch without in-place updates.
   *
   * @param lease true if the feed is known to be close enough to the servers at a time of the clock
   */
  public Terms(LongPredicate lease) {
    this(FreshnessGuarantee.on(lease));
  }

  /** Returns the newest states of entries that its views show. */
  NewestVersions newest() {
    return newest;
  }

  /** True if entries may be served as the feed has reported them. */
  boolean showImages() {
    return reliance.reached() != null;
  }

  /** True if all changes acknowledged by that time have been applied. */
  boolean haveReached(long then) {
    LongPredicate reached = reliance.reached();
    return reached != null && !over && reached.test(then);
  }

  boolean haveProved(long received) {
    FreshnessGuarantee.Proof proof = reliance.proof();
    return proof != null && !over && proof.isThere(received);
  }

  /** Returns the proof that each hit needs; null if the lease is enough. */
  public FreshnessGuarantee.@Nullable Proof proof() {
    return reliance.proof();
  }

  boolean areLive(long now) {
    return lease.test(now);
  }

  /** Ends the epoch: a change may have been missed, so none of its views is right any more. */
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

  /** Returns the number of views of this epoch that differed from the directory. */
  public long wrong() {
    return wrong.sum();
  }

  /** Returns the number of views of this epoch invalidated for that cause. */
  public long kills(InvalidationCause cause) {
    LongAdder count = kills.get(cause);
    return count == null ? 0 : count.sum();
  }
}
