// SPDX-License-Identifier: Apache-2.0
package io.stoa.coherence.invalidation;

import io.stoa.coherence.invalidation.CoherenceDomain.DomainContext;
import io.stoa.coherence.invalidation.VisibilityVerifier.SeenEntry;
import io.stoa.coherence.view.InvalidationCause;
import io.stoa.coherence.view.View;
import io.stoa.feed.event.Change.Deleted;
import io.stoa.feed.event.Change.Reporter;
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
 *       because the change is then unverified.
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
  private static final long REPORT_MILLIS = 100;

  private final DomainConfig config;
  private final DomainContext context;
  private final FeedEpoch epoch;
  private final DomainCounters counters;
  private final Deque<ShownChange> waiting = new ArrayDeque<>();
  private boolean scheduled;
  private boolean warned;

  UpdateVerifier(
      DomainConfig config, DomainContext context, FeedEpoch feedEpoch, DomainCounters counters) {
    this.config = config;
    this.context = context;
    this.epoch = feedEpoch;
    this.counters = counters;
  }

  /**
   * A change that answers show. Immutable.
   *
   * @param sinceNanos the change is read back when it has settled since this time
   * @param again true if it has been contradicted once
   */
  private record ShownChange(
      RingRecord record, Uuid uuid, List<View> views, long sinceNanos, boolean again) {
    ShownChange doubted(long now) {
      return new ShownChange(record, uuid, List.of(), now, true);
    }
  }

  /**
   * Called when a change has updated these views in place. A write through Stoa needs no proof,
   * since it was read back.
   *
   * @param views the updated views; may be empty
   */
  void verify(RingRecord record, List<View> views) {
    Uuid uuid = record.uuid();
    counters.updated(views.size());
    if (!views.isEmpty() && uuid != null && record.change().receipt().reporter() == Reporter.FEED) {
      waiting.add(new ShownChange(record, uuid, views, record.appendedNanos(), false));
      schedule();
    } else {
      views.forEach(View::confirmUpdate);
    }
  }

  void schedule() {
    ShownChange first = waiting.peek();
    if (!scheduled && first != null) {
      scheduled = true;
      long settled = first.sinceNanos() + config.settle().toNanos() + GATHER_NANOS;
      long delay = Math.max(0, settled - context.clock().getAsLong());
      context.executor().schedule(this::send, delay, TimeUnit.NANOSECONDS);
    }
  }

  private void send() {
    scheduled = false;
    if (epoch.viewState().isOver()) {
      waiting.clear();
      return;
    }
    long settled = context.clock().getAsLong() - config.settle().toNanos();
    List<ShownChange> batch = batch(settled);
    while (!batch.isEmpty()) {
      ask(batch);
      batch = batch(settled);
    }
    schedule();
  }

  private List<ShownChange> batch(long settled) {
    List<ShownChange> batch = new ArrayList<>();
    ShownChange next = waiting.peek();
    long now = context.clock().getAsLong();
    while (next != null && next.sinceNanos() - settled <= 0 && batch.size() < MOST_ENTRIES) {
      waiting.remove();
      if (next.again() && next.record().appendedNanos() - epoch.settledBefore(now) >= 0) {
        waiting.add(next.doubted(now)); // its transaction may be open, and shows nothing yet
      } else {
        batch.add(next);
      }
      next = waiting.peek();
    }
    return batch;
  }

  private void ask(List<ShownChange> batch) {
    List<Uuid> uuids = batch.stream().map(ShownChange::uuid).distinct().toList();
    counters.verifying(uuids.size());
    long over = epoch.settledBefore(context.clock().getAsLong());
    context
        .reader()
        .search(
            epoch.visibilityVerifier().stateSearch(uuids, List.of()),
            found ->
                epoch
                    .visibilityVerifier()
                    .onDomainThread(
                        () -> answered(batch, epoch.visibilityVerifier().seen(found), over)),
            why ->
                epoch.visibilityVerifier().onDomainThread(() -> batch.forEach(this::onUnreadable)));
  }

  /**
   * Called with the response.
   *
   * @param over changes appended before this time were committed or aborted when the search was
   *     sent
   */
  private void answered(List<ShownChange> batch, Map<Uuid, SeenEntry> seen, long over) {
    for (ShownChange shown : batch) {
      SeenEntry now = seen.get(shown.uuid());
      RingRecord last = last(shown);
      if (!isConfirmed(shown.record(), now) && !isConfirmed(last, now)) {
        onUnconfirmed(shown, last, over);
      } else if (isAhead(last, now)) {
        context.executor().schedule(() -> decide(shown, now), REPORT_MILLIS, TimeUnit.MILLISECONDS);
      } else {
        shown.views().forEach(View::confirmUpdate);
      }
    }
    schedule();
  }

  /** Returns the last reported change of the entry, as far as the ring holds it. */
  private RingRecord last(ShownChange shown) {
    RingRecord last = epoch.lastCsns().of(shown.uuid());
    return last == null ? shown.record() : last;
  }

  /**
   * Decides after a newer state was seen. If the next change has been reported, the views show it
   * or were invalidated by it.
   */
  private void decide(ShownChange shown, @Nullable SeenEntry then) {
    if (isAhead(last(shown), then)) {
      shown.views().forEach(view -> view.invalidate(InvalidationCause.NEWER_STATE_SHOWN));
    } else {
      shown.views().forEach(View::confirmUpdate);
    }
  }

  /**
   * True if the server shows the entry as it must be after the change: in that state or a newer
   * one, or deleted.
   */
  private static boolean isConfirmed(RingRecord record, @Nullable SeenEntry now) {
    Csn csn = record.change().csn();
    Csn state = now == null ? null : now.state();
    return record.change() instanceof Deleted
        ? now == null
        : state != null && csn != null && state.compareTo(csn) >= 0;
  }

  /** True if the server shows a change of the entry that is not reported yet. */
  private static boolean isAhead(RingRecord last, @Nullable SeenEntry now) {
    Csn told = last.change().csn();
    Csn state = now == null ? null : now.state();
    return state != null && told != null && state.compareTo(told) > 0;
  }

  /**
   * Called when the server shows neither this change nor the last reported one. The last one may
   * never have taken effect either. The last one is read back as well, since the views need not
   * show it.
   */
  private void onUnconfirmed(ShownChange shown, RingRecord last, long over) {
    if (last == shown.record()) {
      onContradicted(shown, over);
    } else if (!shown.views().isEmpty()) {
      shown.views().forEach(view -> view.invalidate(InvalidationCause.UNCONFIRMED));
      waiting.add(new ShownChange(last, shown.uuid(), List.of(), last.appendedNanos(), false));
    }
  }

  /**
   * Called when the server contradicts the last reported change. Its transaction may be open, or
   * the next change not reported yet; only the second contradiction makes it a phantom.
   */
  private void onContradicted(ShownChange shown, long over) {
    boolean never = shown.again() && shown.record().appendedNanos() - over < 0;
    InvalidationCause cause = never ? InvalidationCause.ABORTED : InvalidationCause.UNCONFIRMED;
    epoch.invalidator().withdraw(shown.uuid(), shown.views(), cause);
    if (!never) {
      waiting.add(shown.doubted(context.clock().getAsLong()));
      return;
    }
    shown.record().markRefuted();
    counters.aborted();
    if (!warned) {
      warned = true;
      LOG.warn(
          "{}: the feed reported a change that never took effect, as OpenLDAP does "
              + "for aborted transactions. Replicas may show it. Entry {} was invalidated.",
          config.context(),
          shown.uuid());
    }
  }

  /** Invalidates the views when the server cannot be read. */
  private void onUnreadable(ShownChange shown) {
    shown.views().forEach(view -> view.invalidate(InvalidationCause.UNCONFIRMED));
  }
}
