// SPDX-License-Identifier: Apache-2.0
package io.stoa.realm;

import io.stoa.change.ChangeRing;
import io.stoa.change.Position;
import io.stoa.change.Proofs;
import io.stoa.change.RingRecord;
import io.stoa.change.Seconds;
import io.stoa.change.StepsBack;
import io.stoa.index.PredicateIndex;
import io.stoa.realm.Realm.Ties;
import io.stoa.view.Effects;
import io.stoa.view.Terms;
import io.stoa.view.View;
import java.time.InstantSource;
import java.util.function.Consumer;
import java.util.function.Function;

/**
 * All that rests on a feed as long as it has no gap. After one there is another run, and nothing of
 * this one is looked at again, but for how far it had come: that is what makes a flush cheap.
 * Thread-safe, but for what is of the realm's thread.
 */
final class Run {
  /** Entries above others; most directories have few. */
  private static final int MOST_PLACES = 200_000;

  private final Terms terms;
  private final long begunNanos;
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
  private final ImageConfirmer images;
  private final ChangeApplier applier;

  /** Begins one with what was there when the feed began. */
  Run(RealmConfig config, Ties ties, RealmCounters counters, Position from) {
    this(
        config,
        ties,
        counters,
        ties.clock().getAsLong(),
        forgotten -> new ChangeRing(config.ring(), config.context(), from, forgotten));
  }

  /** Begins one where another one ends, though the feed had no gap. */
  Run(RealmConfig config, Ties ties, RealmCounters counters, Run before) {
    this(
        config,
        ties,
        counters,
        before.begunNanos,
        forgotten -> new ChangeRing(before.ring, forgotten));
    steps.goOn(before.steps, ring);
  }

  private Run(
      RealmConfig config,
      Ties ties,
      RealmCounters counters,
      long begunNanos,
      Function<Consumer<RingRecord>, ChangeRing> ring) {
    this.begunNanos = begunNanos;
    this.terms = new Terms(ties.reliance());
    this.ring = ring.apply(this::forget);
    this.effects = new Effects(index, counters::evaluated);
    this.sight = new Sight(config.proofs());
    this.proofs = new Proofs(ties.clock(), config.rights());
    this.confirmer = new Confirmer(config, ties, this, counters);
    this.images = new ImageConfirmer(config, ties, this, counters);
    this.applier = new ChangeApplier(this, config);
  }

  private void forget(RingRecord record) {
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
    return begunNanos;
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

  /** The feed was cut off, and may come from elsewhere now; of the realm's thread. */
  void interrupted() {
    sight.interrupted();
    proofs.forget();
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
