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
public final class EpochState {
  private final Map<InvalidationCause, LongAdder> invalidations = new ConcurrentHashMap<>();
  private final LongAdder mismatches = new LongAdder();
  private final NewestVersions newest = new NewestVersions();
  private final FreshnessGuarantee guarantee;
  private volatile LongPredicate lease;
  private volatile boolean ended;

  /** Begins an epoch. */
  public EpochState(FreshnessGuarantee guarantee) {
    this.guarantee = guarantee;
    this.lease = guarantee.live();
  }

  /** Returns the newest states of entries that its views show. */
  NewestVersions newest() {
    return newest;
  }

  /** True if entries may be served as the feed has reported them. */
  boolean mayServeFeedEntries() {
    return guarantee.reached() != null;
  }

  /** True if all changes acknowledged by that time have been applied. */
  boolean hasReached(long nanos) {
    LongPredicate reached = guarantee.reached();
    return reached != null && !ended && reached.test(nanos);
  }

  boolean hasProved(long received) {
    FreshnessGuarantee.Proof proof = guarantee.proof();
    return proof != null && !ended && proof.isProved(received);
  }

  /** Returns the proof that each hit needs; null if the lease is enough. */
  public FreshnessGuarantee.@Nullable Proof proof() {
    return guarantee.proof();
  }

  boolean isLive(long now) {
    return lease.test(now);
  }

  /** Ends the epoch: a change may have been missed, so none of its views is right any more. */
  public void end() {
    lease = EpochState::never;
    ended = true;
  }

  private static boolean never(long now) {
    return false;
  }

  public boolean isOver() {
    return ended;
  }

  void count(InvalidationCause cause) {
    invalidations.computeIfAbsent(cause, none -> new LongAdder()).increment();
  }

  void countMismatch() {
    mismatches.increment();
  }

  /** Returns the number of views of this epoch that differed from the directory. */
  public long mismatches() {
    return mismatches.sum();
  }

  /** Returns the number of views of this epoch invalidated for that cause. */
  public long invalidations(InvalidationCause cause) {
    LongAdder count = invalidations.get(cause);
    return count == null ? 0 : count.sum();
  }
}
