// SPDX-License-Identifier: Apache-2.0
package io.stoa.upstream.server;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.WeakHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/**
 * Ejects servers that differ from their peers: a server that answers busy or unavailable where
 * others do not, or that is several times slower. The model is Envoy's outlier detection.
 *
 * <ol>
 *   <li>The last server that is up is never ejected, and never more than half of the peers.
 *   <li>The ejection time grows with each ejection and shrinks while the server is healthy.
 * </ol>
 *
 * <p>Threading: thread-safe.
 */
public final class Outliers {
  private static final int MAX_BASE_MULTIPLE = 30;

  /** Factor above the median of the peers from which a server counts as slow: 5. */
  private static final int MUCH_SLOWER = 5;

  /** Median response time below which no server counts as slow: 100 ms. */
  private static final long SLOW_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

  private final List<Backend> peers;
  private final List<Backend> servers;
  private final Supplier<Duration> base;
  private final LongSupplier clock;
  private final Ejections ejections;

  /** Ejections of one server. Guarded by the lock of all. */
  private static final class Ejection {
    private int count;
    private long until;
    private long decayedAt;
  }

  /**
   * Ejections of the servers of one group, and the lock for ejecting: two watchers must not eject
   * the last two servers at once. The object outlives its watchers, so that a reload keeps the
   * history.
   *
   * <p>Threading: thread-safe.
   */
  public static final class Ejections {
    private final Map<Backend, Ejection> byServer = new WeakHashMap<>();

    private Ejection of(Backend server) {
      return byServer.computeIfAbsent(server, first -> new Ejection());
    }
  }

  /**
   * Starts watching servers.
   *
   * @param peers servers that are compared with each other
   * @param all the servers that can replace them, peers included
   * @param base duration of the first ejection; 0 disables ejection
   * @param clock like {@link System#nanoTime}
   * @param ejections shared by all watchers of one group, also by successive ones
   */
  public Outliers(
      List<Backend> peers,
      List<Backend> all,
      Supplier<Duration> base,
      LongSupplier clock,
      Ejections ejections) {
    this.ejections = ejections;
    this.peers = List.copyOf(peers);
    this.servers = List.copyOf(all);
    this.base = base;
    this.clock = clock;
    peers.forEach(backend -> backend.onFailures(() -> judge(backend, clock.getAsLong())));
  }

  private long baseNanos() {
    return base.get().toNanos();
  }

  /** Checks all peers. Called about once a second. */
  public void check() {
    long now = clock.getAsLong();
    for (Backend backend : peers) {
      readmit(backend, now);
      judge(backend, now);
    }
  }

  /** Readmits ejected servers if no server is up: an outlier is better than none. */
  public void readmitIfNoneUp() {
    long now = clock.getAsLong();
    synchronized (ejections) {
      if (servers.stream().noneMatch(Backend::isUp)) {
        peers.stream()
            .filter(peer -> peer.health().isEjected())
            .forEach(peer -> readmit(peer, ejections.of(peer), now));
      }
    }
  }

  private static void readmit(Backend backend, Ejection ejection, long now) {
    backend.outlierStats().clear();
    ejection.decayedAt = now;
    backend.health().readmit();
  }

  private void readmit(Backend backend, long now) {
    synchronized (ejections) {
      review(backend, ejections.of(backend), now);
    }
  }

  private void review(Backend backend, Ejection ejection, long now) {
    if (backend.health().isEjected()) {
      if (now - ejection.until >= 0) {
        readmit(backend, ejection, now);
      }
    } else if (ejection.count > 0 && now - ejection.decayedAt >= baseNanos() * ejection.count) {
      ejection.count--;
      ejection.decayedAt = now;
    }
  }

  private void judge(Backend backend, long now) {
    if (baseNanos() == 0 || !backend.isUp()) {
      return;
    }
    synchronized (ejections) {
      String reason = backend.isUp() ? outlierReason(backend, now) : "";
      if (!reason.isEmpty() && mayEject(backend)) {
        eject(backend, reason, now);
      }
    }
  }

  /** Returns how the server differs from its peers; empty if it does not. */
  private String outlierReason(Backend backend, long now) {
    String failing = backend.outlierStats().failureReason(now);
    if (failing.isEmpty()) {
      return slowness(backend, now);
    }
    return isAnyOtherHealthy(backend, now) ? failing : "";
  }

  private void eject(Backend backend, String reason, long now) {
    Ejection ejection = ejections.of(backend);
    ejection.count = Math.min(MAX_BASE_MULTIPLE, ejection.count + 1);
    Duration time = Duration.ofNanos(baseNanos() * ejection.count);
    ejection.until = now + time.toNanos();
    backend.health().eject(reason, time);
  }

  private boolean mayEject(Backend backend) {
    long ejected = peers.stream().filter(peer -> peer.health().isEjected()).count();
    return ejected < Math.max(1, peers.size() / 2)
        && servers.stream().anyMatch(other -> other != backend && other.isUp());
  }

  /**
   * True if another server that is up is not failing. If all are overloaded, ejecting one makes it
   * worse.
   */
  private boolean isAnyOtherHealthy(Backend backend, long now) {
    return servers.stream()
        .anyMatch(
            other ->
                other != backend
                    && other.isUp()
                    && other.outlierStats().failureReason(now).isEmpty());
  }

  private String slowness(Backend backend, long now) {
    long ownMedian = backend.outlierStats().median(now);
    long[] others =
        peers.stream()
            .filter(other -> other != backend && other.isUp())
            .mapToLong(other -> other.outlierStats().median(now))
            .filter(median -> median > 0)
            .sorted()
            .toArray();
    long medianOfOthers = others.length == 0 ? 0 : others[others.length / 2];
    boolean slow =
        ownMedian > SLOW_NANOS && medianOfOthers > 0 && ownMedian > MUCH_SLOWER * medianOfOthers;
    return slow
        ? "slow reads: median " + millis(ownMedian) + ", other servers " + millis(medianOfOthers)
        : "";
  }

  private static String millis(long nanos) {
    return TimeUnit.NANOSECONDS.toMillis(nanos) + " ms";
  }
}
