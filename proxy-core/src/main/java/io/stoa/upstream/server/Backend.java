// SPDX-License-Identifier: Apache-2.0
package io.stoa.upstream.server;

import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * One directory server, as all event loops see it: whether it may be used, how much is under way,
 * and how many connections it has. Thread-safe.
 */
public final class Backend {
  /** Who stands still and is suspect for it has answered nothing for longer than this. */
  private static final long LATELY_NANOS = TimeUnit.MILLISECONDS.toNanos(200);

  private final ServerAddress address;
  private final BackendTerms terms;
  private final Weight weight;
  private final Latency latency = new Latency();
  private final OutlierStats conduct = new OutlierStats();
  private final HedgeStats hedges = new HedgeStats();
  private final DedicatedQuotas shares;
  private final AtomicInteger connections = new AtomicInteger();
  private final AtomicInteger living = new AtomicInteger();
  private final ConcurrencyLimiter places;
  private final AtomicLong heardAt = new AtomicLong(System.nanoTime());
  private final AtomicLong servedAt = new AtomicLong(System.nanoTime());
  private final LongAdder operations = new LongAdder();
  private final LongAdder binds = new LongAdder();
  private final LongAdder clientBinds = new LongAdder();
  private final LongAdder connectionsLost = new LongAdder();
  private final LongAdder operationsLost = new LongAdder();
  private final Collection<PoolMember> claimants = new CopyOnWriteArrayList<>();
  private final Map<PoolMember, Boolean> starved = new ConcurrentHashMap<>();
  private final Health health;
  private final ConnectLimiter attempts;
  private @Nullable String reconnect;
  private volatile long connectionsSince;
  private volatile int maxConnections;
  private volatile boolean renewing;
  private volatile Runnable misconduct = () -> {};
  private volatile Supplier<ReplicaStatus> replica = () -> ReplicaStatus.UNKNOWN;

  /** Makes a backend that is down until it is probed. */
  public Backend(ServerAddress address, BackendTerms terms) {
    this.address = address;
    this.terms = terms;
    this.places = new ConcurrencyLimiter(address, terms.maxInFlight());
    this.health = new Health(address);
    this.attempts = new ConnectLimiter(terms.maxConnecting());
    this.weight = new Weight(terms.weight(), terms.slowStart());
    health.onState(this::moved);
    health.onState(places::moved);
    this.maxConnections = terms.maxConnections();
    this.shares = new DedicatedQuotas(Math.max(1, terms.maxConnections() / 2));
  }

  private void moved(BackendState state) {
    weight.moved(state, health.ejected());
    if (state == BackendState.UP) {
      conduct.beginAgain();
    }
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

  /** Whether it may be sent operations, and what moves that. */
  public Health health() {
    return health;
  }

  /** Whether it takes operations now. */
  public boolean up() {
    return health.up();
  }

  /** Whether it may be sent operations, if need be. */
  public boolean usable() {
    return health.usable();
  }

  /**
   * Whether it answers, though it may be used only if need be: it is up, or suspect for how it
   * answers, or too slow for its probe only.
   */
  public boolean answers() {
    return up()
        || (usable() && (health.ejected() || answersSince(System.nanoTime() - LATELY_NANOS)));
  }

  /**
   * Whether it cannot be used any more, and answered after that time; or could not be reached for
   * the first time then, though nobody knows yet that its connections have ended. One that was
   * silent before that does not count: what it had handed on has arrived since.
   */
  public boolean lostSince(long then) {
    return health.lostSince(then);
  }

  /** Connections that it has, or is about to have, all event loops together. */
  public int connections() {
    return connections.get();
  }

  /** Operations sent and not answered. */
  public int outstanding() {
    return places.underWay();
  }

  /** Who may send it how many operations at once. */
  public ConcurrencyLimiter places() {
    return places;
  }

  /** How much of the work it is given now, beside others; above 0. */
  public double weight(long now) {
    return weight.at(now);
  }

  /** The same after its slow start. */
  public int fullWeight() {
    return weight.full();
  }

  /** Whether it has come back lately, so that clients are to come back to it. */
  public boolean returning(long now) {
    return weight.returning(now);
  }

  /** From now on it has another weight; false if it is the same. */
  public boolean changeWeight(int full) {
    boolean changed = weight.full() != full;
    weight.full(full);
    return changed;
  }

  /**
   * Has all connections made anew, a few at a time, if this is another text than the last one; the
   * first one has no effect.
   */
  public synchronized boolean reconnect(String text) {
    String before = reconnect;
    reconnect = text;
    boolean changed = before != null && !before.equals(text);
    if (changed) {
      reconnect();
    }
    return changed;
  }

  /** Has all connections made anew, a few at a time. */
  public synchronized void reconnect() {
    connectionsSince = System.nanoTime();
    renewing = true;
  }

  /** Whether a connection that was made then is to be made anew. */
  public boolean isOutdated(long made) {
    return renewing && made - connectionsSince < 0;
  }

  /** How long it takes to answer. */
  public Latency latency() {
    return latency;
  }

  /** Its reads that a second server was asked for, too. */
  public HedgeStats hedges() {
    return hedges;
  }

  /** It as it is now. */
  public BackendStatus status() {
    long now = System.nanoTime();
    return new BackendStatus(
        address,
        terms.primary(),
        health.state(),
        health.reason(),
        weight.at(now),
        weight.full(),
        latency.nanos(now) / TimeUnit.MILLISECONDS.toNanos(1),
        health.ejections(),
        connections.get(),
        living.get(),
        places.underWay(),
        places.status(),
        hedges.status(),
        operations.sum(),
        binds.sum(),
        clientBinds.sum(),
        connectionsLost.sum(),
        operationsLost.sum(),
        replica.get());
  }

  /** Who knows how far it has got. */
  public void replica(Supplier<ReplicaStatus> source) {
    replica = source;
  }

  /** Makes a claimant known, to be asked for idle connections. */
  public void register(PoolMember claimant) {
    claimants.add(claimant);
  }

  /**
   * An operation has been sent.
   *
   * @param counted whether it is one of those by which servers are chosen
   */
  public void sent(boolean counted) {
    if (counted) {
      places.sent();
      operations.increment();
    }
  }

  /** It has answered Stoa itself, whatever that says: it lives. */
  public void heard() {
    heardAt.lazySet(System.nanoTime());
  }

  /**
   * The result of an operation has come, which still counts as under way. What the probe asks is
   * none: a server answers that otherwise than what clients ask.
   *
   * @param code the result code
   * @param read whether the operation is one of those whose times can be compared
   * @param nanos how long it took
   */
  public void answered(int code, boolean read, long nanos) {
    long now = System.nanoTime();
    if (OutlierStats.isBad(code)) {
      heardAt.lazySet(now);
      refused(now - nanos, now);
      return;
    }
    conduct.good();
    servedAt.lazySet(now);
    places.done(now - nanos, now);
    if (read) {
      latency.add(nanos, now);
      conduct.read(nanos, now);
    }
  }

  /** Whether it has answered anything since then: it lives, whatever else it does not answer. */
  public boolean answersSince(long then) {
    return heardAt.get() - then > 0 || servesSince(then);
  }

  /** Whether it has done anything since then that it was sent, and not only refused. */
  public boolean servesSince(long then) {
    return servedAt.get() - then > 0;
  }

  /** Who is sent more than it can do may refuse the rest, without being worse than others. */
  private void refused(long sentAt, long now) {
    if (!places.refused(sentAt, now)) {
      misconduct(now);
    }
  }

  /** A connection to it could not be made, which others may have: is it there? */
  public void unreached(Throwable cause) {
    if (living.get() > 0) {
      timedOut();
      health.unreached();
    } else {
      health.unreachable(cause);
    }
  }

  /** An operation was not answered within the time that it had. */
  public void timedOut() {
    long now = System.nanoTime();
    places.silent(now);
    misconduct(now);
  }

  /** What was sent to it is left to others, since it does not answer. */
  public void handedOver() {
    places.silent(System.nanoTime());
  }

  /** Whether a result code says that a server cannot do its work at present. */
  public static boolean isRefusal(int code) {
    return OutlierStats.isBad(code);
  }

  private void misconduct(long now) {
    if (conduct.bad(now)) {
      misconduct.run();
    }
  }

  /** Has somebody look at its conduct when there is reason to; on any thread. */
  void onMisconduct(Runnable look) {
    misconduct = look;
  }

  /** How it has answered lately. */
  OutlierStats conduct() {
    return conduct;
  }

  /** Such an operation has been answered, or given up. */
  public void ended(boolean counted) {
    if (counted) {
      places.ended();
    }
  }

  /**
   * A bind has been sent.
   *
   * @param counted whether it is an operation of a client, and counted as such
   */
  public void bindSent(boolean counted) {
    binds.increment();
    clientBinds.add(counted ? 1 : 0);
  }

  /**
   * A connection has ended with so many operations unanswered.
   *
   * @param counted whether they are of those by which servers are chosen
   */
  public void closed(int unanswered, boolean counted) {
    if (unanswered > 0) {
      connectionsLost.increment();
      operationsLost.add(counted ? unanswered : 0);
    }
  }

  /**
   * From now on these bounds hold: what there is too many of goes when it is idle.
   *
   * @param most how many connections it may have
   * @param connecting how many of them may be in the making at once
   * @param inFlight how many operations it is given at once; 0 for as many as it tolerates
   * @param slowStart how long it takes after a return until it is given its part of the work
   */
  public void bounds(int most, int connecting, int inFlight, Duration slowStart) {
    attempts.most(connecting);
    places.most(inFlight);
    weight.ramp(slowStart);
    maxConnections = most;
    shares.most(Math.max(1, most / 2));
    for (int over = connections.get() - most; over > 0; over--) {
      claimants.forEach(PoolMember::idleWanted);
    }
    passOn();
  }

  /** Who has connections that serve one client alone: half of all may be of one holder. */
  public DedicatedQuotas shares() {
    return shares;
  }

  /** Connections to it that are in the making. */
  public ConnectLimiter attempts() {
    return attempts;
  }

  /** One more of its connections can be used. */
  public void lives() {
    living.incrementAndGet();
  }

  /** Takes the right to one more connection. */
  public boolean reserve() {
    int now;
    do {
      now = connections.get();
      if (now >= maxConnections) {
        return false;
      }
    } while (!connections.compareAndSet(now, now + 1));
    return true;
  }

  /**
   * Gives back the right to a connection that has ended.
   *
   * @param lived whether it could be used
   */
  public void release(boolean lived) {
    if (lived) {
      living.decrementAndGet();
    }
    release();
  }

  /** Gives back the right to a connection, and lets a claimant that waits for one have it. */
  public void release() {
    connections.decrementAndGet();
    passOn();
  }

  /** Lets a claimant that waits know that there may be room. */
  public void passOn() {
    attempts.passOn();
    if (connections.get() < maxConnections) {
      for (PoolMember claimant : List.copyOf(starved.keySet())) {
        if (starved.remove(claimant) != null) {
          claimant.roomExpected();
          return;
        }
      }
    }
  }

  /**
   * Whether an idle connection is to be given up: somebody needs one and has no room, or there are
   * more than may be.
   */
  public boolean starving() {
    return !starved.isEmpty() || connections.get() > maxConnections;
  }

  /** A claimant needs no connection any more. */
  public void sated(PoolMember claimant) {
    starved.remove(claimant);
  }

  /**
   * True if a claimant that needs a connection has none, or there are more than may be: then also
   * one is given up that cannot be made again.
   */
  public boolean needy() {
    return starved.containsValue(true) || connections.get() > maxConnections;
  }

  /**
   * A claimant found neither room nor an idle connection of its own: others give up an idle one.
   *
   * @param needy whether it needs a first connection, and not a further one
   */
  public void starve(PoolMember hungry, boolean needy) {
    starved.merge(hungry, needy, Boolean::logicalOr);
    for (PoolMember claimant : claimants) {
      if (claimant != hungry) {
        claimant.idleWanted();
      }
    }
    if (connections.get() < maxConnections && starved.remove(hungry) != null) {
      hungry.roomExpected();
    }
  }
}
