// SPDX-License-Identifier: Apache-2.0
package io.stoa.upstream.server;

import java.util.concurrent.TimeUnit;

/**
 * How many operations a server may have under way at once, by what it tolerates: additive increase,
 * multiplicative decrease, as in TCP and in Netflix's concurrency-limits. There is no limit until
 * the server refuses as busy or unavailable, or falls silent. Only such explicit signs count, and
 * not how long it takes to answer: searches differ in their cost by orders of magnitude, so one
 * that takes long says nothing of how many the server could do beside it. Thread-safe.
 */
final class InFlightLimit {
  /** The cap while there is none. */
  static final int NONE = Integer.MAX_VALUE;

  /** A server that refuses so few has another reason than their number. */
  static final int FLOOR = 4;

  private static final double DECREASE = 0.75;

  /** The part of a normal step that is made where it was refused the last time. */
  private static final double CAUTION = 0.1;

  private static final long SILENCE_NANOS = TimeUnit.SECONDS.toNanos(1);

  /** A cap that has held nothing back for so long is of no use any more. */
  private static final long FORGETS_NANOS = TimeUnit.SECONDS.toNanos(30);

  private int most;
  private double limit = Double.POSITIVE_INFINITY;

  /** The fewest that were too many the last time. */
  private double tooMany = Double.POSITIVE_INFINITY;

  private long decreasedAt;
  private long heldBackAt;
  private long decreases;
  private volatile int cap;

  /**
   * Makes it.
   *
   * @param most it never allows more; 0 for as many as the server tolerates
   */
  InFlightLimit(int most) {
    this.most = most == 0 ? NONE : most;
    this.cap = this.most;
  }

  /** From now on it never allows more than this; 0 for as many as the server tolerates. */
  synchronized void most(int other) {
    most = other == 0 ? NONE : other;
    cap = (int) Math.min(most, limit);
  }

  /** How many may be under way; {@link #NONE} if there is no cap. */
  int cap() {
    return cap;
  }

  /** How often it has become lower. */
  synchronized long decreases() {
    return decreases;
  }

  /**
   * The server has refused an operation as busy or unavailable. One that was sent before the last
   * decrease does not bring another, which would be the second of one round trip; but it shows that
   * no more fit in than are left now.
   *
   * @param sentAt when the operation was sent
   * @param underWay how many are, this one included
   * @return whether their number may be the reason
   */
  synchronized boolean refused(long sentAt, long now, int underWay) {
    if (underWay <= FLOOR) {
      return false;
    }
    boolean again = limit < NONE && sentAt - decreasedAt < 0;
    tooMany = Math.min(again ? tooMany : limit, underWay);
    if (again) {
      limit = Math.max(FLOOR, Math.min(limit, underWay - 1));
      publish();
    } else {
      decrease(now, underWay);
    }
    return true;
  }

  /** The server does not answer what is under way; counts once in a second. */
  synchronized void silent(long now, int underWay) {
    if (underWay > FLOOR && (limit >= NONE || now - decreasedAt > SILENCE_NANOS)) {
      decrease(now, underWay);
    }
  }

  private void decrease(long now, int underWay) {
    limit = Math.max(FLOOR, Math.min(limit, underWay) * DECREASE);
    decreasedAt = now;
    heldBackAt = now;
    decreases++;
    publish();
  }

  /**
   * The server has done an operation. While the cap holds others back it grows by one in a round
   * trip, and by a tenth of that where it was refused before; if it holds back nothing for long, it
   * is lifted.
   *
   * @param sentAt when the operation was sent: before a decrease, it says nothing of what follows
   * @param holdsBack whether there are as many under way as may, or others wait
   */
  synchronized void done(long sentAt, long now, boolean holdsBack) {
    if (limit >= NONE || sentAt - decreasedAt < 0) {
      return;
    }
    if (holdsBack) {
      heldBackAt = now;
      grow();
    } else if (now - heldBackAt > FORGETS_NANOS) {
      clear();
    }
  }

  private void grow() {
    boolean careful = Math.abs(limit - tooMany) <= 1;
    limit += (careful ? CAUTION : 1) / limit;
    if (limit > tooMany + 1) {
      tooMany = Double.POSITIVE_INFINITY;
    }
    publish();
  }

  /** Nothing is known of the server any more. */
  synchronized void clear() {
    limit = Double.POSITIVE_INFINITY;
    tooMany = Double.POSITIVE_INFINITY;
    publish();
  }

  private void publish() {
    cap = (int) Math.min(most, limit);
  }
}
