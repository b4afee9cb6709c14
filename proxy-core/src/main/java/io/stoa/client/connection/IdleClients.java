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
 * The clients of one event loop that are idle and have not bound, in the order in which they give
 * way. Those of the network that has most idle clients, over all loops, come first. Of these the
 * silent come first, which have asked nothing for a second, and then the longest idle. Of other
 * networks only silent clients give way. Event-loop confined, but for the counts.
 */
final class IdleClients {
  /** Clients that one search finds at most. */
  private static final int FOUND = 64;

  /** Share of the idle clients that it finds at most: the order holds for no more of them. */
  private static final int FOUND_SHARE = 8;

  /** Nanoseconds for each client of the loop between two searches, which bounds their load. */
  private static final long NANOS_EACH = 250;

  private final Collection<ClientConnection> clients;
  private final ArrayDeque<ClientConnection> found = new ArrayDeque<>();
  private final AtomicInteger estimate = new AtomicInteger();
  private final Supplier<Map<ClientNetwork, Long>> everywhere;
  private volatile Map<ClientNetwork, Long> networks = Map.of();
  private long searched = System.nanoTime() - NANOS_EACH;

  /**
   * Begins with no count.
   *
   * @param clients all clients of the loop
   * @param everywhere gives the {@link #networks} of all loops
   */
  IdleClients(Collection<ClientConnection> clients, Supplier<Map<ClientNetwork, Long>> everywhere) {
    this.clients = clients;
    this.everywhere = everywhere;
  }

  /** Returns the client that gives way next; null if there is none. */
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
    while (next != null && !next.progress().mayGiveWay()) {
      next = found.poll();
    }
    return next;
  }

  private void search(long now) {
    List<ClientConnection> idle =
        clients.stream().filter(client -> client.progress().mayGiveWay()).toList();
    networks =
        idle.stream().collect(Collectors.groupingBy(IdleClients::network, Collectors.counting()));
    estimate(idle.size());
    Map<ClientNetwork, Long> sizes = everywhere.get();
    Function<ClientConnection, Long> size = client -> sizes.getOrDefault(network(client), 0L);
    long largest = sizes.values().stream().mapToLong(Long::longValue).max().orElse(0);
    idle.stream()
        .filter(client -> size.apply(client) == largest || client.progress().silent(now))
        .sorted(
            Comparator.comparing(size)
                .thenComparing(client -> client.progress().silent(now))
                .reversed()
                .thenComparing(client -> client.progress().idleSince()))
        .limit(Math.max(1, Math.min(FOUND, idle.size() / FOUND_SHARE)))
        .forEach(found::add);
  }

  private static ClientNetwork network(ClientConnection client) {
    return ClientNetwork.of(client.peer());
  }

  /** Sets about how many clients could give way. */
  void estimate(int count) {
    estimate.set(count);
  }

  /** Returns how many of them each network had at the last search. Thread-safe. */
  Map<ClientNetwork, Long> networks() {
    return networks;
  }

  /** Returns about how many clients could give way. Thread-safe. */
  int size() {
    return estimate.get();
  }

  /** Takes one of those that could give way, by the estimate. Thread-safe. */
  boolean take() {
    return estimate.getAndUpdate(count -> Math.max(0, count - 1)) > 0;
  }
}
