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
  private static final int MAX_ENTRIES = 100;

  /** Time for which changes are collected into one search: 20 ms. */
  private static final long GATHER_NANOS = TimeUnit.MILLISECONDS.toNanos(20);

  /** Time within which the feed usually reports a state that the server shows: 100 ms. */
  private static final long REPORT_MILLIS = 100;

  private final DomainConfig config;
  private final DomainContext context;
  private final FeedEpoch epoch;
  private final DomainCounters counters;
  private final Deque<ShownChange> waitingChanges = new ArrayDeque<>();
  private boolean scheduled;
  private boolean warned;

  UpdateVerifier(
      DomainConfig config, DomainContext context, FeedEpoch epoch, DomainCounters counters) {
    this.config = config;
    this.context = context;
    this.epoch = epoch;
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
    counters.countUpdated(views.size());
    if (!views.isEmpty() && uuid != null && record.change().receipt().reporter() == Reporter.FEED) {
      waitingChanges.add(new ShownChange(record, uuid, views, record.appendedNanos(), false));
      schedule();
    } else {
      views.forEach(View::confirmUpdate);
    }
  }

  void schedule() {
    ShownChange first = waitingChanges.peek();
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
      waitingChanges.clear();
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
    ShownChange next = waitingChanges.peek();
    long now = context.clock().getAsLong();
    while (next != null && next.sinceNanos() - settled <= 0 && batch.size() < MAX_ENTRIES) {
      waitingChanges.remove();
      if (next.again() && next.record().appendedNanos() - epoch.settledBefore(now) >= 0) {
        waitingChanges.add(next.doubted(now)); // its transaction may be open, and shows nothing yet
      } else {
        batch.add(next);
      }
      next = waitingChanges.peek();
    }
    return batch;
  }

  private void ask(List<ShownChange> batch) {
    List<Uuid> uuids = batch.stream().map(ShownChange::uuid).distinct().toList();
    counters.countVerifying(uuids.size());
    long settledBefore = epoch.settledBefore(context.clock().getAsLong());
    context
        .reader()
        .search(
            epoch.visibilityVerifier().stateSearch(uuids, List.of()),
            found ->
                epoch
                    .visibilityVerifier()
                    .onDomainThread(
                        () ->
                            onAnswer(batch, epoch.visibilityVerifier().seen(found), settledBefore)),
            why ->
                epoch.visibilityVerifier().onDomainThread(() -> batch.forEach(this::onUnreadable)));
  }

  /**
   * Called with the response.
   *
   * @param settledBefore changes appended before this time were committed or aborted when the
   *     search was sent
   */
  private void onAnswer(List<ShownChange> batch, Map<Uuid, SeenEntry> seen, long settledBefore) {
    for (ShownChange shownChange : batch) {
      SeenEntry seenEntry = seen.get(shownChange.uuid());
      RingRecord last = last(shownChange);
      if (!isConfirmed(shownChange.record(), seenEntry) && !isConfirmed(last, seenEntry)) {
        onUnconfirmed(shownChange, last, settledBefore);
      } else if (isAhead(last, seenEntry)) {
        context
            .executor()
            .schedule(() -> decide(shownChange, seenEntry), REPORT_MILLIS, TimeUnit.MILLISECONDS);
      } else {
        shownChange.views().forEach(View::confirmUpdate);
      }
    }
    schedule();
  }

  /** Returns the last reported change of the entry, as far as the ring holds it. */
  private RingRecord last(ShownChange shownChange) {
    RingRecord last = epoch.lastCsns().of(shownChange.uuid());
    return last == null ? shownChange.record() : last;
  }

  /**
   * Decides after a newer state was seen. If the next change has been reported, the views show it
   * or were invalidated by it.
   */
  private void decide(ShownChange shownChange, @Nullable SeenEntry seenEntry) {
    if (isAhead(last(shownChange), seenEntry)) {
      shownChange.views().forEach(view -> view.invalidate(InvalidationCause.NEWER_STATE_SHOWN));
    } else {
      shownChange.views().forEach(View::confirmUpdate);
    }
  }

  /**
   * True if the server shows the entry as it must be after the change: in that state or a newer
   * one, or deleted.
   */
  private static boolean isConfirmed(RingRecord record, @Nullable SeenEntry seenEntry) {
    Csn csn = record.change().csn();
    Csn state = seenEntry == null ? null : seenEntry.state();
    return record.change() instanceof Deleted
        ? seenEntry == null
        : state != null && csn != null && state.compareTo(csn) >= 0;
  }

  /** True if the server shows a change of the entry that is not reported yet. */
  private static boolean isAhead(RingRecord last, @Nullable SeenEntry seenEntry) {
    Csn reportedCsn = last.change().csn();
    Csn state = seenEntry == null ? null : seenEntry.state();
    return state != null && reportedCsn != null && state.compareTo(reportedCsn) > 0;
  }

  /**
   * Called when the server shows neither this change nor the last reported one. The last one may
   * never have taken effect either. The last one is read back as well, since the views need not
   * show it.
   */
  private void onUnconfirmed(ShownChange shownChange, RingRecord last, long settledBefore) {
    if (last == shownChange.record()) {
      onContradicted(shownChange, settledBefore);
    } else if (!shownChange.views().isEmpty()) {
      shownChange.views().forEach(view -> view.invalidate(InvalidationCause.UNCONFIRMED));
      waitingChanges.add(
          new ShownChange(last, shownChange.uuid(), List.of(), last.appendedNanos(), false));
    }
  }

  /**
   * Called when the server contradicts the last reported change. Its transaction may be open, or
   * the next change not reported yet; only the second contradiction makes it an aborted one.
   */
  private void onContradicted(ShownChange shownChange, long settledBefore) {
    boolean never = shownChange.again() && shownChange.record().appendedNanos() - settledBefore < 0;
    InvalidationCause cause = never ? InvalidationCause.ABORTED : InvalidationCause.UNCONFIRMED;
    epoch.invalidator().withdraw(shownChange.uuid(), shownChange.views(), cause);
    if (!never) {
      waitingChanges.add(shownChange.doubted(context.clock().getAsLong()));
      return;
    }
    shownChange.record().markRefuted();
    counters.countAbort();
    if (!warned) {
      warned = true;
      LOG.warn(
          "feed of {}: the feed reported a change that never took effect, as OpenLDAP does for"
              + " aborted transactions. Replicas may show it. Entry {} was invalidated: run"
              + " 'stoactl audit'",
          config.context(),
          shownChange.uuid());
    }
  }

  /** Invalidates the views when the server cannot be read. */
  private void onUnreadable(ShownChange shownChange) {
    shownChange.views().forEach(view -> view.invalidate(InvalidationCause.UNCONFIRMED));
  }
}
