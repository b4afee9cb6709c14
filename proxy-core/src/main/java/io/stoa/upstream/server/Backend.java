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
  private final BackendConfig config;
  private final Weight weight;
  private final Latency latency = new Latency();
  private final OutlierStats outlierStats = new OutlierStats();
  private final HedgeStats hedges = new HedgeStats();
  private final DedicatedQuotas dedicatedQuotas;
  private final AtomicInteger connections = new AtomicInteger();
  private final AtomicInteger usableConnections = new AtomicInteger();
  private final ConcurrencyLimiter limiter;
  private final AtomicLong ownResponseAt = new AtomicLong(System.nanoTime());
  private final AtomicLong completedAt = new AtomicLong(System.nanoTime());
  private final LongAdder operations = new LongAdder();
  private final LongAdder binds = new LongAdder();
  private final LongAdder clientBinds = new LongAdder();
  private final LongAdder connectionsLost = new LongAdder();
  private final LongAdder operationsLost = new LongAdder();
  private final Collection<PoolMember> pools = new CopyOnWriteArrayList<>();
  private final Map<PoolMember, Boolean> waitingPools = new ConcurrentHashMap<>();
  private final Health health;
  private final ConnectLimiter connectLimiter;
  private @Nullable String reconnect;
  private volatile long renewMadeBefore;
  private volatile int maxConnections;
  private volatile boolean renewing;
  private volatile Runnable outlierCheck = () -> {};
  private volatile Supplier<ReplicaStatus> replica = () -> ReplicaStatus.UNKNOWN;

  /** Creates a server that is down until its first health check. */
  public Backend(ServerAddress address, BackendConfig config) {
    this.address = address;
    this.config = config;
    this.limiter = new ConcurrencyLimiter(address, config.maxInFlight());
    this.health = new Health(address);
    this.connectLimiter = new ConnectLimiter(config.maxConnecting());
    this.weight = new Weight(config.weight(), config.slowStart());
    health.onState(this::onState);
    health.onState(limiter::onState);
    this.maxConnections = config.maxConnections();
    this.dedicatedQuotas = new DedicatedQuotas(Math.max(1, config.maxConnections() / 2));
  }

  private void onState(BackendState state) {
    weight.onState(state, health.isEjected());
    if (state == BackendState.UP) {
      outlierStats.resetConsecutive();
    }
  }

  /** Returns the address. */
  public ServerAddress address() {
    return address;
  }

  /** True if the server takes writes. */
  public boolean isPrimary() {
    return config.primary();
  }

  /**
   * True if the path to the server is not protected, so that secrets from TLS clients must not be
   * sent.
   */
  public boolean isExposed() {
    return config.exposed();
  }

  /** Returns the server's state and its transitions. */
  public Health health() {
    return health;
  }

  /** True if the server takes operations. */
  public boolean isUp() {
    return health.isUp();
  }

  /** True if the server may be sent operations when no other server is up. */
  public boolean isUsable() {
    return health.isUsable();
  }

  /**
   * True if the server responds, even if it is only a last resort: it is up, ejected, or suspect
   * but has answered within the last 200 ms.
   */
  public boolean isResponding() {
    return isUp()
        || (isUsable()
            && (health.isEjected() || hasAnsweredSince(System.nanoTime() - LATELY_NANOS)));
  }

  /**
   * True if the server was lost after {@code time}: it became unusable, having been up or ejected
   * until then. A server still usable counts if a first connection attempt failed since. A server
   * that was silent before {@code time} does not count: changes it had replicated have arrived
   * since.
   */
  public boolean wasLostSince(long time) {
    return health.wasLostSince(time);
  }

  /** Returns the number of connections open or being opened, over all event loops. */
  public int connections() {
    return connections.get();
  }

  /** Returns the number of operations sent and not answered. */
  public int outstanding() {
    return limiter.inFlight();
  }

  /** Returns the concurrency limiter. */
  public ConcurrencyLimiter limiter() {
    return limiter;
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
  public boolean isReturning(long now) {
    return weight.isReturning(now);
  }

  /** Sets the weight. Returns false if it is unchanged. */
  public boolean changeWeight(int full) {
    boolean changed = weight.full() != full;
    weight.setFull(full);
    return changed;
  }

  /**
   * Renews all connections, a few at a time, if {@code text} differs from that of the last call.
   * The first call only stores it. Returns true if connections are renewed.
   */
  public synchronized boolean reconnect(String text) {
    String previous = reconnect;
    reconnect = text;
    boolean changed = previous != null && !previous.equals(text);
    if (changed) {
      reconnect();
    }
    return changed;
  }

  /** Renews all connections, a few at a time. */
  public synchronized void reconnect() {
    renewMadeBefore = System.nanoTime();
    renewing = true;
  }

  /** True if a connection made at {@code createdAt} is due for renewal. */
  public boolean isOutdated(long createdAt) {
    return renewing && createdAt - renewMadeBefore < 0;
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
        config.primary(),
        health.state(),
        health.reason(),
        weight.at(now),
        weight.full(),
        latency.nanos(now) / TimeUnit.MILLISECONDS.toNanos(1),
        health.ejections(),
        connections.get(),
        usableConnections.get(),
        limiter.inFlight(),
        limiter.status(),
        hedges.status(),
        operations.sum(),
        binds.sum(),
        clientBinds.sum(),
        connectionsLost.sum(),
        operationsLost.sum(),
        replica.get());
  }

  /** Sets the source of the replication status. */
  public void setReplica(Supplier<ReplicaStatus> source) {
    replica = source;
  }

  /** Registers a pool, which is then asked for idle connections. */
  public void register(PoolMember member) {
    pools.add(member);
  }

  /** Called when an operation has been sent; not called for health checks. */
  public void onSent() {
    limiter.onSent();
    operations.increment();
  }

  /**
   * Called when the server has answered a request of Stoa's own, whatever the result: it is alive.
   */
  public void onOwnResponse() {
    ownResponseAt.lazySet(System.nanoTime());
  }

  /**
   * Called when the result of an operation has arrived, while it still counts as in flight. Not
   * called for health checks, which a server may answer differently from client requests.
   *
   * @param code the result code
   * @param read true if the response time is comparable with that of other servers
   * @param nanos response time in ns
   * @param now time of receipt, as {@link System#nanoTime}
   */
  public void onResult(int code, boolean read, long nanos, long now) {
    if (OutlierStats.isFailure(code)) {
      ownResponseAt.lazySet(now);
      onRefusal(now - nanos, now);
      return;
    }
    outlierStats.onSuccess();
    completedAt.lazySet(now);
    limiter.onCompleted(now - nanos, now);
    if (read) {
      latency.add(nanos, now);
      outlierStats.onRead(nanos, now);
    }
  }

  /** True if the server has answered anything since {@code time}, so that it is alive. */
  public boolean hasAnsweredSince(long time) {
    return ownResponseAt.get() - time > 0 || hasCompletedSince(time);
  }

  /** True if the server has completed an operation since {@code time}, and not only refused. */
  public boolean hasCompletedSince(long time) {
    return completedAt.get() - time > 0;
  }

  /** Counts a refusal as a failure, unless the number of operations in flight explains it. */
  private void onRefusal(long sentAt, long now) {
    if (!limiter.onRefused(sentAt, now)) {
      countFailure(now);
    }
  }

  /**
   * Called when a connection could not be made. Without a usable connection the server goes down;
   * with one, a health check follows.
   */
  public void onConnectFailed(Throwable cause) {
    if (usableConnections.get() > 0) {
      onTimeout();
      health.onConnectFailed();
    } else {
      health.onDown(cause);
    }
  }

  /** Called when an operation had no response in time. */
  public void onTimeout() {
    long now = System.nanoTime();
    limiter.onTimeout(now);
    countFailure(now);
  }

  /** Called when operations are handed to other servers because this one does not respond. */
  public void onHandOver() {
    limiter.onTimeout(System.nanoTime());
  }

  /** True if the result code means that the server cannot work at present: busy or unavailable. */
  public static boolean isRefusal(int code) {
    return OutlierStats.isFailure(code);
  }

  private void countFailure(long now) {
    if (outlierStats.onFailure(now)) {
      outlierCheck.run();
    }
  }

  /** Sets what runs when failures call for an outlier check; on any thread. */
  void onFailures(Runnable look) {
    outlierCheck = look;
  }

  /** Returns the recent failures and response times. */
  OutlierStats outlierStats() {
    return outlierStats;
  }

  /** Called when an operation has been answered or given up; not called for health checks. */
  public void onEnded() {
    limiter.onEnded();
  }

  /**
   * Called when a bind has been sent.
   *
   * @param ofClient true if the bind is a client's operation
   */
  public void onBindSent(boolean ofClient) {
    binds.increment();
    clientBinds.add(ofClient ? 1 : 0);
  }

  /**
   * Called when a connection has ended.
   *
   * @param unanswered number of its unanswered operations
   * @param lost number of those that are not health checks
   */
  public void onConnectionClosed(int unanswered, int lost) {
    if (unanswered > 0) {
      connectionsLost.increment();
      operationsLost.add(lost);
    }
  }

  /**
   * Sets the limits. Surplus connections are closed when idle.
   *
   * @param connectionLimit maximum number of connections
   * @param connecting maximum number of connections being opened
   * @param inFlight maximum number of operations in flight; 0 for as many as the server tolerates
   * @param slowStart duration of the slow start
   */
  public void setLimits(int connectionLimit, int connecting, int inFlight, Duration slowStart) {
    connectLimiter.setMax(connecting);
    limiter.setMax(inFlight);
    weight.setRamp(slowStart);
    maxConnections = connectionLimit;
    dedicatedQuotas.setMax(Math.max(1, connectionLimit / 2));
    for (int excess = connections.get() - connectionLimit; excess > 0; excess--) {
      pools.forEach(PoolMember::onIdleWanted);
    }
    notifyWaitingPool();
  }

  /** Returns the quotas of dedicated connections: at most half of all for one holder. */
  public DedicatedQuotas dedicatedQuotas() {
    return dedicatedQuotas;
  }

  /** Returns the limiter of connections being opened. */
  public ConnectLimiter connectLimiter() {
    return connectLimiter;
  }

  /** Called when one more connection is usable. */
  public void onConnectionUsable() {
    usableConnections.incrementAndGet();
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
      usableConnections.decrementAndGet();
    }
    release();
  }

  /** Releases a reserved connection, and offers it to a pool that waits for one. */
  public void release() {
    connections.decrementAndGet();
    notifyWaitingPool();
  }

  /** Notifies a waiting pool that there may be room. */
  public void notifyWaitingPool() {
    connectLimiter.notifyNext();
    if (connections.get() < maxConnections) {
      for (PoolMember member : List.copyOf(waitingPools.keySet())) {
        if (waitingPools.remove(member) != null) {
          member.onRoomExpected();
          return;
        }
      }
    }
  }

  /**
   * True if idle connections should be closed: a pool waits for one, or there are more than the
   * limit.
   */
  public boolean isContended() {
    return !waitingPools.isEmpty() || connections.get() > maxConnections;
  }

  /** Called when a pool needs no connection any more. */
  public void endWait(PoolMember member) {
    waitingPools.remove(member);
  }

  /**
   * True if a pool has no connection at all, or if there are more than the limit. Then even
   * connections that cannot be made again are closed.
   */
  public boolean hasNeedyPool() {
    return waitingPools.containsValue(true) || connections.get() > maxConnections;
  }

  /**
   * Called when a pool found neither room nor an idle connection of its own. Other pools then close
   * an idle one.
   *
   * @param hasNoConnection true if the pool has no connection at all
   */
  public void awaitRoom(PoolMember pool, boolean hasNoConnection) {
    waitingPools.merge(pool, hasNoConnection, Boolean::logicalOr);
    for (PoolMember member : pools) {
      if (member != pool) {
        member.onIdleWanted();
      }
    }
    if (connections.get() < maxConnections && waitingPools.remove(pool) != null) {
      pool.onRoomExpected();
    }
  }
}
