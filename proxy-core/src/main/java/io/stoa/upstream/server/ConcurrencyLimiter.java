// SPDX-License-Identifier: Apache-2.0
package io.stoa.upstream.server;

import java.util.ArrayDeque;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Queue;
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
 *   <li>No operation overtakes those that wait: {@link #take} fails while the queue is not empty.
 *   <li>After each turn an origin goes to the end, so that among n origins each gets at least every
 *       n-th place.
 *   <li>Operations that have no end (persistent searches) take no place. Abandoned ones take one
 *       for a moment, since the server does not tell when it has stopped.
 *   <li>Operations on a client's own connection never wait, and take at most half of the cap from
 *       the others.
 * </ol>
 *
 * <p><b>Without it</b> one busy identity starves all others at a slow server (ProxiedTurnsIT,
 * BusyIdentityIT).
 *
 * <p>Threading: thread-safe. A place is handed to another event loop by posting.
 */
public final class ConcurrencyLimiter {
  private final InFlightLimit limit;
  private final ConnectionLimit ofConnection;
  private final AtomicInteger underWay = new AtomicInteger();
  private final AtomicInteger endless = new AtomicInteger();
  private final AtomicInteger own = new AtomicInteger();
  private final AtomicInteger astray = new AtomicInteger();
  private final Map<Object, Queue<Candidate>> turns = new LinkedHashMap<>();
  private volatile int waiting;
  private volatile long upAt = System.nanoTime();

  ConcurrencyLimiter(ServerAddress server, int most) {
    this.limit = new InFlightLimit(most);
    this.ofConnection = new ConnectionLimit(server);
  }

  /**
   * An operation that waits for a place.
   *
   * <p>Threading: thread-safe.
   */
  public interface Candidate {
    /**
     * Called when the candidate has a place. The candidate gives the place back once its operation
     * is counted by {@link #sent}.
     */
    void placed();
  }

  // Counts

  /** Returns the number of operations sent and not answered. */
  int underWay() {
    return underWay.get();
  }

  void sent() {
    underWay.incrementAndGet();
  }

  void ended() {
    underWay.decrementAndGet();
    if (limited()) {
      passOn();
    }
  }

  /**
   * Adds to the count of operations without an end, such as persistent searches. These take no
   * place, since they would keep it for ever.
   *
   * @param more 1 or -1
   */
  public void endless(int more) {
    endless.addAndGet(more);
  }

  /**
   * Adds to the count of operations on dedicated connections. These never wait, but must not take
   * all places from the others.
   *
   * @param more 1 or -1
   */
  public void own(int more) {
    own.addAndGet(more);
  }

  /**
   * Adds to the count of abandoned operations. The server may still work on them and does not
   * report when it has stopped.
   *
   * @param more 1 or -1
   */
  public void astray(int more) {
    astray.addAndGet(more);
    if (more < 0 && limited()) {
      passOn();
    }
  }

  /** Returns the number of operations that occupy the server and end by themselves. */
  private int load() {
    return underWay.get() - endless.get() + astray.get();
  }

  // Places

  /** True if there is a cap at present. */
  public boolean limited() {
    return limit.cap() != InFlightLimit.NONE;
  }

  /** True if an operation sent now would wait for a place. */
  public boolean full() {
    return limited() && (waiting > 0 || !room());
  }

  /** Returns the load relative to the cap, to compare servers that are full. */
  public double crowd() {
    return (double) (underWay.get() + waiting) / limit.cap();
  }

  private boolean room() {
    int cap = limit.cap();
    int unpaced = own.get();
    int paced = load() - unpaced;
    return paced < Math.max(1, cap - Math.min(unpaced, cap / 2));
  }

  /**
   * Takes a place for an operation that is about to be sent.
   *
   * @return false if there is none, or others wait for theirs
   */
  public synchronized boolean take() {
    boolean taken = waiting == 0 && room();
    if (taken) {
      underWay.incrementAndGet();
    }
    return taken;
  }

  /** Gives a place back. The operation that was sent on it is counted by itself. */
  public void giveBack() {
    ended();
  }

  /**
   * Adds a candidate to the queue of its origin.
   *
   * @param origin unit of fairness: candidates of one origin share its turns
   */
  public void await(Object origin, Candidate candidate) {
    synchronized (this) {
      turns.computeIfAbsent(origin, first -> new ArrayDeque<>(2)).add(candidate);
      waiting++;
    }
    passOn();
  }

  /** Gives free places to waiting candidates. */
  public void passOn() {
    if (waiting == 0) {
      return; // a candidate that arrives later calls passOn itself
    }
    for (Candidate next = next(); next != null; next = next()) {
      next.placed();
    }
  }

  private synchronized @Nullable Candidate next() {
    if (waiting == 0 || !room()) {
      return null;
    }
    Iterator<Map.Entry<Object, Queue<Candidate>>> first = turns.entrySet().iterator();
    Map.Entry<Object, Queue<Candidate>> turn = first.next();
    Object origin = turn.getKey();
    Queue<Candidate> own = turn.getValue();
    Candidate next = own.remove();
    first.remove();
    if (!own.isEmpty()) {
      turns.put(origin, own);
    }
    waiting--;
    underWay.incrementAndGet();
    return next;
  }

  /** Sets the upper bound of the cap; 0 for none. */
  void most(int other) {
    limit.most(other);
    passOn();
  }

  // Signals from the server

  /**
   * Called when the server has refused an operation. Returns true if the number in flight may be
   * why.
   */
  boolean refused(long sentAt, long now) {
    return limit.refused(sentAt, now, load());
  }

  /** Called when the server has completed an operation. */
  void done(long sentAt, long now) {
    if (limited()) {
      limit.done(sentAt, now, waiting > 0 || !room());
      passOn();
    }
  }

  /** Called when the server does not respond. */
  void silent(long now) {
    limit.silent(now, load());
  }

  /** Returns the limit of operations on one connection. */
  public ConnectionLimit ofConnection() {
    return ofConnection;
  }

  /** Called when the server's state has changed. After an outage the limits are learnt anew. */
  void moved(BackendState state) {
    if (state == BackendState.DOWN) {
      ofConnection.forget();
    }
    if (state == BackendState.PROBING) {
      limit.clear();
      passOn();
    } else if (state == BackendState.UP) {
      upAt = System.nanoTime();
    }
  }

  /** True if the server came up after {@code then}. */
  public boolean upSince(long then) {
    return upAt - then > 0;
  }

  /** Returns a snapshot. */
  Status status() {
    int cap = limited() ? limit.cap() : 0;
    return new Status(cap, waiting, limit.decreases(), ofConnection.status());
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
