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
  private static final long PATIENCE_NANOS = TimeUnit.MINUTES.toNanos(1);

  /** Minimum time between two equal warnings: one minute. */
  private static final long SAID_NANOS = TimeUnit.MINUTES.toNanos(1);

  private final RealmConfig config;
  private final DomainContext ties;
  private final RealmCounters counters;
  private volatile RealmState state = RealmState.COLD;
  private volatile @Nullable FeedEpoch run;
  private volatile long suspendedNanos;
  private volatile @Nullable Long saidNanos;

  FeedEpochs(RealmConfig config, DomainContext ties, RealmCounters counters) {
    this.config = config;
    this.ties = ties;
    this.counters = counters;
  }

  /** Returns the present epoch; null if there is none. */
  @Nullable FeedEpoch now() {
    return run;
  }

  RealmState state() {
    return state;
  }

  /** True if no result is held by the feed, and none will be before the next epoch. */
  boolean areVoid() {
    FeedEpoch now = run;
    return now == null || now.terms().areOver();
  }

  /** True if the present epoch is old enough that reads show all changes from before it. */
  boolean areSettled() {
    FeedEpoch now = run;
    return now != null && now.begunNanos() - now.settled(ties.clock().getAsLong()) < 0;
  }

  /** True if the feed was interrupted less than one minute ago. */
  boolean areWaiting() {
    return state == RealmState.SUSPENDED
        && ties.clock().getAsLong() - suspendedNanos < PATIENCE_NANOS;
  }

  /** Begins an epoch at the position at which the feed begins. */
  void begin(Position position) {
    begin(new FeedEpoch(config, ties, counters, position));
  }

  private void begin(FeedEpoch next) {
    run = next;
    become(RealmState.LIVE);
  }

  /** Resumes after an interruption; otherwise has no effect. */
  void goOn() {
    if (state == RealmState.SUSPENDED) {
      become(RealmState.LIVE);
    }
  }

  /** Called when the feed is interrupted; returns false if it was interrupted before. */
  boolean suspend() {
    if (state != RealmState.LIVE) {
      return false;
    }
    suspendedNanos = ties.clock().getAsLong();
    become(RealmState.SUSPENDED);
    return true;
  }

  /** Ends the epoch after a gap: changes may have been missed. */
  void end() {
    FeedEpoch now = run;
    if (now != null) {
      end(now, null);
    }
  }

  private void end(FeedEpoch now, @Nullable FeedEpoch next) {
    run = next;
    now.terms().end();
    become(RealmState.FLUSHED);
    become(RealmState.COLD);
    counters.ended(now.terms()); // a reader of the count does not find it live
  }

  /**
   * Invalidates all results and starts a new epoch, while the feed goes on or stays interrupted.
   * There is an epoch all the time, because without one no reported change is waited for.
   */
  void beginAnew() {
    FeedEpoch now = run;
    if (now != null) {
      RealmState before = state;
      FeedEpoch next = new FeedEpoch(config, ties, counters, now);
      end(now, next);
      begin(next);
      if (before == RealmState.SUSPENDED) {
        become(before);
      }
    }
  }

  /**
   * Logs that the epoch ends because writes through Stoa are not applied in time, at most once a
   * minute.
   */
  void sayOverrun() {
    long now = ties.clock().getAsLong();
    Long last = saidNanos;
    if (last == null || now - last > SAID_NANOS) {
      saidNanos = now;
      LOG.warn(
          "{}: the feed tells of more than is applied in time, and writes through Stoa would wait:"
              + " nothing that rests on it is kept; this is said once a minute",
          config.context());
    }
  }

  private void become(RealmState next) {
    if (!state.mayBecome(next)) {
      throw new IllegalStateException(state + " does not become " + next);
    }
    state = next;
  }
}
