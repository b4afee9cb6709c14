// SPDX-License-Identifier: Apache-2.0
package io.stoa.coherence.invalidation;

import io.stoa.coherence.index.PredicateIndex;
import io.stoa.coherence.invalidation.Realm.Ties;
import io.stoa.coherence.view.Effects;
import io.stoa.coherence.view.Terms;
import io.stoa.coherence.view.View;
import io.stoa.feed.transaction.Commits;
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
final class Run {
  /** Entries above others; most directories have few. */
  private static final int MOST_PLACES = 200_000;

  private final RealmConfig config;
  private final LongSupplier clock;
  private final Terms terms;
  private final ChangeRing ring;
  private final PredicateIndex<View> index = new PredicateIndex<>();
  private final LastCsn last = new LastCsn();
  private final Places places = new Places(MOST_PLACES);
  private final Effects effects;
  private final Seconds seconds = new Seconds(InstantSource.system());
  private final StepsBack steps = new StepsBack();
  private final Sight sight;
  private final Proofs proofs;
  private final Confirmer confirmer;

  /** What was told later is known in this run. */
  private long forgottenNanos;

  private final Commits commits;
  private final CommitWatch watch;
  private final ImageConfirmer images;
  private final ChangeApplier applier;

  /** Begins one with what was there when the feed began. */
  Run(RealmConfig config, Ties ties, RealmCounters counters, Position from) {
    this(
        config,
        ties,
        counters,
        new Commits(config.context(), InstantSource.system(), ties.clock().getAsLong()),
        forgotten -> new ChangeRing(config.ring(), config.context(), from, forgotten));
    begun(from);
  }

  /** Begins one where another one ends, though the feed had no gap. */
  Run(RealmConfig config, Ties ties, RealmCounters counters, Run before) {
    this(
        config,
        ties,
        counters,
        before.commits,
        forgotten -> new ChangeRing(before.ring, forgotten));
    steps.goOn(before.steps, ring);
    watch.watch();
  }

  private Run(
      RealmConfig config,
      Ties ties,
      RealmCounters counters,
      Commits commits,
      Function<Consumer<RingRecord>, ChangeRing> ring) {
    this.config = config;
    this.clock = ties.clock();
    this.forgottenNanos = clock.getAsLong();
    this.commits = commits;
    this.terms = new Terms(ties.reliance());
    this.ring = ring.apply(this::forget);
    this.effects = new Effects(index, counters::evaluated);
    this.sight = new Sight(config, counters);
    this.proofs = new Proofs(ties.clock(), config.rights());
    this.confirmer = new Confirmer(config, ties, this, counters);
    this.watch = new CommitWatch(config, ties, this);
    this.images = new ImageConfirmer(config, ties, this, counters);
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

  StepsBack steps() {
    return steps;
  }

  Seconds seconds() {
    return seconds;
  }

  /** Of the realm's thread. */
  LastCsn last() {
    return last;
  }

  /** Of the realm's thread. */
  Places places() {
    return places;
  }

  /** Of the realm's thread. */
  Effects effects() {
    return effects;
  }

  /** Of the realm's thread. */
  Sight sight() {
    return sight;
  }

  /** Of the realm's thread. */
  Proofs proofs() {
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
  Commits commits() {
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
  Confirmer confirmer() {
    return confirmer;
  }

  /** Of the realm's thread. */
  ImageConfirmer images() {
    return images;
  }

  /** Of the realm's thread. */
  ChangeApplier applier() {
    return applier;
  }
}
