// SPDX-License-Identifier: Apache-2.0
package io.stoa.client.connection;

import io.stoa.net.peer.ClientNetwork;
import java.util.ArrayDeque;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The idle clients of one event loop that have not bound, in the order in which they are ended to
 * make room.
 *
 * <ol>
 *   <li>Clients of the network with most idle clients on all loops come first.
 *   <li>Among these, silent clients come first: they have sent no request for a second after
 *       connecting. The longest idle ones follow.
 *   <li>Of other networks, only silent clients are ended.
 * </ol>
 *
 * <p>Threading: event loop; the counts are thread-safe.
 */
final class IdleClients {
  /** Maximum number of clients that one search finds: 64. */
  private static final int FOUND = 64;

  /**
   * Divisor: a search finds at most an eighth of the idle clients. Beyond that, the order no longer
   * holds.
   */
  private static final int FOUND_SHARE = 8;

  /**
   * Minimum nanoseconds between two searches, for each client of the loop: 250. Limits the load of
   * searches.
   */
  private static final long NANOS_EACH = 250;

  private final Collection<ClientConnection> clients;
  private final ArrayDeque<ClientConnection> found = new ArrayDeque<>();
  private final AtomicInteger estimate = new AtomicInteger();
  private final Supplier<Map<ClientNetwork, Long>> clientsByNetwork;
  private volatile Map<ClientNetwork, Long> networks = Map.of();
  private long searched = System.nanoTime() - NANOS_EACH;

  /**
   * Creates an instance without a count.
   *
   * @param clients all clients of the loop
   * @param clientsByNetwork supplies {@link #networks} summed over all loops
   */
  IdleClients(
      Collection<ClientConnection> clients, Supplier<Map<ClientNetwork, Long>> clientsByNetwork) {
    this.clients = clients;
    this.clientsByNetwork = clientsByNetwork;
  }

  /** Returns the client to end next; null if there is none. */
  @Nullable ClientConnection next() {
    ClientConnection next = poll();
    long now = System.nanoTime();
    if (next == null && now - searched >= NANOS_EACH * clients.size()) {
      searched = now;
      search(now);
      next = poll();
    }
    if (next != null) {
      take();
    }
    return next;
  }

  private @Nullable ClientConnection poll() {
    ClientConnection next = found.poll();
    while (next != null && !next.stalls().mayGiveWay()) {
      next = found.poll();
    }
    return next;
  }

  private void search(long now) {
    List<ClientConnection> idle =
        clients.stream().filter(client -> client.stalls().mayGiveWay()).toList();
    networks =
        idle.stream().collect(Collectors.groupingBy(IdleClients::network, Collectors.counting()));
    estimate(idle.size());
    Map<ClientNetwork, Long> sizes = clientsByNetwork.get();
    Function<ClientConnection, Long> size = client -> sizes.getOrDefault(network(client), 0L);
    long largest = sizes.values().stream().mapToLong(Long::longValue).max().orElse(0);
    idle.stream()
        .filter(client -> size.apply(client) == largest || client.stalls().isSilent(now))
        .sorted(
            Comparator.comparing(size)
                .thenComparing(client -> client.stalls().isSilent(now))
                .reversed()
                .thenComparing(client -> client.stalls().idleSince()))
        .limit(Math.max(1, Math.min(FOUND, idle.size() / FOUND_SHARE)))
        .forEach(found::add);
  }

  private static ClientNetwork network(ClientConnection client) {
    return ClientNetwork.of(client.peer());
  }

  /** Sets the estimated number of clients that could be ended. */
  void estimate(int count) {
    estimate.set(count);
  }

  /** Returns the number of idle clients by network, as of the last search. Thread-safe. */
  Map<ClientNetwork, Long> networks() {
    return networks;
  }

  /** Returns the estimated number of clients that could be ended. Thread-safe. */
  int size() {
    return estimate.get();
  }

  /** Reserves one of the clients that could be ended, by the estimate. Thread-safe. */
  boolean take() {
    return estimate.getAndUpdate(count -> Math.max(0, count - 1)) > 0;
  }
}
