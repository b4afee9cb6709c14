// SPDX-License-Identifier: Apache-2.0
package io.stoa.upstream.server;

import java.util.concurrent.TimeUnit;

/**
 * Learns how many operations one server tolerates in flight: additive increase, multiplicative
 * decrease, as in TCP and in Netflix's concurrency-limits.
 *
 * <ol>
 *   <li>No cap applies until the server refuses as busy or unavailable, or falls silent.
 *   <li>Only these signs count; response times do not. Searches differ in cost by orders of
 *       magnitude, so a slow one says nothing about how many others the server could do beside it.
 * </ol>
 *
 * <p>Threading: thread-safe.
 */
final class InFlightLimit {
  /** Value of the cap while there is none. */
  static final int NONE = Integer.MAX_VALUE;

  /** Smallest cap: 4. A server that refuses with so few in flight has another reason. */
  static final int FLOOR = 4;

  private static final double DECREASE = 0.75;

  /** Part of a normal increase that is made near the last refused number: 0.1. */
  private static final double CAUTION = 0.1;

  private static final long SILENCE_NANOS = TimeUnit.SECONDS.toNanos(1);

  /** Time after which an unused cap is lifted: 30 s. */
  private static final long FORGETS_NANOS = TimeUnit.SECONDS.toNanos(30);

  private int maximum;
  private double limit = Double.POSITIVE_INFINITY;

  /** Smallest number in flight that was refused last time. */
  private double tooMany = Double.POSITIVE_INFINITY;

  private long decreasedAt;
  private long heldBackAt;
  private long decreases;
  private volatile int cap;

  /**
   * Creates the limit.
   *
   * @param maximum upper bound of the cap; 0 for none
   */
  InFlightLimit(int maximum) {
    this.maximum = maximum == 0 ? NONE : maximum;
    this.cap = this.maximum;
  }

  /** Sets the upper bound of the cap; 0 for none. */
  synchronized void setMax(int newMaximum) {
    maximum = newMaximum == 0 ? NONE : newMaximum;
    cap = (int) Math.min(maximum, limit);
  }

  /** Returns the maximum number of operations in flight; {@link #NONE} without a cap. */
  int cap() {
    return cap;
  }

  /** Returns how many times the cap was lowered. */
  synchronized long decreases() {
    return decreases;
  }

  /**
   * Called when the server has refused an operation as busy or unavailable. An operation sent
   * before the last decrease causes no further decrease, since both belong to one round trip. But
   * the cap then drops below the number that is in flight now.
   *
   * @param sentAt when the operation was sent
   * @param inFlight number in flight, including this operation
   * @return true if that number may be the reason
   */
  synchronized boolean onRefused(long sentAt, long now, int inFlight) {
    if (inFlight <= FLOOR) {
      return false;
    }
    boolean sameRoundTrip = limit < NONE && sentAt - decreasedAt < 0;
    tooMany = Math.min(sameRoundTrip ? tooMany : limit, inFlight);
    if (sameRoundTrip) {
      limit = Math.max(FLOOR, Math.min(limit, inFlight - 1));
      publish();
    } else {
      decrease(now, inFlight);
    }
    return true;
  }

  /** Called when the server does not respond. Lowers the cap at most once a second. */
  synchronized void onTimeout(long now, int inFlight) {
    if (inFlight > FLOOR && (limit >= NONE || now - decreasedAt > SILENCE_NANOS)) {
      decrease(now, inFlight);
    }
  }

  private void decrease(long now, int inFlight) {
    limit = Math.max(FLOOR, Math.min(limit, inFlight) * DECREASE);
    decreasedAt = now;
    heldBackAt = now;
    decreases++;
    publish();
  }

  /**
   * Called when the server has completed an operation. While the cap holds operations back it grows
   * by one per round trip, or by a tenth of that near the last refused number. After 30 s without
   * holding any back the cap is lifted.
   *
   * @param sentAt when the operation was sent; before the last decrease it is ignored
   * @param holdsBack true if the cap is reached or operations wait
   */
  synchronized void onCompleted(long sentAt, long now, boolean holdsBack) {
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

  /** Lifts the cap and forgets what was learnt. */
  synchronized void clear() {
    limit = Double.POSITIVE_INFINITY;
    tooMany = Double.POSITIVE_INFINITY;
    publish();
  }

  private void publish() {
    cap = (int) Math.min(maximum, limit);
  }
}
