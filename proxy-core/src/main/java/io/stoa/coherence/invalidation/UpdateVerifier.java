// SPDX-License-Identifier: Apache-2.0
package io.stoa.coherence.invalidation;

import io.stoa.coherence.invalidation.CoherenceDomain.DomainContext;
import io.stoa.coherence.invalidation.VisibilityVerifier.Seen;
import io.stoa.coherence.view.InvalidationCause;
import io.stoa.coherence.view.View;
import io.stoa.feed.event.Change.Deleted;
import io.stoa.feed.event.Change.Source;
import io.stoa.ldap.csn.Csn;
import io.stoa.ldap.protocol.Uuid;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Finds out whether what was shown because the feed had told it was so: a directory may tell of a
 * transaction that it then aborts. Whatever has changed an answer in place is asked for once, when
 * it has settled, many entries at a time. Where the server shows an older state, or none, or what
 * should be gone, all that shows it dies at once; and if it still does so a while later, and
 * nothing newer has been told, then it never was. Where it shows a newer state than is told soon,
 * what was shown may have been or not, and dies. Confined to the realm's thread.
 */
final class UpdateVerifier {
  private static final Logger LOG = LoggerFactory.getLogger(UpdateVerifier.class);
  private static final int MOST_ENTRIES = 100;

  /** What comes within such a time is asked for together. */
  private static final long GATHER_NANOS = TimeUnit.MILLISECONDS.toNanos(20);

  /** Of what the server shows the feed tells within that time, most often. */
  private static final long TOLD_MILLIS = 100;

  private final RealmConfig config;
  private final DomainContext ties;
  private final FeedEpoch run;
  private final RealmCounters counters;
  private final Deque<Shown> waiting = new ArrayDeque<>();
  private boolean scheduled;
  private boolean warned;

  UpdateVerifier(RealmConfig config, DomainContext ties, FeedEpoch run, RealmCounters counters) {
    this.config = config;
    this.ties = ties;
    this.run = run;
    this.counters = counters;
  }

  /**
   * A change that answers show. Immutable.
   *
   * @param sinceNanos it is asked for when it has settled since then
   * @param again whether it has been contradicted once
   */
  private record Shown(
      RingRecord record, Uuid uuid, List<View> views, long sinceNanos, boolean again) {
    Shown doubted(long now) {
      return new Shown(record, uuid, List.of(), now, true);
    }
  }

  /**
   * The change has altered these views. What was read after it was done needs no proof.
   *
   * @param views none if it has altered nothing in place
   */
  void await(RingRecord record, List<View> views) {
    Uuid uuid = record.uuid();
    counters.amended(views.size());
    if (!views.isEmpty() && uuid != null && record.change().receipt().source() == Source.FEED) {
      waiting.add(new Shown(record, uuid, views, record.appendedNanos(), false));
      schedule();
    } else {
      views.forEach(View::borneOut);
    }
  }

  void schedule() {
    Shown first = waiting.peek();
    if (!scheduled && first != null) {
      scheduled = true;
      long settled = first.sinceNanos() + config.settle().toNanos() + GATHER_NANOS;
      long delay = Math.max(0, settled - ties.clock().getAsLong());
      ties.own().schedule(this::send, delay, TimeUnit.NANOSECONDS);
    }
  }

  private void send() {
    scheduled = false;
    if (run.terms().areOver()) {
      waiting.clear();
      return;
    }
    long settled = ties.clock().getAsLong() - config.settle().toNanos();
    List<Shown> batch = batch(settled);
    while (!batch.isEmpty()) {
      ask(batch);
      batch = batch(settled);
    }
    schedule();
  }

  private List<Shown> batch(long settled) {
    List<Shown> batch = new ArrayList<>();
    Shown next = waiting.peek();
    long now = ties.clock().getAsLong();
    while (next != null && next.sinceNanos() - settled <= 0 && batch.size() < MOST_ENTRIES) {
      waiting.remove();
      if (next.again() && next.record().appendedNanos() - run.settled(now) >= 0) {
        waiting.add(next.doubted(now)); // its transaction may go on, and shows nothing until then
      } else {
        batch.add(next);
      }
      next = waiting.peek();
    }
    return batch;
  }

  private void ask(List<Shown> batch) {
    List<Uuid> uuids = batch.stream().map(Shown::uuid).distinct().toList();
    counters.confirming(uuids.size());
    long over = run.settled(ties.clock().getAsLong());
    ties.reader()
        .search(
            run.confirmer().question(uuids, List.of()),
            found -> run.confirmer().back(() -> answered(batch, run.confirmer().seen(found), over)),
            why -> run.confirmer().back(() -> batch.forEach(this::cannotTell)));
  }

  /**
   * What was asked is answered.
   *
   * @param over what was appended before then had been committed when it was asked, if ever
   */
  private void answered(List<Shown> batch, Map<Uuid, Seen> seen, long over) {
    for (Shown shown : batch) {
      Seen now = seen.get(shown.uuid());
      RingRecord last = last(shown);
      if (!isBorneOut(shown.record(), now) && !isBorneOut(last, now)) {
        notBorneOut(shown, last, over);
      } else if (isAhead(last, now)) {
        ties.own().schedule(() -> decide(shown, now), TOLD_MILLIS, TimeUnit.MILLISECONDS);
      } else {
        shown.views().forEach(View::borneOut);
      }
    }
    schedule();
  }

  /** What was told last of its entry, as far as that is kept. */
  private RingRecord last(Shown shown) {
    RingRecord last = run.last().of(shown.uuid());
    return last == null ? shown.record() : last;
  }

  /** If the next change has been told, the views show that, or have died of it. */
  private void decide(Shown shown, @Nullable Seen then) {
    if (isAhead(last(shown), then)) {
      shown.views().forEach(view -> view.kill(InvalidationCause.EVIDENCE));
    } else {
      shown.views().forEach(View::borneOut);
    }
  }

  /** Whether the entry is seen as it should be after the change, in that state or not at all. */
  private static boolean isBorneOut(RingRecord record, @Nullable Seen now) {
    Csn csn = record.change().csn();
    Csn state = now == null ? null : now.state();
    return record.change() instanceof Deleted
        ? now == null
        : state != null && csn != null && state.compareTo(csn) >= 0;
  }

  /** Whether the entry has been changed since by what was not told yet. */
  private static boolean isAhead(RingRecord last, @Nullable Seen now) {
    Csn told = last.change().csn();
    Csn state = now == null ? null : now.state();
    return state != null && told != null && state.compareTo(told) > 0;
  }

  /**
   * Nor is what has been told since. That may never have been, either, and may have altered nothing
   * in what this has altered: so it is asked for all the same.
   */
  private void notBorneOut(Shown shown, RingRecord last, long over) {
    if (last == shown.record()) {
      contradicted(shown, over);
    } else if (!shown.views().isEmpty()) {
      shown.views().forEach(view -> view.kill(InvalidationCause.UNCONFIRMED));
      waiting.add(new Shown(last, shown.uuid(), List.of(), last.appendedNanos(), false));
    }
  }

  /**
   * It may be that the next change has not been told yet, or that its transaction goes on: that
   * does not make a phantom of it.
   */
  private void contradicted(Shown shown, long over) {
    boolean never = shown.again() && shown.record().appendedNanos() - over < 0;
    InvalidationCause cause = never ? InvalidationCause.PHANTOM : InvalidationCause.UNCONFIRMED;
    run.effects().withdraw(shown.uuid(), shown.views(), cause);
    if (!never) {
      waiting.add(shown.doubted(ties.clock().getAsLong()));
      return;
    }
    shown.record().refute();
    counters.phantom();
    if (!warned) {
      warned = true;
      LOG.warn(
          "{}: the feed has told of a change that never took effect, as OpenLDAP does of"
              + " transactions that it aborts; its replicas may show it: entry {}",
          config.context(),
          shown.uuid());
    }
  }

  /** It cannot be found out. */
  private void cannotTell(Shown shown) {
    shown.views().forEach(view -> view.kill(InvalidationCause.UNCONFIRMED));
  }
}
