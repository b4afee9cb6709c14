// SPDX-License-Identifier: Apache-2.0
package io.stoa.coherence.invalidation;

import io.stoa.coherence.invalidation.CoherenceDomain.DomainContext;
import io.stoa.ldap.csn.Position;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The runs of a realm, one after the other, and how it stands with its feed: its state moves here
 * and nowhere else. Moved on the realm's thread; thread-safe for those who look.
 */
final class FeedEpochs {
  private static final Logger LOG = LoggerFactory.getLogger(FeedEpochs.class);
  private static final long PATIENCE_NANOS = TimeUnit.MINUTES.toNanos(1);

  /** What happens more often is said once in that time. */
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

  /** The one that is under way; null if none is. */
  @Nullable FeedEpoch now() {
    return run;
  }

  RealmState state() {
    return state;
  }

  /** Whether nothing rests on the feed, or will before there is another one. */
  boolean areVoid() {
    FeedEpoch now = run;
    return now == null || now.terms().areOver();
  }

  /** Whether there is one that has begun so long ago that all shows with what. */
  boolean areSettled() {
    FeedEpoch now = run;
    return now != null && now.begunNanos() - now.settled(ties.clock().getAsLong()) < 0;
  }

  /** Whether the feed was cut off a short while ago. */
  boolean areWaiting() {
    return state == RealmState.SUSPENDED
        && ties.clock().getAsLong() - suspendedNanos < PATIENCE_NANOS;
  }

  /** The feed has begun there. */
  void begin(Position position) {
    begin(new FeedEpoch(config, ties, counters, position));
  }

  private void begin(FeedEpoch next) {
    run = next;
    become(RealmState.LIVE);
  }

  /** The feed goes on; whether that was known is no matter. */
  void goOn() {
    if (state == RealmState.SUSPENDED) {
      become(RealmState.LIVE);
    }
  }

  /** The feed is cut off; false if it was before. */
  boolean suspend() {
    if (state != RealmState.LIVE) {
      return false;
    }
    suspendedNanos = ties.clock().getAsLong();
    become(RealmState.SUSPENDED);
    return true;
  }

  /** What has changed is not known any more. */
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
    counters.ended(now.terms()); // who sees it does not find it live
  }

  /**
   * All is void, though the feed goes on, or is as it was. There is a run all the time: where there
   * is none, nothing that was told is waited for.
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

  /** A run ends since what was done through Stoa is not applied in time. People are told. */
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
