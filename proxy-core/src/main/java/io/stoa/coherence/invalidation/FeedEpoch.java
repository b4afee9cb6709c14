// SPDX-License-Identifier: Apache-2.0
package io.stoa.coherence.invalidation;

import io.stoa.coherence.index.PredicateIndex;
import io.stoa.coherence.invalidation.CoherenceDomain.DomainContext;
import io.stoa.coherence.view.Invalidator;
import io.stoa.coherence.view.Terms;
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
  private static final int MOST_PLACES = 200_000;

  private final RealmConfig config;
  private final LongSupplier clock;
  private final Terms terms;
  private final ChangeRing ring;
  private final PredicateIndex<View> index = new PredicateIndex<>();
  private final LastCsn last = new LastCsn();
  private final AncestorIndex places = new AncestorIndex(MOST_PLACES);
  private final Invalidator effects;
  private final TimestampOrder seconds = new TimestampOrder(InstantSource.system());
  private final ClockRegressions steps = new ClockRegressions();
  private final FeedVisibility sight;
  private final ConfirmedStates proofs;
  private final VisibilityVerifier confirmer;

  /** Changes reported after this time are all known in this epoch. */
  private long forgottenNanos;

  private final CommitTracker commits;
  private final CommitWatch watch;
  private final UpdateVerifier images;
  private final ChangeApplier applier;

  /** Begins an epoch at the position at which the feed began. */
  FeedEpoch(RealmConfig config, DomainContext ties, RealmCounters counters, Position from) {
    this(
        config,
        ties,
        counters,
        new CommitTracker(config.context(), InstantSource.system(), ties.clock().getAsLong()),
        forgotten -> new ChangeRing(config.ring(), config.context(), from, forgotten));
    begun(from);
  }

  /** Begins an epoch after a flush, without a gap of the feed. */
  FeedEpoch(RealmConfig config, DomainContext ties, RealmCounters counters, FeedEpoch before) {
    this(
        config,
        ties,
        counters,
        before.commits,
        forgotten -> new ChangeRing(before.ring, forgotten));
    steps.goOn(before.steps, ring);
    watch.watch();
  }

  private FeedEpoch(
      RealmConfig config,
      DomainContext ties,
      RealmCounters counters,
      CommitTracker commits,
      Function<Consumer<RingRecord>, ChangeRing> ring) {
    this.config = config;
    this.clock = ties.clock();
    this.forgottenNanos = clock.getAsLong();
    this.commits = commits;
    this.terms = new Terms(ties.reliance());
    this.ring = ring.apply(this::forget);
    this.effects = new Invalidator(index, counters::evaluated);
    this.sight = new FeedVisibility(config, counters);
    this.proofs = new ConfirmedStates(ties.clock(), config.rights());
    this.confirmer = new VisibilityVerifier(config, ties, this, counters);
    this.watch = new CommitWatch(config, ties, this);
    this.images = new UpdateVerifier(config, ties, this, counters);
    this.applier = new ChangeApplier(this, config);
  }

  private void forget(RingRecord record) {
    forgottenNanos = record.appendedNanos();
    last.forget(record);
    steps.forget(record);
  }

  Terms terms() {
    return terms;
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

  ClockRegressions steps() {
    return steps;
  }

  TimestampOrder seconds() {
    return seconds;
  }

  /** Confined to the domain's thread. */
  LastCsn last() {
    return last;
  }

  /** Confined to the domain's thread. */
  AncestorIndex places() {
    return places;
  }

  /** Confined to the domain's thread. */
  Invalidator effects() {
    return effects;
  }

  /** Confined to the domain's thread. */
  FeedVisibility sight() {
    return sight;
  }

  /** Confined to the domain's thread. */
  ConfirmedStates proofs() {
    return proofs;
  }

  /**
   * Returns the time before which all reported changes are visible to a read that is sent at {@code
   * sentNanos}, on each server that has them.
   */
  long settled(long sentNanos) {
    return commits.settled(sentNanos - config.settle().toNanos());
  }

  /**
   * Returns the last time, inclusive, at which all reported changes are committed or aborted. The
   * settle time is not taken into account.
   */
  long shown(long askedNanos) {
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
  boolean wasThere(long now) {
    return commits.settled(now) - forgottenNanos > 0;
  }

  /** Confined to the domain's thread. */
  CommitWatch watch() {
    return watch;
  }

  /**
   * Called when the feed was interrupted, and may come from another server now. Confined to the
   * domain's thread.
   */
  void interrupted() {
    sight.interrupted();
    proofs.forget();
    commits.interrupted(clock.getAsLong());
  }

  /** Called when the feed resumes at a position. Confined to the domain's thread. */
  void resumed(Position position) {
    interrupted();
    begun(position);
  }

  /**
   * Starts to wait for changes that the server had counted at this position: it may not show them
   * yet, and the feed does not report them.
   */
  private void begun(Position position) {
    commits.begun(position, clock.getAsLong());
    watch.begun();
  }

  /** Confined to the domain's thread. */
  VisibilityVerifier confirmer() {
    return confirmer;
  }

  /** Confined to the domain's thread. */
  UpdateVerifier images() {
    return images;
  }

  /** Confined to the domain's thread. */
  ChangeApplier applier() {
    return applier;
  }
}
