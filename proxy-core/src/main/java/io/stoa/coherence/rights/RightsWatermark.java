// SPDX-License-Identifier: Apache-2.0
package io.stoa.coherence.rights;

import io.stoa.ldap.csn.Position;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.LongSupplier;
import java.util.function.LongUnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * Watermark for derived data and rights. A result that was read before the last change of a group
 * is not used for attributes derived from it. One that was read before the last change of rights is
 * not used at all.
 *
 * <ol>
 *   <li>A server may show a change, and what follows from it, only after the settle time, or after
 *       the end of its transaction. Results that are read meanwhile do not count.
 *   <li>An overlay may repair entries later, without notice. So a result that was read after a
 *       change counts for a limited time only, until such a time has passed since the last change.
 * </ol>
 *
 * <p>Threading: thread-safe. Called for each hit that a feed holds. A query takes no lock, except
 * while a change may be in an open transaction.
 */
public final class RightsWatermark {
  private final long rightsNanos;
  private final long settleNanos;
  private final LongUnaryOperator committedUntil;
  private final LongSupplier clock;
  private final AtomicReferenceArray<Mark> marks;
  private final LongAdder derivations = new LongAdder();
  private final LongAdder revocations = new LongAdder();
  private final Derivation underived = new Derivation(this);
  private AtomicLong sharedCount = new AtomicLong();
  private volatile Mark rights;
  private volatile long watchedNanos;
  private volatile long doubtedNanos;

  /**
   * A time before which reads do not count. A read after a change may lack what an overlay repairs
   * later, so it counts only until the next period. Periods begin with the first of several
   * changes, and end when the last change is a whole period ago.
   *
   * @param from start of the first period
   * @param since time of the last change
   * @param until end of the last period
   * @param needed position that a server must have reached if its answers are to count
   * @param open a change that may be in a transaction; null if every change is visible after its
   *     settle time
   */
  private record Mark(
      long from, long since, long until, Position needed, @Nullable OpenChange open) {
    static Mark at(long now) {
      return new Mark(now, now, now, Position.NONE, null);
    }

    /**
     * Returns the mark after a change that settles at a time, and after which nothing is repaired.
     */
    Mark after(long time, Position change) {
      Position merged = needed.merge(change);
      return time - until > 0
          ? new Mark(time, time, time, merged, open)
          : new Mark(from, time, until, merged, open);
    }

    Mark after(long time, long period, Position change) {
      long first = time - until > 0 || period == 0 ? time : from;
      long periods = period == 0 ? 0 : (time - first + period - 1) / period + 1;
      return new Mark(first, time, first + periods * period, needed.merge(change), open);
    }

    /** Returns the mark with a further position that servers must have reached. */
    Mark needing(Position position) {
      return new Mark(from, since, until, needed.merge(position), open);
    }

    /** Returns the mark without any position that servers must have reached. */
    Mark ofAnyServer() {
      return new Mark(from, since, until, Position.NONE, open);
    }

    /**
     * Returns the mark with an open change. While the later of two changes is open, the earlier one
     * counts as open, too.
     */
    Mark open(@Nullable OpenChange later) {
      boolean repaired = open != null && open.isRepaired();
      OpenChange merged = later == null ? null : later.orRepaired(repaired);
      return new Mark(from, since, until, needed, merged);
    }

    /** Returns the time before which reads do not count. */
    long oldest(long now, long period) {
      long last = until - now > 0 && period > 0 ? from + (now - from) / period * period : until;
      return last - since > 0 ? last : since;
    }

    /** Returns the mark after its open change was committed or aborted. */
    Mark afterCommit(long now, long period) {
      OpenChange openChange = open;
      Mark closed = open(null);
      if (openChange == null || since - now >= 0) {
        return closed;
      }
      return openChange.isRepaired()
          ? closed.after(now, period, Position.NONE)
          : closed.after(now, Position.NONE);
    }
  }

  /**
   * A change that may be in a transaction.
   *
   * @param reportedNanos time when the last such change was reported
   * @param isRepaired true if overlays may repair entries after it
   */
  private record OpenChange(long reportedNanos, boolean isRepaired) {
    OpenChange orRepaired(boolean repaired) {
      return new OpenChange(reportedNanos, isRepaired || repaired);
    }
  }

  /**
   * Makes a watermark before the first read.
   *
   * @param maxUnwatched maximum time for which rights count as unchanged while they are not watched
   * @param settle maximum time between the report of a change and its visibility
   * @param committedUntil given a time, returns the time, inclusive and at most the same, up to
   *     which all reported changes are committed or aborted; called by any thread
   */
  public RightsWatermark(
      Duration maxUnwatched,
      Duration settle,
      LongUnaryOperator committedUntil,
      LongSupplier clock) {
    this.rightsNanos = maxUnwatched.toNanos();
    this.settleNanos = settle.toNanos();
    this.committedUntil = committedUntil;
    this.clock = clock;
    this.marks = new AtomicReferenceArray<>(DerivedData.COUNT);
    long now = clock.getAsLong();
    for (int i = 0; i < marks.length(); i++) {
      marks.set(i, Mark.at(now));
    }
    this.rights = Mark.at(now);
    this.watchedNanos = now - rightsNanos - 1;
    this.doubtedNanos = watchedNanos;
  }

  /** Returns the derivation of all results without derived data. */
  Derivation underived() {
    return underived;
  }

  /**
   * Returns the time before which a read must not have been sent, since it may show more than its
   * client may see now.
   */
  public long oldest(long now) {
    long last = oldestRights(now);
    long bound = isWatched(now) ? last : now - rightsNanos;
    return bound - last > 0 ? bound : last;
  }

  /** Returns the maximum age of a result in nanoseconds, unless rights change. */
  public long bound(long now) {
    return isWatched(now) ? Long.MAX_VALUE : rightsNanos;
  }

  /** True if all changes of rights are known, except within the bound. */
  public boolean isWatched(long now) {
    return now - watchedNanos <= rightsNanos;
  }

  /**
   * True if derived data of a read that was sent at a time is unchanged.
   *
   * @param kinds the kinds of derived data
   * @param now the time of this decision, which is made for each entry of an answer
   */
  public boolean isCurrent(int kinds, long asOf, long now) {
    for (int i = 0; kinds >> i != 0; i++) {
      if ((kinds >> i & 1) != 0 && asOf - oldest(i, now) < 0) {
        return false;
      }
    }
    return true;
  }

  /** True if a server at that position shows such derived data in its present state. */
  public boolean admits(int kinds, Position server) {
    for (int i = 0; kinds >> i != 0; i++) {
      if ((kinds >> i & 1) != 0 && !server.covers(marks.get(i).needed())) {
        return false;
      }
    }
    return true;
  }

  /** Called when such derived data may have changed, by a change at that position. */
  public synchronized void onDerivedChange(int kinds, Position change) {
    derivations.increment();
    boolean allCommitted = close();
    long now = clock.getAsLong();
    for (int i = 0; kinds >> i != 0; i++) {
      if ((kinds >> i & 1) != 0) {
        Mark moved = marks.get(i).after(now + settleNanos, rightsNanos, change);
        marks.set(i, moved.open(open(allCommitted, now, true)));
      }
    }
  }

  /** Requires that servers have reached this position to show such derived data. */
  synchronized void require(int kinds, Position position) {
    for (int i = 0; kinds >> i != 0; i++) {
      if ((kinds >> i & 1) != 0) {
        marks.set(i, marks.get(i).needing(position));
      }
    }
  }

  /**
   * Called after a gap of the feed. The history may be another one, so the positions required so
   * far cannot be asked of any server. The new epoch trusts no server that may lack the state at
   * its begin.
   */
  public synchronized void onGap() {
    rights = rights.ofAnyServer();
    for (int i = 0; i < marks.length(); i++) {
      marks.set(i, marks.get(i).ofAnyServer());
    }
  }

  /**
   * True if a server at that position shows each client only what it may see, as far as entries
   * decide.
   */
  public boolean admitsRights(Position server) {
    return server.covers(rights.needed());
  }

  /**
   * Sets a counter of rights changes that several watermarks share. Called before any other method.
   */
  public void setSharedCount(AtomicLong count) {
    sharedCount = count;
  }

  private void countRightsChange() {
    revocations.increment();
    sharedCount.incrementAndGet();
  }

  /** Called when the rights of a client may have changed. */
  public void onRightsChange() {
    onRightsChange(Position.NONE);
  }

  /** Called when the rights of a client may have changed, by a change at that position. */
  public synchronized void onRightsChange(Position change) {
    countRightsChange();
    boolean allCommitted = close();
    long now = clock.getAsLong();
    rights = rights.after(now + settleNanos, change).open(open(allCommitted, now, false));
  }

  /** Called when rights may have changed by names in groups that the directory repairs. */
  public synchronized void onRepair(Position change) {
    countRightsChange();
    boolean allCommitted = close();
    long now = clock.getAsLong();
    rights =
        rights.after(now + settleNanos, rightsNanos, change).open(open(allCommitted, now, true));
  }

  /** Returns the open change for a report now: it counts as open if any reported change is. */
  private static @Nullable OpenChange open(boolean allCommitted, long now, boolean repaired) {
    return allCommitted ? null : new OpenChange(now, repaired);
  }

  /** Returns the time before which reads do not count; while a change is open, no read counts. */
  private long oldestRights(long now) {
    Mark mark = rights;
    return mark.open() == null ? mark.oldest(now, rightsNanos) : oldestOpen(now, -1);
  }

  private long oldest(int kind, long now) {
    Mark mark = marks.get(kind);
    return mark.open() == null ? mark.oldest(now, rightsNanos) : oldestOpen(now, kind);
  }

  private synchronized long oldestOpen(long now, int kind) {
    close();
    Mark mark = kind < 0 ? rights : marks.get(kind);
    long oldest = mark.oldest(now, rightsNanos);
    return mark.open() == null || oldest - now > 0 ? oldest : now + 1;
  }

  /**
   * Closes changes that are committed or aborted, so that later reads count. Must be called
   * periodically.
   */
  public synchronized void run() {
    close();
  }

  /**
   * Closes the changes that are committed or aborted; returns true if all reported ones are. Must
   * be called once for each operation. A second result could drop an open change.
   */
  private boolean close() {
    long asked = clock.getAsLong();
    long committedNanos = committedUntil.applyAsLong(asked);
    long now = clock.getAsLong(); // this thread may have been suspended since
    rights = close(rights, now, committedNanos);
    for (int i = 0; i < marks.length(); i++) {
      marks.set(i, close(marks.get(i), now, committedNanos));
    }
    return committedNanos - asked >= 0;
  }

  private Mark close(Mark mark, long now, long committedNanos) {
    OpenChange open = mark.open();
    return open != null && committedNanos - open.reportedNanos() >= 0
        ? mark.afterCommit(now, rightsNanos)
        : mark;
  }

  /** True if rights may have changed since a read was sent. */
  boolean haveRightsChanged(long asOf, long now) {
    return asOf - oldestRights(now) < 0;
  }

  /** Confirms that all changes of rights up to a time are known, unless there was a doubt since. */
  public synchronized void confirmWatched(long asOf) {
    if (asOf - doubtedNanos > 0) {
      watchedNanos = asOf;
    }
  }

  /**
   * Called when the configuration of a server may have changed: a reading that began before does
   * not count.
   */
  public synchronized void onConfigDoubt() {
    doubtedNanos = clock.getAsLong();
    clearWatched();
  }

  /** Marks rights as not watched. */
  public void clearWatched() {
    watchedNanos = clock.getAsLong() - rightsNanos - 1;
  }

  /** Returns how many times derived data may have changed. */
  public long derivations() {
    return derivations.sum();
  }

  /** Returns how many times rights may have changed. */
  public long revocations() {
    return revocations.sum();
  }
}
