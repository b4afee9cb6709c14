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
 * Verifies in-place updates: a directory may report a change of a transaction that it then aborts.
 *
 * <ol>
 *   <li>Each change that has updated an answer is read back once, when it has settled, many entries
 *       at a time.
 *   <li>If the server shows an older state, no entry, or a deleted entry, all views that show the
 *       change are invalidated at once.
 *   <li>If the server still does so a while later, and no newer change has been reported, the
 *       change never took effect.
 *   <li>If the server shows a newer state that is not reported soon, the views are invalidated,
 *       because the change is then unproved.
 * </ol>
 *
 * <p>Threading: confined to the domain's thread.
 */
final class UpdateVerifier {
  private static final Logger LOG = LoggerFactory.getLogger(UpdateVerifier.class);
  private static final int MOST_ENTRIES = 100;

  /** Time for which changes are collected into one search: 20 ms. */
  private static final long GATHER_NANOS = TimeUnit.MILLISECONDS.toNanos(20);

  /** Time within which the feed usually reports a state that the server shows: 100 ms. */
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
   * @param sinceNanos the change is read back when it has settled since this time
   * @param again true if it has been contradicted once
   */
  private record Shown(
      RingRecord record, Uuid uuid, List<View> views, long sinceNanos, boolean again) {
    Shown doubted(long now) {
      return new Shown(record, uuid, List.of(), now, true);
    }
  }

  /**
   * Called when a change has updated these views in place. A write through Stoa needs no proof,
   * since it was read back.
   *
   * @param views the updated views; may be empty
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
        waiting.add(next.doubted(now)); // its transaction may be open, and shows nothing yet
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
   * Called with the response.
   *
   * @param over changes appended before this time were committed or aborted when the search was
   *     sent
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

  /** Returns the last reported change of the entry, as far as the ring holds it. */
  private RingRecord last(Shown shown) {
    RingRecord last = run.last().of(shown.uuid());
    return last == null ? shown.record() : last;
  }

  /**
   * Decides after a newer state was seen. If the next change has been reported, the views show it
   * or were invalidated by it.
   */
  private void decide(Shown shown, @Nullable Seen then) {
    if (isAhead(last(shown), then)) {
      shown.views().forEach(view -> view.kill(InvalidationCause.EVIDENCE));
    } else {
      shown.views().forEach(View::borneOut);
    }
  }

  /**
   * True if the server shows the entry as it must be after the change: in that state or a newer
   * one, or deleted.
   */
  private static boolean isBorneOut(RingRecord record, @Nullable Seen now) {
    Csn csn = record.change().csn();
    Csn state = now == null ? null : now.state();
    return record.change() instanceof Deleted
        ? now == null
        : state != null && csn != null && state.compareTo(csn) >= 0;
  }

  /** True if the server shows a change of the entry that is not reported yet. */
  private static boolean isAhead(RingRecord last, @Nullable Seen now) {
    Csn told = last.change().csn();
    Csn state = now == null ? null : now.state();
    return state != null && told != null && state.compareTo(told) > 0;
  }

  /**
   * Called when the server shows neither this change nor the last reported one. The last one may
   * never have taken effect either. The last one is read back as well, since the views need not
   * show it.
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
   * Called when the server contradicts the last reported change. Its transaction may be open, or
   * the next change not reported yet; only the second contradiction makes it a phantom.
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

  /** Invalidates the views when the server cannot be read. */
  private void cannotTell(Shown shown) {
    shown.views().forEach(view -> view.kill(InvalidationCause.UNCONFIRMED));
  }
}
