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
 * All that rests on a feed as long as it has no gap. After one there is another run, and nothing of
 * this one is looked at again, but for how far it had come: that is what makes a flush cheap.
 * Thread-safe, but for what is of the realm's thread.
 */
final class FeedEpoch {
  /** Entries above others; most directories have few. */
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

  /** What was told later is known in this run. */
  private long forgottenNanos;

  private final CommitTracker commits;
  private final CommitWatch watch;
  private final UpdateVerifier images;
  private final ChangeApplier applier;

  /** Begins one with what was there when the feed began. */
  FeedEpoch(RealmConfig config, DomainContext ties, RealmCounters counters, Position from) {
    this(
        config,
        ties,
        counters,
        new CommitTracker(config.context(), InstantSource.system(), ties.clock().getAsLong()),
        forgotten -> new ChangeRing(config.ring(), config.context(), from, forgotten));
    begun(from);
  }

  /** Begins one where another one ends, though the feed had no gap. */
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

  /** When it was known where the feed begins: what was counted before that it does not tell. */
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

  /** Of the realm's thread. */
  LastCsn last() {
    return last;
  }

  /** Of the realm's thread. */
  AncestorIndex places() {
    return places;
  }

  /** Of the realm's thread. */
  Invalidator effects() {
    return effects;
  }

  /** Of the realm's thread. */
  FeedVisibility sight() {
    return sight;
  }

  /** Of the realm's thread. */
  ConfirmedStates proofs() {
    return proofs;
  }

  /** What was said before then is shown by whoever is asked at that time, and has it. */
  long settled(long sentNanos) {
    return commits.settled(sentNanos - config.settle().toNanos());
  }

  /** The same at that time and before it, but for what has not settled. */
  long shown(long askedNanos) {
    return commits.settled(askedNanos + 1) - 1;
  }

  /** Of the realm's thread. */
  CommitTracker commits() {
    return commits;
  }

  /**
   * Whether an entry of which nothing is known has been there, if it is gone now: unless it may
   * have been added in a transaction that is not over, by what was told before this run, or is
   * forgotten. Of the realm's thread.
   */
  boolean wasThere(long now) {
    return commits.settled(now) - forgottenNanos > 0;
  }

  /** Of the realm's thread. */
  CommitWatch watch() {
    return watch;
  }

  /** The feed was cut off, and may come from elsewhere now; of the realm's thread. */
  void interrupted() {
    sight.interrupted();
    proofs.forget();
    commits.interrupted(clock.getAsLong());
  }

  /** It goes on there; of the realm's thread. */
  void resumed(Position position) {
    interrupted();
    begun(position);
  }

  /** Something may have been counted that is not shown yet, and that the feed does not tell. */
  private void begun(Position position) {
    commits.begun(position, clock.getAsLong());
    watch.begun();
  }

  /** Of the realm's thread. */
  VisibilityVerifier confirmer() {
    return confirmer;
  }

  /** Of the realm's thread. */
  UpdateVerifier images() {
    return images;
  }

  /** Of the realm's thread. */
  ChangeApplier applier() {
    return applier;
  }
}
