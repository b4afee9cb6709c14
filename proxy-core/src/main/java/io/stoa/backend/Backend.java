// SPDX-License-Identifier: Apache-2.0
package io.stoa.backend;

import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One directory server, as all event loops see it: whether it may be used, how much is under way,
 * and how many connections it has. Thread-safe.
 */
public final class Backend {
  private static final Logger LOG = LoggerFactory.getLogger(Backend.class);

  private final ServerAddress address;
  private final BackendTerms terms;
  private final Weight weight;
  private final Latency latency = new Latency();
  private final Shares shares;
  private final AtomicInteger connections = new AtomicInteger();
  private final AtomicInteger outstanding = new AtomicInteger();
  private final LongAdder operations = new LongAdder();
  private final LongAdder binds = new LongAdder();
  private final LongAdder connectionsLost = new LongAdder();
  private final Collection<Claimant> claimants = new CopyOnWriteArrayList<>();
  private final Map<Claimant, Boolean> starved = new ConcurrentHashMap<>();
  private final Collection<Consumer<BackendState>> listeners = new CopyOnWriteArrayList<>();
  private volatile BackendState state = BackendState.DOWN;

  /** Whether its state has been logged since the start. */
  private volatile boolean everSeen;

  /** Makes a backend that is down until it is probed. */
  public Backend(ServerAddress address, BackendTerms terms) {
    this.address = address;
    this.terms = terms;
    this.weight = new Weight(terms.weight(), terms.slowStart());
    this.shares = new Shares(Math.max(1, terms.maxConnections() / 2));
  }

  /** Where it listens. */
  public ServerAddress address() {
    return address;
  }

  /** Whether it takes the writes. */
  public boolean primary() {
    return terms.primary();
  }

  /** Whether it is reached in such a way that others may read what only TLS clients know. */
  public boolean exposed() {
    return terms.exposed();
  }

  /** Whether it takes operations now. */
  public boolean up() {
    return state == BackendState.UP;
  }

  /** Operations sent and not answered. */
  public int outstanding() {
    return outstanding.get();
  }

  /** Hears every change of state, on the thread that caused it. */
  public void onState(Consumer<BackendState> listener) {
    listeners.add(listener);
  }

  /** How much of the work it is given now, beside others; above 0. */
  public double weight(long now) {
    return weight.at(now);
  }

  /** How long it takes to answer. */
  public Latency latency() {
    return latency;
  }

  /** It as it is now. */
  public BackendStatus status() {
    return new BackendStatus(
        address,
        terms.primary(),
        state,
        connections.get(),
        outstanding.get(),
        operations.sum(),
        binds.sum(),
        connectionsLost.sum());
  }

  /** A probe begins. */
  public boolean probing() {
    return moveTo(BackendState.PROBING);
  }

  /** It answered a probe. */
  public void answered() {
    boolean back = everSeen;
    if (moveTo(BackendState.UP)) {
      everSeen = true;
      if (back) {
        weight.returned(System.nanoTime());
      }
      LOG.info("upstream {} is up", address);
    }
  }

  /** It could not be reached, or did not answer a probe. */
  public void unreachable(Throwable cause) {
    boolean news = state == BackendState.UP || !everSeen;
    if (moveTo(BackendState.DOWN) && news) {
      everSeen = true;
      LOG.warn("upstream {} is down: {}", address, reason(cause));
    }
  }

  /** A closed channel says nothing else of itself. */
  private static String reason(Throwable cause) {
    String message = cause.getMessage();
    return message == null ? "the connection was closed" : message;
  }

  /** The only place that moves the state; false if another thread was first. */
  private boolean moveTo(BackendState next) {
    synchronized (this) {
      if (!state.next().contains(next)) {
        return false;
      }
      state = next;
    }
    listeners.forEach(listener -> listener.accept(next));
    return true;
  }

  /** Makes a claimant known, to be asked for idle connections. */
  public void register(Claimant claimant) {
    claimants.add(claimant);
  }

  /** An operation has been sent. */
  public void sent() {
    outstanding.incrementAndGet();
    operations.increment();
  }

  /** An operation has been answered, or given up. */
  public void ended() {
    outstanding.decrementAndGet();
  }

  /** A bind has been sent. */
  public void bindSent() {
    binds.increment();
  }

  /** A connection has ended with so many operations unanswered. */
  public void closed(int unanswered) {
    if (unanswered > 0) {
      connectionsLost.increment();
    }
  }

  /** Who has connections that serve one client alone: half of all may be of one holder. */
  public Shares shares() {
    return shares;
  }

  /** Takes the right to one more connection. */
  public boolean reserve() {
    int now;
    do {
      now = connections.get();
      if (now >= terms.maxConnections()) {
        return false;
      }
    } while (!connections.compareAndSet(now, now + 1));
    return true;
  }

  /** Gives back the right to a connection, and lets a claimant that waits for one have it. */
  public void release() {
    connections.decrementAndGet();
    passOn();
  }

  /** Lets a claimant that waits know that there may be room. */
  public void passOn() {
    if (connections.get() < terms.maxConnections()) {
      for (Claimant claimant : List.copyOf(starved.keySet())) {
        if (starved.remove(claimant) != null) {
          claimant.roomExpected();
          return;
        }
      }
    }
  }

  /** Whether a claimant waits for a connection to end. */
  public boolean starving() {
    return !starved.isEmpty();
  }

  /**
   * A claimant found neither room nor an idle connection of its own: others give up an idle one.
   */
  public void starve(Claimant hungry) {
    starved.put(hungry, Boolean.TRUE);
    for (Claimant claimant : claimants) {
      if (claimant != hungry) {
        claimant.idleWanted();
      }
    }
    if (connections.get() < terms.maxConnections() && starved.remove(hungry) != null) {
      hungry.roomExpected();
    }
  }
}
