// SPDX-License-Identifier: Apache-2.0
package io.stoa.upstream;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
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

  private final Map<UpstreamConnection, Long> boundAt = new LinkedHashMap<>(2);
  private final int maxOutstanding;
  private long newestClient;

  GroupConnections(int maxOutstanding) {
    this.maxOutstanding = maxOutstanding;
  }

  /**
   * Adds a connection.
   *
   * @param at when its bind was sent, in the count of {@link io.stoa.identity.BoundClients}
   */
  void add(UpstreamConnection connection, long at) {
    boundAt.put(connection, at);
  }

  void remove(UpstreamConnection connection) {
    boundAt.remove(connection);
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
    return boundAt.values().stream().anyMatch(at -> at >= since);
  }

  /** Clients that have bound no later can be served by the connection. */
  long boundAt(UpstreamConnection connection) {
    return boundAt.getOrDefault(connection, 0L);
  }

  /** One without any operation that can serve a client that has bound then; null if none is. */
  @Nullable UpstreamConnection idle(long since) {
    return servingSince(since).filter(UpstreamConnection::idle).findFirst().orElse(null);
  }

  /** Those without work that nobody needs, since another serves all clients. */
  List<UpstreamConnection> spent() {
    if (boundAt.size() < 2 || !canServe(newestClient)) {
      return List.of();
    }
    return all().stream().filter(one -> one.idle() && !isFresh(boundAt(one))).toList();
  }

  /**
   * One with room for a client that has bound then; null if none has. A fresh one before others, so
   * that these get rest.
   *
   * @param evenSlow whether one will do that a slow client holds up
   */
  @Nullable UpstreamConnection roomiest(long since, boolean evenSlow) {
    int most = evenSlow ? maxOutstanding : mostOutstanding();
    Optional<UpstreamConnection> fresh = roomiest(Math.max(since, newestClient), most, evenSlow);
    return fresh.or(() -> roomiest(since, most, evenSlow)).orElse(null);
  }

  private Optional<UpstreamConnection> roomiest(long since, int most, boolean evenSlow) {
    return servingSince(since)
        .filter(one -> (evenSlow || !one.slow()) && one.hasRoom(most))
        .min((one, other) -> Integer.compare(one.outstanding(), other.outstanding()));
  }

  private Stream<UpstreamConnection> servingSince(long since) {
    return boundAt.keySet().stream().filter(one -> boundAt(one) >= since);
  }

  /** Where one client is slow, others may be: fewer then have to move when that shows. */
  private int mostOutstanding() {
    boolean slow = boundAt.keySet().stream().anyMatch(UpstreamConnection::slow);
    return slow ? Math.max(1, maxOutstanding / SPREAD) : maxOutstanding;
  }
}
