// SPDX-License-Identifier: Apache-2.0
package io.stoa.upstream.server;

import io.stoa.upstream.admission.RoundRobinQueue;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * Limits the operations in flight at one server, over all event loops, and gives places in turns.
 *
 * <p><b>Problem.</b> A server that is overloaded answers busy, or more slowly the more it is sent.
 * An identity with a thousand clients must not hold up one with a single client.
 *
 * <p><b>Rule.</b> {@link InFlightLimit} learns the cap from refusals: it is lowered by a refusal,
 * and raised while all places are in use (additive increase, multiplicative decrease; Chiu and
 * Jain, 1989). As long as there is no cap, operations are only counted. Under a cap, operations
 * wait for a place, and origins take turns (round-robin fair queueing; Nagle, 1987).
 *
 * <p><b>Invariants.</b>
 *
 * <ol>
 *   <li>The count in flight is that of places given and of operations sent. A place counts from
 *       {@link #take} or its turn until it is given back, which is after its operation is counted.
 *   <li>No operation overtakes those that wait: {@link #take} fails while the queue is not empty.
 *   <li>After each turn an origin goes to the end, so that among n origins each gets at least every
 *       n-th place.
 *   <li>Operations that have no end (persistent searches) take no place. Abandoned ones take one
 *       for a moment, since the server does not tell when it has stopped.
 *   <li>Operations on a client's own connection never wait, and take at most half of the cap from
 *       the others.
 * </ol>
 *
 * <p><b>Without it</b> one busy identity starves all others at a slow server (ProxiedFairnessIT,
 * BusyIdentityIT).
 *
 * <p>Threading: thread-safe. A place is handed to another event loop by posting.
 */
public final class ConcurrencyLimiter {
  private final InFlightLimit limit;
  private final ConnectionLimit connectionLimit;
  private final AtomicInteger inFlight = new AtomicInteger();
  private final AtomicInteger longLived = new AtomicInteger();
  private final AtomicInteger dedicated = new AtomicInteger();
  private final AtomicInteger abandoned = new AtomicInteger();
  private final RoundRobinQueue<Object, Candidate> queue = new RoundRobinQueue<>();
  private volatile int waiting;
  private volatile long upAt = System.nanoTime();

  ConcurrencyLimiter(ServerAddress server, int limit) {
    this.limit = new InFlightLimit(limit);
    this.connectionLimit = new ConnectionLimit(server);
  }

  /**
   * An operation that waits for a place.
   *
   * <p>Threading: thread-safe.
   */
  public interface Candidate {
    /**
     * Called when the candidate has a place. The candidate gives the place back once its operation
     * is counted by {@link #onSent}.
     */
    void onPlace();
  }

  // Counts

  /** Returns the number of places, and of operations sent and not answered. */
  int inFlight() {
    return inFlight.get();
  }

  void onSent() {
    inFlight.incrementAndGet();
  }

  void onEnded() {
    inFlight.decrementAndGet();
    if (isLimited()) {
      grantPlaces();
    }
  }

  /**
   * Adds to the count of operations without an end, such as persistent searches. These take no
   * place, since they would keep it for ever.
   *
   * @param delta 1 or -1
   */
  public void countLongLived(int delta) {
    longLived.addAndGet(delta);
  }

  /**
   * Adds to the count of operations on dedicated connections. These never wait, but must not take
   * all places from the others.
   *
   * @param delta 1 or -1
   */
  public void countDedicated(int delta) {
    dedicated.addAndGet(delta);
  }

  /**
   * Adds to the count of abandoned operations. The server may still work on them and does not
   * report when it has stopped.
   *
   * @param delta 1 or -1
   */
  public void countAbandoned(int delta) {
    abandoned.addAndGet(delta);
    if (delta < 0 && isLimited()) {
      grantPlaces();
    }
  }

  /** Returns the number of operations that occupy the server and end by themselves. */
  private int load() {
    return inFlight.get() - longLived.get() + abandoned.get();
  }

  // Places

  /** True if there is a cap at present. */
  public boolean isLimited() {
    return limit.cap() != InFlightLimit.NONE;
  }

  /** True if an operation sent now would wait for a place. */
  public boolean isFull() {
    return isLimited() && (waiting > 0 || !hasRoom());
  }

  /** Returns the load relative to the cap, to compare servers that are full. */
  public double relativeLoad() {
    return (double) (inFlight.get() + waiting) / limit.cap();
  }

  private boolean hasRoom() {
    int cap = limit.cap();
    int unpaced = dedicated.get();
    int paced = load() - unpaced;
    return paced < Math.max(1, cap - Math.min(unpaced, cap / 2));
  }

  /**
   * Takes a place for an operation that is about to be sent.
   *
   * @return false if there is none, or others wait for theirs
   */
  public synchronized boolean take() {
    boolean acquired = waiting == 0 && hasRoom();
    if (acquired) {
      inFlight.incrementAndGet();
    }
    return acquired;
  }

  /** Gives a place back. The operation that was sent on it is counted by itself. */
  public void giveBack() {
    onEnded();
  }

  /**
   * Adds a candidate to the queue of its origin.
   *
   * @param origin unit of fairness: candidates of one origin share its turns
   */
  public void await(Object origin, Candidate candidate) {
    synchronized (this) {
      queue.add(origin, origin, candidate);
      waiting++;
    }
    grantPlaces();
  }

  /** Gives free places to waiting candidates. */
  public void grantPlaces() {
    if (waiting == 0) {
      return; // a candidate that arrives later calls this method itself
    }
    for (Candidate next = next(); next != null; next = next()) {
      next.onPlace();
    }
  }

  private synchronized @Nullable Candidate next() {
    if (waiting == 0 || !hasRoom()) {
      return null;
    }
    waiting--;
    inFlight.incrementAndGet();
    return queue.next(pool -> true);
  }

  /** Sets the upper bound of the cap; 0 for none. */
  void setMax(int newMax) {
    limit.setMax(newMax);
    grantPlaces();
  }

  // Signals from the server

  /**
   * Called when the server has refused an operation. Returns true if the number in flight may be
   * why.
   */
  boolean onRefused(long sentAt, long now) {
    return limit.onRefused(sentAt, now, load());
  }

  /** Called when the server has completed an operation. */
  void onCompleted(long sentAt, long now) {
    if (isLimited()) {
      limit.onCompleted(sentAt, now, waiting > 0 || !hasRoom());
      grantPlaces();
    }
  }

  /** Called when the server does not respond. */
  void onTimeout(long now) {
    limit.onTimeout(now, load());
  }

  /** Returns the limit of operations on one connection. */
  public ConnectionLimit connectionLimit() {
    return connectionLimit;
  }

  /** Called when the server's state has changed. After an outage the limits are learnt anew. */
  void onState(BackendState state) {
    if (state == BackendState.DOWN) {
      connectionLimit.forget();
    }
    if (state == BackendState.PROBING) {
      limit.clear();
      grantPlaces();
    } else if (state == BackendState.UP) {
      upAt = System.nanoTime();
    }
  }

  /** True if the server came up after {@code time}. */
  public boolean cameUpSince(long time) {
    return upAt - time > 0;
  }

  /** Returns a snapshot. */
  Status status() {
    int cap = isLimited() ? limit.cap() : 0;
    return new Status(cap, waiting, limit.decreases(), connectionLimit.status());
  }

  /**
   * Snapshot of the limits of one server.
   *
   * <p>Threading: immutable.
   *
   * @param cap maximum number of operations in flight; 0 if unlimited
   * @param waiting candidates that wait for a place
   * @param decreases number of times the cap was lowered
   * @param ofConnection maximum number of unanswered operations on one connection, learnt from
   *     connections that the server ended; 0 if none was learnt
   */
  public record Status(int cap, int waiting, long decreases, int ofConnection) {}
}
