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
 * The connections of one group, and how new what each is bound as is: a directory settles at a bind
 * what groups a client is in, and whether it must change its password. So nobody is served by a
 * connection that was bound before it bound itself; one that serves all clients is fresh, others
 * are stale. Event-loop confined.
 */
final class GroupConnections {
  /** Beside a slow client connections take so many times less operations. */
  private static final int SPREAD = 8;

  /** So many that are at work, with room for more, are no crowd. */
  private static final int FEW = 4;

  /** The pause before the next one, for each of a crowd. */
  private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(10);

  /** The longest pause after connections that could not be made, or bound. */
  private static final long FAILED_MILLIS = 1_000;

  private final Map<UpstreamConnection, Long> boundAt = new LinkedHashMap<>(2);
  private final UpstreamPool pool;
  private final @Nullable ConnectionGroup shared;
  private final GroupLogin login;
  private final EventExecutor loop;
  private final Backoff failures = new Backoff(FAILED_MILLIS);
  private long newestClient;
  private long addedAt;
  private long pausedUntil = System.nanoTime();
  private boolean pausing;

  /**
   * Makes it without any.
   *
   * @param shared the group, if any client of its identity may use them; null if one alone may
   * @param login what makes them what the group is
   */
  GroupConnections(UpstreamPool pool, @Nullable ConnectionGroup shared, GroupLogin login) {
    this.login = login;
    this.pool = pool;
    this.shared = shared;
    this.loop = pool.loop();
  }

  /** The DN as which they act; empty if they are anonymous. */
  String identity() {
    return login.identity();
  }

  /**
   * Adds a connection.
   *
   * @param at when its bind was sent, in the count of {@link io.stoa.upstream.auth.BoundClients}
   */
  void add(UpstreamConnection connection, long at) {
    boundAt.put(connection, at);
    addedAt = System.nanoTime();
    failures.reset();
    changed();
  }

  private void changed() {
    if (shared != null) {
      pool.holds(shared);
    }
  }

  // How many there may be

  /**
   * Whether one more may be added for clients that none serves, although some have room. The more
   * of these are at work, the longer is the pause between two: clients that bind in the meantime
   * share the next one, and the number of connections grows with the work and not with the logins.
   */
  boolean mayGrow() {
    return pauseNanos() <= 0;
  }

  /** One could not be added: the next attempt is to be later, the more so the more often. */
  void pause() {
    pausedUntil = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(failures.next());
  }

  /** Runs the action when that may have changed. */
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
    long crowd = boundAt.keySet().stream().filter(one -> !one.idle() && takes(one, most)).count();
    long now = System.nanoTime();
    long crowded = crowd <= FEW ? 0 : (crowd - FEW) * PAUSE_NANOS - (now - addedAt);
    return Math.max(crowded, pausedUntil - now);
  }

  void remove(UpstreamConnection connection) {
    boundAt.remove(connection);
    changed();
  }

  boolean has(UpstreamConnection connection) {
    return boundAt.containsKey(connection);
  }

  boolean isEmpty() {
    return boundAt.isEmpty();
  }

  int size() {
    return boundAt.size();
  }

  /** All of them, as they are now. */
  List<UpstreamConnection> all() {
    return new ArrayList<>(boundAt.keySet());
  }

  /** One that is to be made anew; null if none is. */
  @Nullable UpstreamConnection outdated(long now, long mostAge) {
    return boundAt.keySet().stream()
        .filter(one -> one.outdated(now, mostAge))
        .findFirst()
        .orElse(null);
  }

  /** A client is to be served that has bound then. */
  void need(long since) {
    newestClient = Math.max(newestClient, since);
  }

  /** Whether a connection that was bound then serves all clients. */
  boolean isFresh(long at) {
    return at >= newestClient;
  }

  /** Whether one of them, now or later, can serve a client that has bound then. */
  boolean canServe(long since) {
    for (UpstreamConnection one : boundAt.keySet()) {
      if (boundAt(one) >= since && !one.ending() && !one.closed()) {
        return true;
      }
    }
    return false;
  }

  /** Clients that have bound no later can be served by the connection. */
  private long boundAt(UpstreamConnection connection) {
    return boundAt.getOrDefault(connection, 0L);
  }

  /** One without any operation that can serve a client that has bound then; null if none is. */
  @Nullable UpstreamConnection idle(long since) {
    for (UpstreamConnection one : boundAt.keySet()) {
      if (one.idle() && boundAt(one) >= since) {
        return one;
      }
    }
    return null;
  }

  /** Those without work that nobody needs, since another serves all clients. */
  List<UpstreamConnection> spent() {
    if (boundAt.size() < 2 || !canServe(newestClient)) {
      return List.of();
    }
    return all().stream().filter(one -> one.idle() && !isFresh(boundAt(one))).toList();
  }

  /**
   * One with room for a client that has bound then, which no slow client holds up; null if none
   * has. A fresh one before others, so that these get rest.
   */
  @Nullable UpstreamConnection roomiest(long since) {
    int most = mostOutstanding();
    return roomiest(since, one -> takes(one, most));
  }

  /** The same; if there is none, one that a slow client holds up. */
  @Nullable UpstreamConnection roomiestOfAll(long since) {
    UpstreamConnection best = roomiest(since);
    return best == null ? roomiest(since, one -> one.hasRoom(pool.mostOutstanding())) : best;
  }

  private @Nullable UpstreamConnection roomiest(long since, Predicate<UpstreamConnection> takes) {
    UpstreamConnection fresh = least(Math.max(since, newestClient), takes);
    return fresh == null && since < newestClient ? least(since, takes) : fresh;
  }

  private @Nullable UpstreamConnection least(long since, Predicate<UpstreamConnection> takes) {
    UpstreamConnection least = null;
    for (UpstreamConnection one : boundAt.keySet()) {
      boolean serves = boundAt(one) >= since && takes.test(one);
      if (serves && (least == null || one.outstanding() < least.outstanding())) {
        least = one;
      }
    }
    return least;
  }

  /**
   * Clients that have bound no later have one with room; below 0 if nobody has.
   *
   * @param evenSlow whether one counts that a slow client holds up
   */
  long reach(boolean evenSlow) {
    int most = mostOutstanding();
    return boundAt.keySet().stream()
        .filter(one -> evenSlow ? one.hasRoom(pool.mostOutstanding()) : takes(one, most))
        .mapToLong(this::boundAt)
        .max()
        .orElse(-1);
  }

  private static boolean takes(UpstreamConnection one, int most) {
    return !one.slow() && one.hasRoom(most);
  }

  /** Where one client is slow, others may be: fewer then have to move when that shows. */
  private int mostOutstanding() {
    int most = pool.mostOutstanding();
    for (UpstreamConnection one : boundAt.keySet()) {
      if (one.slow()) {
        return Math.max(1, most / SPREAD);
      }
    }
    return most;
  }
}
