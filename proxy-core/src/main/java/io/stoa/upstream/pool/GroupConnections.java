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
   * @param bindNumber its bind number, from {@link io.stoa.upstream.auth.BoundClients}
   */
  void add(UpstreamConnection connection, long bindNumber) {
    bindNumbers.put(connection, bindNumber);
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
  void runAfterPause(Runnable action) {
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
    int limit = maxOutstanding();
    long busy =
        bindNumbers.keySet().stream().filter(one -> !one.isIdle() && takes(one, limit)).count();
    long now = System.nanoTime();
    long crowded = busy <= FEW ? 0 : (busy - FEW) * PAUSE_NANOS - (now - addedAt);
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
  @Nullable UpstreamConnection dueForRenewal(long now, long maxAgeNanos) {
    return bindNumbers.keySet().stream()
        .filter(one -> one.isDueForRenewal(now, maxAgeNanos))
        .findFirst()
        .orElse(null);
  }

  /** Registers the bind number of a client to be served. */
  void require(long bindNumber) {
    newestClient = Math.max(newestClient, bindNumber);
  }

  /** True if a connection of that bind number serves all clients. */
  boolean servesAll(long bindNumber) {
    return bindNumber >= newestClient;
  }

  /** True if a connection can serve a client of that bind number, now or later. */
  boolean canServe(long minBindNumber) {
    for (UpstreamConnection connection : bindNumbers.keySet()) {
      if (bindNumber(connection) >= minBindNumber
          && !connection.isDraining()
          && !connection.isClosed()) {
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
  @Nullable UpstreamConnection idle(long minBindNumber) {
    for (UpstreamConnection connection : bindNumbers.keySet()) {
      if (connection.isIdle() && bindNumber(connection) >= minBindNumber) {
        return connection;
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
  @Nullable UpstreamConnection leastLoaded(long minBindNumber) {
    int limit = maxOutstanding();
    return leastLoaded(minBindNumber, one -> takes(one, limit));
  }

  /** Returns the least loaded connection, if necessary one that a slow client holds up. */
  @Nullable UpstreamConnection leastLoadedOfAll(long minBindNumber) {
    UpstreamConnection best = leastLoaded(minBindNumber);
    return best == null
        ? leastLoaded(minBindNumber, one -> one.hasRoom(pool.maxOutstanding()))
        : best;
  }

  private @Nullable UpstreamConnection leastLoaded(
      long minBindNumber, Predicate<UpstreamConnection> takes) {
    UpstreamConnection newest = least(Math.max(minBindNumber, newestClient), takes);
    return newest == null && minBindNumber < newestClient ? least(minBindNumber, takes) : newest;
  }

  private @Nullable UpstreamConnection least(
      long minBindNumber, Predicate<UpstreamConnection> takes) {
    UpstreamConnection least = null;
    for (Map.Entry<UpstreamConnection, Long> entry : bindNumbers.entrySet()) {
      UpstreamConnection connection = entry.getKey();
      boolean serves = entry.getValue() >= minBindNumber && takes.test(connection);
      if (serves && (least == null || connection.outstanding() < least.outstanding())) {
        least = connection;
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
    int limit = maxOutstanding();
    return bindNumbers.keySet().stream()
        .filter(one -> evenSlow ? one.hasRoom(pool.maxOutstanding()) : takes(one, limit))
        .mapToLong(this::bindNumber)
        .max()
        .orElse(-1);
  }

  private static boolean takes(UpstreamConnection connection, int limit) {
    return !connection.isSlow() && connection.hasRoom(limit);
  }

  /**
   * Returns the maximum number of operations in flight on one connection. The number is reduced
   * beside a slow client, since others may be slow too; fewer operations then have to move.
   */
  private int maxOutstanding() {
    int limit = pool.maxOutstanding();
    for (UpstreamConnection connection : bindNumbers.keySet()) {
      if (connection.isSlow()) {
        return Math.max(1, limit / SPREAD);
      }
    }
    return limit;
  }
}
