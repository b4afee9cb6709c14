// SPDX-License-Identifier: Apache-2.0
package io.stoa.derive;

import io.stoa.change.Position;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.LongSupplier;

/**
 * Since when what was read of a directory counts, as far as no feed tells: what was derived before
 * a group changed, and what somebody was shown before rights changed, does not. Thread-safe: to
 * look takes no lock; it is done for every hit that rests on a feed.
 *
 * <p>A server may show a change, and what follows from it, a little after it is told: what is read
 * meanwhile does not count either. An overlay may be later than that, and nobody tells when it is
 * done. So what was read after a change counts for a while only, until a while after the last one.
 */
public final class Horizon {
  private final long rightsNanos;
  private final long settleNanos;
  private final LongSupplier clock;
  private final AtomicReferenceArray<Mark> marks;
  private final LongAdder derivations = new LongAdder();
  private final LongAdder revocations = new LongAdder();
  private volatile Mark rights;
  private volatile long watched;

  /**
   * Until when something did not count. What was read after a change may lack what an overlay has
   * repaired since: it counts until the next of the turns that begin with the first of several
   * changes, and end when the last of them is a whole turn ago.
   *
   * @param from the first turn
   * @param since the last change
   * @param until the last turn
   * @param needed what a server must have if what it shows is to count
   */
  private record Mark(long from, long since, long until, Position needed) {
    static Mark at(long now) {
      return new Mark(now, now, now, Position.NONE);
    }

    /** A change after which nothing is repaired. */
    Mark moved(long now, Position change) {
      Position both = needed.merge(change);
      return now - until > 0 ? new Mark(now, now, now, both) : new Mark(from, now, until, both);
    }

    Mark moved(long now, long turn, Position change) {
      long first = now - until > 0 || turn == 0 ? now : from;
      long turns = turn == 0 ? 0 : (now - first + turn - 1) / turn + 1;
      return new Mark(first, now, first + turns * turn, needed.merge(change));
    }

    /** What was read before that does not count. */
    long oldest(long now, long turn) {
      long last = until - now > 0 && turn > 0 ? from + (now - from) / turn * turn : until;
      return last - since > 0 ? last : since;
    }
  }

  /**
   * Makes one before which nothing has been read.
   *
   * @param rights how long those of a client are taken for what they were while nobody watches them
   * @param settle a server may show something so much later than it is told
   */
  public Horizon(Duration rights, Duration settle, LongSupplier clock) {
    this.rightsNanos = rights.toNanos();
    this.settleNanos = settle.toNanos();
    this.clock = clock;
    this.marks = new AtomicReferenceArray<>(Facet.COUNT);
    long now = clock.getAsLong();
    for (int i = 0; i < marks.length(); i++) {
      marks.set(i, Mark.at(now));
    }
    this.rights = Mark.at(now);
    this.watched = now - rightsNanos - 1;
  }

  /** What was asked for before that time may show what its client may not see any more. */
  public long oldest(long now) {
    long last = rights.oldest(now, rightsNanos);
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
      if ((facets >> i & 1) != 0 && asOf - marks.get(i).oldest(now, rightsNanos) < 0) {
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
    for (int i = 0; facets >> i != 0; i++) {
      if ((facets >> i & 1) != 0) {
        marks.set(i, marks.get(i).moved(settled(), rightsNanos, change));
      }
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
    rights = rights.moved(settled(), change);
  }

  /** The same by names in groups that the directory repairs. */
  public synchronized void repaired(Position change) {
    revocations.increment();
    rights = rights.moved(settled(), rightsNanos, change);
  }

  private long settled() {
    return clock.getAsLong() + settleNanos;
  }

  /** Whether they may have changed since something was asked for. */
  boolean hasRevoked(long asOf, long now) {
    return asOf - rights.oldest(now, rightsNanos) < 0;
  }

  /** Whatever has changed rights until then is known. */
  public void watched(long asOf) {
    watched = asOf;
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
