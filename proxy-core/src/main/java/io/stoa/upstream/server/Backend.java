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
 * One directory server, shared by all event loops: its state, its load and its connections.
 *
 * <p>Threading: thread-safe.
 */
public final class Backend {
  /** Longest silence of a suspect server that still counts as answering: 200 ms. */
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

  /** Creates a server that is down until its first health check. */
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

  /** Returns the address. */
  public ServerAddress address() {
    return address;
  }

  /** True if the server takes writes. */
  public boolean primary() {
    return terms.primary();
  }

  /**
   * True if the path to the server is not protected, so that secrets from TLS clients must not be
   * sent.
   */
  public boolean exposed() {
    return terms.exposed();
  }

  /** Returns the server's state and its transitions. */
  public Health health() {
    return health;
  }

  /** True if the server takes operations. */
  public boolean up() {
    return health.up();
  }

  /** True if the server may be sent operations when no other server is up. */
  public boolean usable() {
    return health.usable();
  }

  /**
   * True if the server responds, even if it is only a last resort: it is up, ejected, or suspect
   * but has answered within the last 200 ms.
   */
  public boolean answers() {
    return up()
        || (usable() && (health.ejected() || answersSince(System.nanoTime() - LATELY_NANOS)));
  }

  /**
   * True if the server was lost after {@code then}: it became unusable, having been up or ejected
   * until then. A server still usable counts if a first connection attempt failed since. A server
   * that was silent before {@code then} does not count: changes it had replicated have arrived
   * since.
   */
  public boolean lostSince(long then) {
    return health.lostSince(then);
  }

  /** Returns the number of connections open or being opened, over all event loops. */
  public int connections() {
    return connections.get();
  }

  /** Returns the number of operations sent and not answered. */
  public int outstanding() {
    return places.underWay();
  }

  /** Returns the concurrency limiter. */
  public ConcurrencyLimiter places() {
    return places;
  }

  /** Returns the share of the load now; above 0. */
  public double weight(long now) {
    return weight.at(now);
  }

  /** Returns the share of the load after the slow start. */
  public int fullWeight() {
    return weight.full();
  }

  /** True if the server came back recently, so that clients should return to it. */
  public boolean returning(long now) {
    return weight.returning(now);
  }

  /** Sets the weight. Returns false if it is unchanged. */
  public boolean changeWeight(int full) {
    boolean changed = weight.full() != full;
    weight.full(full);
    return changed;
  }

  /**
   * Renews all connections, a few at a time, if {@code text} differs from that of the last call.
   * The first call only stores it. Returns true if connections are renewed.
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

  /** Renews all connections, a few at a time. */
  public synchronized void reconnect() {
    connectionsSince = System.nanoTime();
    renewing = true;
  }

  /** True if a connection made at {@code made} is due for renewal. */
  public boolean isOutdated(long made) {
    return renewing && made - connectionsSince < 0;
  }

  /** Returns the recent response time. */
  public Latency latency() {
    return latency;
  }

  /** Returns the counters of hedged reads. */
  public HedgeStats hedges() {
    return hedges;
  }

  /** Returns a snapshot. */
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

  /** Sets the source of the replication status. */
  public void replica(Supplier<ReplicaStatus> source) {
    replica = source;
  }

  /** Registers a pool, which is then asked for idle connections. */
  public void register(PoolMember claimant) {
    claimants.add(claimant);
  }

  /**
   * Called when an operation has been sent.
   *
   * @param counted false for health checks
   */
  public void sent(boolean counted) {
    if (counted) {
      places.sent();
      operations.increment();
    }
  }

  /**
   * Called when the server has answered a request of Stoa's own, whatever the result: it is alive.
   */
  public void heard() {
    heardAt.lazySet(System.nanoTime());
  }

  /**
   * Called when the result of an operation has arrived, while it still counts as in flight. Not
   * called for health checks, which a server may answer differently from client requests.
   *
   * @param code the result code
   * @param read true if the response time is comparable with that of other servers
   * @param nanos response time in ns
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

  /** True if the server has answered anything since {@code then}, so that it is alive. */
  public boolean answersSince(long then) {
    return heardAt.get() - then > 0 || servesSince(then);
  }

  /** True if the server has completed an operation since {@code then}, and not only refused. */
  public boolean servesSince(long then) {
    return servedAt.get() - then > 0;
  }

  /** Counts a refusal as a failure, unless the number of operations in flight explains it. */
  private void refused(long sentAt, long now) {
    if (!places.refused(sentAt, now)) {
      misconduct(now);
    }
  }

  /**
   * Called when a connection could not be made. Without a usable connection the server goes down;
   * with one, a health check follows.
   */
  public void unreached(Throwable cause) {
    if (living.get() > 0) {
      timedOut();
      health.unreached();
    } else {
      health.unreachable(cause);
    }
  }

  /** Called when an operation had no response in time. */
  public void timedOut() {
    long now = System.nanoTime();
    places.silent(now);
    misconduct(now);
  }

  /** Called when operations are handed to other servers because this one does not respond. */
  public void handedOver() {
    places.silent(System.nanoTime());
  }

  /** True if the result code means that the server cannot work at present: busy or unavailable. */
  public static boolean isRefusal(int code) {
    return OutlierStats.isBad(code);
  }

  private void misconduct(long now) {
    if (conduct.bad(now)) {
      misconduct.run();
    }
  }

  /** Sets what runs when failures call for an outlier check; on any thread. */
  void onMisconduct(Runnable look) {
    misconduct = look;
  }

  /** Returns the recent failures and response times. */
  OutlierStats conduct() {
    return conduct;
  }

  /**
   * Called when an operation has been answered or given up.
   *
   * @param counted false for health checks
   */
  public void ended(boolean counted) {
    if (counted) {
      places.ended();
    }
  }

  /**
   * Called when a bind has been sent.
   *
   * @param counted true if the bind is a client's operation
   */
  public void bindSent(boolean counted) {
    binds.increment();
    clientBinds.add(counted ? 1 : 0);
  }

  /**
   * Called when a connection has ended.
   *
   * @param unanswered number of its unanswered operations
   * @param counted false for the health-check connection
   */
  public void closed(int unanswered, boolean counted) {
    if (unanswered > 0) {
      connectionsLost.increment();
      operationsLost.add(counted ? unanswered : 0);
    }
  }

  /**
   * Sets the limits. Surplus connections are closed when idle.
   *
   * @param most maximum number of connections
   * @param connecting maximum number of connections being opened
   * @param inFlight maximum number of operations in flight; 0 for as many as the server tolerates
   * @param slowStart duration of the slow start
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

  /** Returns the quotas of dedicated connections: at most half of all for one holder. */
  public DedicatedQuotas shares() {
    return shares;
  }

  /** Returns the limiter of connections being opened. */
  public ConnectLimiter attempts() {
    return attempts;
  }

  /** Called when one more connection is usable. */
  public void lives() {
    living.incrementAndGet();
  }

  /** Reserves one connection. Returns false if the limit is reached. */
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
   * Releases a reserved connection that has ended.
   *
   * @param lived true if the connection was usable
   */
  public void release(boolean lived) {
    if (lived) {
      living.decrementAndGet();
    }
    release();
  }

  /** Releases a reserved connection, and offers it to a pool that waits for one. */
  public void release() {
    connections.decrementAndGet();
    passOn();
  }

  /** Notifies a waiting pool that there may be room. */
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
   * True if idle connections should be closed: a pool waits for one, or there are more than the
   * limit.
   */
  public boolean starving() {
    return !starved.isEmpty() || connections.get() > maxConnections;
  }

  /** Called when a pool needs no connection any more. */
  public void sated(PoolMember claimant) {
    starved.remove(claimant);
  }

  /**
   * True if a pool has no connection at all, or if there are more than the limit. Then even
   * connections that cannot be made again are closed.
   */
  public boolean needy() {
    return starved.containsValue(true) || connections.get() > maxConnections;
  }

  /**
   * Called when a pool found neither room nor an idle connection of its own. Other pools then close
   * an idle one.
   *
   * @param needy true if the pool has no connection at all
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
