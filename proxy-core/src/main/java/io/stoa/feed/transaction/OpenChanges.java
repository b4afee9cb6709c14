// SPDX-License-Identifier: Apache-2.0
package io.stoa.feed.transaction;

import io.stoa.feed.transaction.CommitTracker.Witness;
import io.stoa.ldap.csn.Csn;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;
import org.jspecify.annotations.Nullable;

/**
 * Changes with one server ID that the server has counted and is not known to show.
 *
 * <p>Threading: as {@link CommitTracker}.
 */
final class OpenChanges {
  /** Changes reported within this time share one span: 20 ms. Bounds the number of spans. */
  private static final long SPAN_NANOS = TimeUnit.MILLISECONDS.toNanos(20);

  private static final int MAX_SPANS = 3_000;

  private final Deque<Span> open = new ArrayDeque<>();
  private @Nullable Csn lastShown;

  /** The time when a counted change was last reported. */
  private long lastCountedNanos;

  /**
   * Changes that were reported one after the other.
   *
   * <p>Threading: immutable.
   *
   * @param sinceNanos the time when the first of them was appended
   * @param most the greatest of their CSNs
   * @param witness the entry that shows that their transactions are over; null if there is none
   * @param mark true if they were counted before the feed began
   */
  private record Span(long sinceNanos, Csn most, @Nullable Witness witness, boolean mark) {
    Span with(Csn csn, @Nullable Witness next) {
      Csn greater = csn.compareTo(most) > 0 ? csn : most;
      return new Span(sinceNanos, greater, later(witness, next), false);
    }

    /**
     * Returns the entry with the later CSN: only that proves that all transactions of the span are
     * over.
     */
    private static @Nullable Witness later(@Nullable Witness one, @Nullable Witness other) {
      if (one == null || other == null) {
        return one == null ? other : one;
      }
      return other.csn().compareTo(one.csn()) > 0 ? other : one;
    }
  }

  /** Replaces the marks of earlier begins by the CSN that the server has counted last. */
  void onBegin(Csn mark, long sinceNanos, long now) {
    if (!isShown(mark) && marks().noneMatch(mark::equals)) {
      lastCountedNanos = now;
      open.removeIf(Span::mark);
      open.addFirst(new Span(sinceNanos, mark, null, true));
    }
  }

  void onChange(Csn csn, @Nullable Witness witness, long now) {
    if (isShown(csn)) {
      return;
    }
    lastCountedNanos = now;
    Witness sure = isSure(witness) ? witness : null;
    Span last = open.peekLast();
    if (last != null && !last.mark() && isOneMore(last, now)) {
      open.removeLast();
      open.addLast(last.with(csn, sure));
    } else {
      open.addLast(new Span(now, csn, sure, false));
    }
  }

  /**
   * True if the witness proves something. A deleted entry may have been added in the same
   * transaction, before the feed began; then its absence proves nothing.
   */
  private boolean isSure(@Nullable Witness witness) {
    return witness != null && !(witness.gone() && marks().findAny().isPresent());
  }

  private boolean isOneMore(Span last, long now) {
    return now - last.sinceNanos() < SPAN_NANOS || open.size() >= MAX_SPANS;
  }

  private boolean isShown(Csn csn) {
    Csn shownCsn = lastShown;
    return shownCsn != null && shownCsn.compareTo(csn) >= 0;
  }

  @Nullable Long sinceNanos() {
    Span first = open.peekFirst();
    return first == null ? null : first.sinceNanos();
  }

  /** Returns the witnesses reported last, at most {@code maxWitnesses}. */
  Stream<Witness> witnesses(int maxWitnesses) {
    Iterable<Span> back = open::descendingIterator;
    return StreamSupport.stream(back.spliterator(), false)
        .map(Span::witness)
        .filter(Objects::nonNull)
        .limit(maxWitnesses);
  }

  Stream<Csn> marks() {
    return open.stream().filter(Span::mark).map(Span::most);
  }

  void onShown(Csn state) {
    if (!isShown(state)) {
      lastShown = state;
      open.removeIf(span -> isShown(span.most()));
    }
  }

  void expire(long now) {
    if (now - lastCountedNanos >= CommitTracker.PATIENCE.toNanos()) {
      open.clear();
    }
  }

  /** Called when the feed is cut off from the server. */
  void onDisconnect() {
    lastShown = null;
  }

  /** Called when the feed is connected again. */
  void onResume(long now) {
    lastCountedNanos = now;
  }
}
