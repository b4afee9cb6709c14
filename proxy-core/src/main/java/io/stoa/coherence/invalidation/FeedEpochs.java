// SPDX-License-Identifier: Apache-2.0
package io.stoa.coherence.invalidation;

import io.stoa.coherence.invalidation.CoherenceDomain.DomainContext;
import io.stoa.ldap.csn.Position;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Holds the present epoch of a domain, and is the only place that changes the state of the domain.
 *
 * <p>Threading: changed on the domain's thread; thread-safe for queries.
 */
final class FeedEpochs {
  private static final Logger LOG = LoggerFactory.getLogger(FeedEpochs.class);
  private static final long BRIEF_INTERRUPTION_NANOS = TimeUnit.MINUTES.toNanos(1);

  /** Minimum time between two equal warnings: one minute. */
  private static final long WARNING_INTERVAL_NANOS = TimeUnit.MINUTES.toNanos(1);

  private final DomainConfig config;
  private final DomainContext context;
  private final DomainCounters counters;
  private volatile DomainState state = DomainState.COLD;
  private volatile @Nullable FeedEpoch epoch;
  private volatile long suspendedNanos;
  private volatile @Nullable Long warnedNanos;

  FeedEpochs(DomainConfig config, DomainContext context, DomainCounters counters) {
    this.config = config;
    this.context = context;
    this.counters = counters;
  }

  /** Returns the present epoch; null if there is none. */
  @Nullable FeedEpoch current() {
    return epoch;
  }

  DomainState state() {
    return state;
  }

  /** True if no result is held by the feed, and none will be before the next epoch. */
  boolean isEmpty() {
    FeedEpoch now = epoch;
    return now == null || now.viewState().isOver();
  }

  /** True if the present epoch is old enough that reads show all changes from before it. */
  boolean isSettled() {
    FeedEpoch now = epoch;
    return now != null && now.begunNanos() - now.settledBefore(context.clock().getAsLong()) < 0;
  }

  /** True if the feed was interrupted less than one minute ago. */
  boolean isInterruptedBriefly() {
    return state == DomainState.SUSPENDED
        && context.clock().getAsLong() - suspendedNanos < BRIEF_INTERRUPTION_NANOS;
  }

  /** Begins an epoch at the position at which the feed begins. */
  void begin(Position position) {
    begin(new FeedEpoch(config, context, counters, position));
  }

  private void begin(FeedEpoch next) {
    epoch = next;
    moveTo(DomainState.LIVE);
  }

  /** Resumes after an interruption; otherwise has no effect. */
  void resume() {
    if (state == DomainState.SUSPENDED) {
      moveTo(DomainState.LIVE);
    }
  }

  /** Called when the feed is interrupted; returns false if it was interrupted before. */
  boolean suspend() {
    if (state != DomainState.LIVE) {
      return false;
    }
    suspendedNanos = context.clock().getAsLong();
    moveTo(DomainState.SUSPENDED);
    return true;
  }

  /** Ends the epoch after a gap: changes may have been missed. */
  void end() {
    FeedEpoch now = epoch;
    if (now != null) {
      end(now, null);
    }
  }

  private void end(FeedEpoch now, @Nullable FeedEpoch next) {
    epoch = next;
    now.viewState().end();
    moveTo(DomainState.GAP);
    moveTo(DomainState.COLD);
    counters.addEpoch(now.viewState()); // a reader of the count does not find it live
  }

  /**
   * Invalidates all results and starts a new epoch, while the feed goes on or stays interrupted.
   * There is an epoch all the time, because without one no reported change is waited for.
   */
  void flush() {
    FeedEpoch now = epoch;
    if (now != null) {
      DomainState before = state;
      FeedEpoch next = new FeedEpoch(config, context, counters, now);
      end(now, next);
      begin(next);
      if (before == DomainState.SUSPENDED) {
        moveTo(before);
      }
    }
  }

  /**
   * Logs that the epoch ends because writes through Stoa are not applied in time, at most once a
   * minute.
   */
  void warnOverload() {
    long now = context.clock().getAsLong();
    Long last = warnedNanos;
    if (last == null || now - last > WARNING_INTERVAL_NANOS) {
      warnedNanos = now;
      LOG.warn(
          "feed of {}: overloaded, writes through Stoa would have to wait. "
              + "Results held by this feed were invalidated. (Logged once a minute.)",
          config.context());
    }
  }

  private void moveTo(DomainState next) {
    if (!state.mayBecome(next)) {
      throw new IllegalStateException(state + " must not be followed by " + next);
    }
    state = next;
  }
}
