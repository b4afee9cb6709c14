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
 *   <li>Operations on a client's own connection never wait. They take at most half of the cap from
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

  /** What waits for a place. Thread-safe. */
  public interface Candidate {
    /** It has a place, and is to give it back when what it has sent is counted by itself. */
    void placed();
  }

  // What is sent

  /** Operations sent and not answered. */
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
   * One more goes on until its client ends it, or one less: they would hold their places for ever,
   * and take none.
   */
  public void endless(int more) {
    endless.addAndGet(more);
  }

  /**
   * One more is under way on a connection of one client alone, or one less: they never wait, but
   * those who do are not to wait for them alone.
   */
  public void own(int more) {
    own.addAndGet(more);
  }

  /**
   * The server may work on one more that was abandoned, or on one less: it does not say when it is
   * done with it.
   */
  public void astray(int more) {
    astray.addAndGet(more);
    if (more < 0 && limited()) {
      passOn();
    }
  }

  /** What the server has to do that ends by itself. */
  private int load() {
    return underWay.get() - endless.get() + astray.get();
  }

  // Who may send

  /** Whether there is a cap at present. */
  public boolean limited() {
    return limit.cap() != InFlightLimit.NONE;
  }

  /** Whether what is sent now would have to wait for a place. */
  public boolean full() {
    return limited() && (waiting > 0 || !room());
  }

  /** How long an operation waits for a place, compared with other servers that are full. */
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

  /** Gives back a place that was taken; what was sent there has been counted by itself. */
  public void giveBack() {
    ended();
  }

  /**
   * Waits for a turn, once.
   *
   * @param origin those of one origin share its turns
   */
  public void await(Object origin, Candidate candidate) {
    synchronized (this) {
      turns.computeIfAbsent(origin, first -> new ArrayDeque<>(2)).add(candidate);
      waiting++;
    }
    passOn();
  }

  /** Gives places to those that wait, as far as there are some. */
  public void passOn() {
    if (waiting == 0) {
      return; // whoever comes to wait looks for a place behind that
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

  /** From now on there are never more places than this; 0 for as many as the server tolerates. */
  void most(int other) {
    limit.most(other);
    passOn();
  }

  // What the server makes of it

  /** The server has refused an operation; whether there may have been too many. */
  boolean refused(long sentAt, long now) {
    return limit.refused(sentAt, now, load());
  }

  /** The server has done an operation. */
  void done(long sentAt, long now) {
    if (limited()) {
      limit.done(sentAt, now, waiting > 0 || !room());
      passOn();
    }
  }

  /** The server does not answer. */
  void silent(long now) {
    limit.silent(now, load());
  }

  /** How many operations one connection is given. */
  public ConnectionLimit ofConnection() {
    return ofConnection;
  }

  /** A server that was down comes back as another one. */
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

  /** Whether the server was not up then, or later, and is since. */
  public boolean upSince(long then) {
    return upAt - then > 0;
  }

  /** It as it is now. */
  Status status() {
    int cap = limited() ? limit.cap() : 0;
    return new Status(cap, waiting, limit.decreases(), ofConnection.status());
  }

  /**
   * A cap at one moment. Immutable.
   *
   * @param cap how many operations may be under way; 0 if that is not limited
   * @param waiting clients of which operations wait for a place
   * @param decreases how often the cap has become lower
   * @param ofConnection most unanswered operations on one connection, as learnt from connections
   *     that the server ended; 0 if no limit was learnt
   */
  public record Status(int cap, int waiting, long decreases, int ofConnection) {}
}
