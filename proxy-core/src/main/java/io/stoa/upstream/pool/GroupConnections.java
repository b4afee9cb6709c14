// SPDX-License-Identifier: Apache-2.0
package io.stoa.upstream.pool;

import io.netty.util.concurrent.EventExecutor;
import io.stoa.net.transport.Backoff;
import io.stoa.upstream.connection.UpstreamConnection;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The connections of one group, each with its bind number.
 *
 * <p>A directory evaluates a client's groups and password state at its bind. So a client is served
 * only by connections that were bound no earlier than the client itself. A connection that serves
 * all clients is fresh; the others are stale.
 *
 * <p>Threading: event loop.
 */
final class GroupConnections {
  /** Divisor of the operations per connection beside a slow client: 8. */
  private static final int SPREAD = 8;

  /** Number of busy connections with room that do not delay the next one: 4. */
  private static final int FEW = 4;

  /** Pause before the next connection, for each busy one beyond {@link #FEW}: 10 ms. */
  private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(10);

  /** Longest pause after failed attempts: 1 s. */
  private static final long FAILED_MILLIS = 1_000;

  private final Map<UpstreamConnection, Long> bindNumbers = new LinkedHashMap<>(2);
  private final UpstreamPool pool;
  private final @Nullable ConnectionGroup shared;
  private final EventExecutor loop;
  private final Backoff failures = new Backoff(FAILED_MILLIS);
  private long newestClient;
  private long addedAt;
  private long pausedUntil = System.nanoTime();
  private boolean pausing;

  /**
   * Creates an empty set.
   *
   * @param shared the group, if all clients of its identity share it; null if it is dedicated
   */
  GroupConnections(UpstreamPool pool, @Nullable ConnectionGroup shared) {
    this.pool = pool;
    this.shared = shared;
    this.loop = pool.loop();
  }

  /**
   * Adds a connection.
   *
   * @param at its bind number, from {@link io.stoa.upstream.auth.BoundClients}
   */
  void add(UpstreamConnection connection, long at) {
    bindNumbers.put(connection, at);
    addedAt = System.nanoTime();
    failures.reset();
    onChanged();
  }

  private void onChanged() {
    if (shared != null) {
      pool.onConnectionsChanged(shared);
    }
  }

  // Number of connections

  /**
   * True if one more connection may be opened for a client that none serves. The more connections
   * are busy, the longer the pause. Clients that bind meanwhile share the next connection, so that
   * the number grows with the work and not with the logins.
   */
  boolean mayGrow() {
    return pauseNanos() <= 0;
  }

  /** Delays the next attempt after a failure, with exponential back-off. */
  void pause() {
    pausedUntil = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(failures.next());
  }

  /** Runs the action when the pause is over. */
  void afterPause(Runnable action) {
    if (!pausing) {
      pausing = true;
      loop.schedule(
          () -> {
            pausing = false;
            action.run();
          },
          pauseNanos(),
          TimeUnit.NANOSECONDS);
    }
  }

  private long pauseNanos() {
    int most = mostOutstanding();
    long crowd =
        bindNumbers.keySet().stream().filter(one -> !one.isIdle() && takes(one, most)).count();
    long now = System.nanoTime();
    long crowded = crowd <= FEW ? 0 : (crowd - FEW) * PAUSE_NANOS - (now - addedAt);
    return Math.max(crowded, pausedUntil - now);
  }

  void remove(UpstreamConnection connection) {
    bindNumbers.remove(connection);
    onChanged();
  }

  boolean contains(UpstreamConnection connection) {
    return bindNumbers.containsKey(connection);
  }

  boolean isEmpty() {
    return bindNumbers.isEmpty();
  }

  int size() {
    return bindNumbers.size();
  }

  /** Returns a copy of all connections. */
  List<UpstreamConnection> all() {
    return new ArrayList<>(bindNumbers.keySet());
  }

  /** Returns a connection that is due for renewal; null if there is none. */
  @Nullable UpstreamConnection dueForRenewal(long now, long mostAge) {
    return bindNumbers.keySet().stream()
        .filter(one -> one.isDueForRenewal(now, mostAge))
        .findFirst()
        .orElse(null);
  }

  /** Registers the bind number of a client to be served. */
  void require(long since) {
    newestClient = Math.max(newestClient, since);
  }

  /** True if a connection of that bind number serves all clients. */
  boolean servesAll(long at) {
    return at >= newestClient;
  }

  /** True if a connection can serve a client of that bind number, now or later. */
  boolean canServe(long since) {
    for (UpstreamConnection one : bindNumbers.keySet()) {
      if (bindNumber(one) >= since && !one.isDraining() && !one.isClosed()) {
        return true;
      }
    }
    return false;
  }

  /** Returns the bind number of a connection, up to which it can serve clients. */
  private long bindNumber(UpstreamConnection connection) {
    return bindNumbers.getOrDefault(connection, 0L);
  }

  /** Returns an idle connection for a client of that bind number; null if there is none. */
  @Nullable UpstreamConnection idle(long since) {
    for (UpstreamConnection one : bindNumbers.keySet()) {
      if (one.isIdle() && bindNumber(one) >= since) {
        return one;
      }
    }
    return null;
  }

  /** Returns idle stale connections, if a fresh one serves all clients. */
  List<UpstreamConnection> idleStale() {
    if (bindNumbers.size() < 2 || !canServe(newestClient)) {
      return List.of();
    }
    return all().stream().filter(one -> one.isIdle() && !servesAll(bindNumber(one))).toList();
  }

  /**
   * Returns the least loaded connection for a client of that bind number that no slow client holds
   * up; null if there is none. Fresh connections come first, so that stale ones become idle.
   */
  @Nullable UpstreamConnection leastLoaded(long since) {
    int most = mostOutstanding();
    return leastLoaded(since, one -> takes(one, most));
  }

  /** Returns the least loaded connection, if necessary one that a slow client holds up. */
  @Nullable UpstreamConnection leastLoadedOfAll(long since) {
    UpstreamConnection best = leastLoaded(since);
    return best == null ? leastLoaded(since, one -> one.hasRoom(pool.mostOutstanding())) : best;
  }

  private @Nullable UpstreamConnection leastLoaded(
      long since, Predicate<UpstreamConnection> takes) {
    UpstreamConnection fresh = least(Math.max(since, newestClient), takes);
    return fresh == null && since < newestClient ? least(since, takes) : fresh;
  }

  private @Nullable UpstreamConnection least(long since, Predicate<UpstreamConnection> takes) {
    UpstreamConnection least = null;
    for (UpstreamConnection one : bindNumbers.keySet()) {
      boolean serves = bindNumber(one) >= since && takes.test(one);
      if (serves && (least == null || one.outstanding() < least.outstanding())) {
        least = one;
      }
    }
    return least;
  }

  /**
   * Returns the highest bind number among connections with room; below 0 if none has room.
   *
   * @param evenSlow true to include connections that a slow client holds up
   */
  long highestBindNumber(boolean evenSlow) {
    int most = mostOutstanding();
    return bindNumbers.keySet().stream()
        .filter(one -> evenSlow ? one.hasRoom(pool.mostOutstanding()) : takes(one, most))
        .mapToLong(this::bindNumber)
        .max()
        .orElse(-1);
  }

  private static boolean takes(UpstreamConnection one, int most) {
    return !one.isSlow() && one.hasRoom(most);
  }

  /**
   * Returns the maximum number of operations in flight on one connection. The number is reduced
   * beside a slow client, since others may be slow too; fewer operations then have to move.
   */
  private int mostOutstanding() {
    int most = pool.mostOutstanding();
    for (UpstreamConnection one : bindNumbers.keySet()) {
      if (one.isSlow()) {
        return Math.max(1, most / SPREAD);
      }
    }
    return most;
  }
}
