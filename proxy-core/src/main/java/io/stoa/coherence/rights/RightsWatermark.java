// SPDX-License-Identifier: Apache-2.0
package io.stoa.coherence.rights;

import io.stoa.ldap.csn.Position;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.LongSupplier;
import java.util.function.LongUnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * Since when what was read of a directory counts, as far as no feed tells: what was derived before
 * a group changed, and what somebody was shown before rights changed, does not. Thread-safe: to
 * look takes no lock, unless something has changed in a transaction that was not over; it is done
 * for every hit that rests on a feed.
 *
 * <p>A server may show a change, and what follows from it, a little after it is told, or when the
 * transaction is over that it is part of: what is read meanwhile does not count either. An overlay
 * may be later than that, and nobody tells when it is done. So what was read after a change counts
 * for a while only, until a while after the last one.
 */
public final class RightsWatermark {
  private final long rightsNanos;
  private final long settleNanos;
  private final LongUnaryOperator shown;
  private final LongSupplier clock;
  private final AtomicReferenceArray<Mark> marks;
  private final LongAdder derivations = new LongAdder();
  private final LongAdder revocations = new LongAdder();
  private volatile Mark rights;
  private volatile long watched;
  private volatile long doubted;

  /**
   * Until when something did not count. What was read after a change may lack what an overlay has
   * repaired since: it counts until the next of the turns that begin with the first of several
   * changes, and end when the last of them is a whole turn ago.
   *
   * @param from the first turn
   * @param since the last change
   * @param until the last turn
   * @param needed what a server must have if what it shows is to count
   * @param open a change that may be in a transaction; null if all is shown, or will be when it has
   *     settled
   */
  private record Mark(long from, long since, long until, Position needed, @Nullable Open open) {
    static Mark at(long now) {
      return new Mark(now, now, now, Position.NONE, null);
    }

    /** A change, that settles then: after it nothing is repaired. */
    Mark moved(long then, Position change) {
      Position both = needed.merge(change);
      return then - until > 0
          ? new Mark(then, then, then, both, open)
          : new Mark(from, then, until, both, open);
    }

    Mark moved(long then, long turn, Position change) {
      long first = then - until > 0 || turn == 0 ? then : from;
      long turns = turn == 0 ? 0 : (then - first + turn - 1) / turn + 1;
      return new Mark(first, then, first + turns * turn, needed.merge(change), open);
    }

    /** The same of a server that has this position, too. */
    Mark needing(Position position) {
      return new Mark(from, since, until, needed.merge(position), open);
    }

    /** The same, whatever servers have. */
    Mark ofAnyServer() {
      return new Mark(from, since, until, Position.NONE, open);
    }

    /** Until the later of two changes is over, the earlier one counts as not over, either. */
    Mark open(@Nullable Open later) {
      boolean repaired = open != null && open.isRepaired();
      Open both = later == null ? null : later.orRepaired(repaired);
      return new Mark(from, since, until, needed, both);
    }

    /** What was read before that does not count. */
    long oldest(long now, long turn) {
      long last = until - now > 0 && turn > 0 ? from + (now - from) / turn * turn : until;
      return last - since > 0 ? last : since;
    }

    /** Its change is over. */
    Mark shown(long now, long turn) {
      Open over = open;
      Mark closed = open(null);
      if (over == null || since - now >= 0) {
        return closed;
      }
      return over.isRepaired()
          ? closed.moved(now, turn, Position.NONE)
          : closed.moved(now, Position.NONE);
    }
  }

  /**
   * A change that may be in a transaction.
   *
   * @param toldNanos when the last one was told
   * @param isRepaired whether overlays may repair something after it
   */
  private record Open(long toldNanos, boolean isRepaired) {
    Open orRepaired(boolean repaired) {
      return new Open(toldNanos, isRepaired || repaired);
    }
  }

  /**
   * Makes one before which nothing has been read.
   *
   * @param rights how long those of a client are taken for what they were while nobody watches them
   * @param settle a server may show something so much later than it is told
   * @param shown given a time, up to when, that included, all that was told is shown to whoever
   *     asks then, or never will be, but for what has not settled: not later than that time. Any
   *     thread calls it
   */
  public RightsWatermark(
      Duration rights, Duration settle, LongUnaryOperator shown, LongSupplier clock) {
    this.rightsNanos = rights.toNanos();
    this.settleNanos = settle.toNanos();
    this.shown = shown;
    this.clock = clock;
    this.marks = new AtomicReferenceArray<>(DerivedData.COUNT);
    long now = clock.getAsLong();
    for (int i = 0; i < marks.length(); i++) {
      marks.set(i, Mark.at(now));
    }
    this.rights = Mark.at(now);
    this.watched = now - rightsNanos - 1;
    this.doubted = watched;
  }

  /** What was asked for before that time may show what its client may not see any more. */
  public long oldest(long now) {
    long last = oldestRights(now);
    long bound = isWatched(now) ? last : now - rightsNanos;
    return bound - last > 0 ? bound : last;
  }

  /** How old what is read may become, unless rights change. */
  public long bound(long now) {
    return isWatched(now) ? Long.MAX_VALUE : rightsNanos;
  }

  /** Whether it is known of all rights that they are what they were, but for the bound. */
  public boolean isWatched(long now) {
    return now - watched <= rightsNanos;
  }

  /**
   * Whether such facets of what was asked for at that time are what they were.
   *
   * @param now the time of this decision: it is made for each entry of an answer
   */
  public boolean shows(int facets, long asOf, long now) {
    for (int i = 0; facets >> i != 0; i++) {
      if ((facets >> i & 1) != 0 && asOf - oldest(i, now) < 0) {
        return false;
      }
    }
    return true;
  }

  /** Whether a server that was there shows such facets as they are. */
  public boolean admits(int facets, Position server) {
    for (int i = 0; facets >> i != 0; i++) {
      if ((facets >> i & 1) != 0 && !server.covers(marks.get(i).needed())) {
        return false;
      }
    }
    return true;
  }

  /** Such facets may have changed, by a change that a server there has. */
  public synchronized void derived(int facets, Position change) {
    derivations.increment();
    boolean over = close();
    long now = clock.getAsLong();
    for (int i = 0; facets >> i != 0; i++) {
      if ((facets >> i & 1) != 0) {
        Mark moved = marks.get(i).moved(now + settleNanos, rightsNanos, change);
        marks.set(i, moved.open(open(over, now, true)));
      }
    }
  }

  /** Only a server that has this position shows such facets as they are. */
  synchronized void needs(int facets, Position position) {
    for (int i = 0; facets >> i != 0; i++) {
      if ((facets >> i & 1) != 0) {
        marks.set(i, marks.get(i).needing(position));
      }
    }
  }

  /**
   * What was told may be of another history than what will be, so that no server can be asked for
   * it. None is believed that may lack what was there when the feed began anew.
   */
  public synchronized void gap() {
    rights = rights.ofAnyServer();
    for (int i = 0; i < marks.length(); i++) {
      marks.set(i, marks.get(i).ofAnyServer());
    }
  }

  /** Whether a server that was there shows everybody what he may see, as far as entries decide. */
  public boolean admitsRights(Position server) {
    return server.covers(rights.needed());
  }

  /** Somebody's rights may have changed. */
  public void revoked() {
    revoked(Position.NONE);
  }

  /** The same by a change that a server there has. */
  public synchronized void revoked(Position change) {
    revocations.increment();
    boolean over = close();
    long now = clock.getAsLong();
    rights = rights.moved(now + settleNanos, change).open(open(over, now, false));
  }

  /** The same by names in groups that the directory repairs. */
  public synchronized void repaired(Position change) {
    revocations.increment();
    boolean over = close();
    long now = clock.getAsLong();
    rights = rights.moved(now + settleNanos, rightsNanos, change).open(open(over, now, true));
  }

  /** What was told now is not over if anything that was told is not. */
  private static @Nullable Open open(boolean over, long now, boolean repaired) {
    return over ? null : new Open(now, repaired);
  }

  /** As long as a change is not over, nothing that is read counts. */
  private long oldestRights(long now) {
    Mark mark = rights;
    return mark.open() == null ? mark.oldest(now, rightsNanos) : oldestOpen(now, -1);
  }

  private long oldest(int facet, long now) {
    Mark mark = marks.get(facet);
    return mark.open() == null ? mark.oldest(now, rightsNanos) : oldestOpen(now, facet);
  }

  private synchronized long oldestOpen(long now, int facet) {
    close();
    Mark mark = facet < 0 ? rights : marks.get(facet);
    long oldest = mark.oldest(now, rightsNanos);
    return mark.open() == null || oldest - now > 0 ? oldest : now + 1;
  }

  /** To be called now and then: what is read counts from then on if all is over. */
  public synchronized void turn() {
    close();
  }

  /**
   * Whether all is over that was told; to be asked once, or what is not closed may be forgotten.
   */
  private boolean close() {
    long asked = clock.getAsLong();
    long over = shown.applyAsLong(asked);
    long now = clock.getAsLong(); // this thread may have stood still: all before may be too early
    rights = close(rights, now, over);
    for (int i = 0; i < marks.length(); i++) {
      marks.set(i, close(marks.get(i), now, over));
    }
    return over - asked >= 0;
  }

  private Mark close(Mark mark, long now, long over) {
    Open open = mark.open();
    return open != null && over - open.toldNanos() >= 0 ? mark.shown(now, rightsNanos) : mark;
  }

  /** Whether they may have changed since something was asked for. */
  boolean hasRevoked(long asOf, long now) {
    return asOf - oldestRights(now) < 0;
  }

  /** Whatever has changed rights until then is known, unless there was a doubt since. */
  public synchronized void watched(long asOf) {
    if (asOf - doubted > 0) {
      watched = asOf;
    }
  }

  /** The configuration of the server may have changed: no reading that was begun before counts. */
  public synchronized void doubt() {
    doubted = clock.getAsLong();
    unwatched();
  }

  /** They are not watched any more. */
  public void unwatched() {
    watched = clock.getAsLong() - rightsNanos - 1;
  }

  /** How often something derived may have changed. */
  public long derivations() {
    return derivations.sum();
  }

  /** How often rights may have changed. */
  public long revocations() {
    return revocations.sum();
  }
}
