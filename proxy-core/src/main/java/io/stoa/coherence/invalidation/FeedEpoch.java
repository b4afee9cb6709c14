// SPDX-License-Identifier: Apache-2.0
package io.stoa.coherence.invalidation;

import io.stoa.coherence.index.PredicateIndex;
import io.stoa.coherence.invalidation.CoherenceDomain.DomainContext;
import io.stoa.coherence.view.EpochState;
import io.stoa.coherence.view.Invalidator;
import io.stoa.coherence.view.View;
import io.stoa.feed.transaction.CommitTracker;
import io.stoa.ldap.csn.Position;
import java.time.InstantSource;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.LongSupplier;

/**
 * All state that is derived from a feed while it has no gap. A gap or a flush starts a new epoch.
 * Nothing of the old one is read again, except how far it had come, so a flush costs the same for
 * any number of views.
 *
 * <p>Threading: thread-safe, except for the members confined to the domain's thread.
 */
final class FeedEpoch {
  /**
   * Maximum number of entries in the ancestor index: 200,000. Most directories have far fewer
   * entries with others below them.
   */
  private static final int MAX_ANCESTORS = 200_000;

  private final DomainConfig config;
  private final LongSupplier clock;
  private final EpochState viewState;
  private final ChangeRing ring;
  private final PredicateIndex<View> index = new PredicateIndex<>();
  private final LastCsn lastCsns = new LastCsn();
  private final AncestorIndex ancestors = new AncestorIndex(MAX_ANCESTORS);
  private final Invalidator invalidator;
  private final TimestampOrder timestamps = new TimestampOrder(InstantSource.system());
  private final ClockRegressions regressions = new ClockRegressions();
  private final FeedVisibility visibility;
  private final ConfirmedStates confirmed;
  private final VisibilityVerifier visibilityVerifier;

  /** Changes reported after this time are all known in this epoch. */
  private long forgottenNanos;

  private final CommitTracker commits;
  private final CommitWatch commitWatch;
  private final UpdateVerifier updateVerifier;
  private final ChangeApplier applier;

  /** Begins an epoch at the position at which the feed began. */
  FeedEpoch(DomainConfig config, DomainContext context, DomainCounters counters, Position from) {
    this(
        config,
        context,
        counters,
        new CommitTracker(config.context(), InstantSource.system(), context.clock().getAsLong()),
        forgotten -> new ChangeRing(config.ring(), config.context(), from, forgotten));
    onBegin(from);
  }

  /** Begins an epoch after a flush, without a gap of the feed. */
  FeedEpoch(DomainConfig config, DomainContext context, DomainCounters counters, FeedEpoch before) {
    this(
        config,
        context,
        counters,
        before.commits,
        forgotten -> new ChangeRing(before.ring, forgotten));
    regressions.takeOver(before.regressions, ring);
    commitWatch.watch();
  }

  private FeedEpoch(
      DomainConfig config,
      DomainContext context,
      DomainCounters counters,
      CommitTracker commits,
      Function<Consumer<RingRecord>, ChangeRing> ring) {
    this.config = config;
    this.clock = context.clock();
    this.forgottenNanos = clock.getAsLong();
    this.commits = commits;
    this.viewState = new EpochState(context.guarantee());
    this.ring = ring.apply(this::forget);
    this.invalidator = new Invalidator(index, counters::countEvaluation);
    this.visibility = new FeedVisibility(config, counters);
    this.confirmed = new ConfirmedStates(context.clock(), config.rights());
    this.visibilityVerifier = new VisibilityVerifier(config, context, this, counters);
    this.commitWatch = new CommitWatch(config, context, this);
    this.updateVerifier = new UpdateVerifier(config, context, this, counters);
    this.applier = new ChangeApplier(this, config);
  }

  private void forget(RingRecord record) {
    forgottenNanos = record.appendedNanos();
    lastCsns.forget(record);
    regressions.forget(record);
  }

  EpochState viewState() {
    return viewState;
  }

  ChangeRing ring() {
    return ring;
  }

  /**
   * Returns when the start position of the feed became known. The feed does not report changes from
   * before it.
   */
  long begunNanos() {
    return commits.begunNanos();
  }

  PredicateIndex<View> index() {
    return index;
  }

  ClockRegressions regressions() {
    return regressions;
  }

  TimestampOrder timestamps() {
    return timestamps;
  }

  /** Confined to the domain's thread. */
  LastCsn lastCsns() {
    return lastCsns;
  }

  /** Confined to the domain's thread. */
  AncestorIndex ancestors() {
    return ancestors;
  }

  /** Confined to the domain's thread. */
  Invalidator invalidator() {
    return invalidator;
  }

  /** Confined to the domain's thread. */
  FeedVisibility visibility() {
    return visibility;
  }

  /** Confined to the domain's thread. */
  ConfirmedStates confirmed() {
    return confirmed;
  }

  /**
   * Returns the time before which all reported changes are visible to a read that is sent at {@code
   * sentNanos}, on each server that has them.
   */
  long settledBefore(long sentNanos) {
    return commits.settled(sentNanos - config.settle().toNanos());
  }

  /**
   * Returns the last time, inclusive, at which all reported changes are committed or aborted. The
   * settle time is not taken into account.
   */
  long committedUntil(long askedNanos) {
    return commits.settled(askedNanos + 1) - 1;
  }

  /** Confined to the domain's thread. */
  CommitTracker commits() {
    return commits;
  }

  /**
   * True if an unknown entry that is gone now is known to have existed. False if it may have been
   * added in an open transaction, in a change from before this epoch, or in one that is forgotten.
   * Confined to the domain's thread.
   */
  boolean isKnownToHaveExisted(long now) {
    return commits.settled(now) - forgottenNanos > 0;
  }

  /** Confined to the domain's thread. */
  CommitWatch commitWatch() {
    return commitWatch;
  }

  /**
   * Called when the feed was interrupted, and may come from another server now. Confined to the
   * domain's thread.
   */
  void onInterrupted() {
    visibility.onInterrupted();
    confirmed.clear();
    commits.onDisconnect(clock.getAsLong());
  }

  /** Called when the feed resumes at a position. Confined to the domain's thread. */
  void onResumed(Position position) {
    onInterrupted();
    onBegin(position);
  }

  /**
   * Starts to wait for changes that the server had counted at this position: it may not show them
   * yet, and the feed does not report them.
   */
  private void onBegin(Position position) {
    commits.onBegin(position, clock.getAsLong());
    commitWatch.restart();
  }

  /** Confined to the domain's thread. */
  VisibilityVerifier visibilityVerifier() {
    return visibilityVerifier;
  }

  /** Confined to the domain's thread. */
  UpdateVerifier updateVerifier() {
    return updateVerifier;
  }

  /** Confined to the domain's thread. */
  ChangeApplier applier() {
    return applier;
  }
}
