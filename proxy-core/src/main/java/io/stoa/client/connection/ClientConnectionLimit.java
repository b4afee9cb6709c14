// SPDX-License-Identifier: Apache-2.0
package io.stoa.client.connection;

import io.stoa.net.peer.ClientNetwork;
import io.stoa.net.peer.LocalUser;
import io.stoa.net.peer.Peer;
import io.stoa.net.transport.PressureLog;
import io.stoa.operation.event.ClientEvent;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.slf4j.LoggerFactory;

/**
 * Limits the client connections of all event loops. At the limit, a new client replaces an idle
 * client without a bind. The idle client is on the same loop, or else on the loop with most of
 * them.
 *
 * <p>Threading: thread-safe.
 */
final class ClientConnectionLimit {
  /**
   * Maximum number of clients above the limit: 8. Each replaces an idle client that another loop is
   * about to end.
   */
  private static final int OVERLAP = 8;

  /**
   * Maximum number of clients above the limit for root and the user of Stoa at local sockets: 16.
   */
  private static final int RESERVED = 16;

  private final FrontendConfig config;
  private final AtomicInteger open = new AtomicInteger();
  private volatile Collection<SessionRegistry> loops = List.of();
  private final PressureLog evictions =
      new PressureLog(
          LoggerFactory.getLogger(ClientConnectionLimit.class),
          "limits.connections reached: idle connections without a bind were closed to make room "
              + "(count={}, stoa_connections_evicted_total)");
  private final PressureLog refused =
      new PressureLog(
          LoggerFactory.getLogger(ClientConnectionLimit.class),
          "limits.connections reached: clients were refused, because no idle connection without a "
              + "bind was left (count={}, stoa_connections_refused_total)");

  ClientConnectionLimit(FrontendConfig config) {
    this.config = config;
  }

  /** Sets the loops whose idle clients may be replaced. */
  void setLoops(Collection<SessionRegistry> registries) {
    loops = List.copyOf(registries);
  }

  /** Admits a passthrough connection; returns false at the limit. */
  boolean admit() {
    boolean room = open.get() < maxConnections();
    return room ? opened() : refuse();
  }

  /** Admits a client of a loop; returns false at the limit, if no idle client can be replaced. */
  boolean admit(Peer peer, SessionRegistry loop) {
    if (open.get() < maxConnections() || isOperator(peer)) {
      return opened();
    }
    boolean room =
        loop.giveWay() || (open.get() < maxConnections() + OVERLAP && giveWayElsewhere(loop));
    return room ? opened() : refuse();
  }

  /** Asks the other loop with most idle clients to end one soon; returns false if there is none. */
  private boolean giveWayElsewhere(SessionRegistry except) {
    return loops.stream()
        .filter(loop -> loop != except)
        .max(Comparator.comparingInt(SessionRegistry::idle))
        .filter(SessionRegistry::giveWaySoon)
        .isPresent();
  }

  /**
   * Returns the number of idle clients without a bind by network, as of the last search of each
   * loop.
   */
  private Map<ClientNetwork, Long> networks() {
    Map<ClientNetwork, Long> counts = new HashMap<>();
    loops.forEach(
        loop ->
            loop.networks().forEach((network, count) -> counts.merge(network, count, Long::sum)));
    return counts;
  }

  /**
   * Creates the view of a loop's idle clients.
   *
   * @param clients all clients of the loop
   */
  IdleClients idle(Collection<ClientConnection> clients) {
    return new IdleClients(clients, this::networks);
  }

  private boolean isOperator(Peer peer) {
    LocalUser user = peer.user();
    return user != null && user.isOperator() && open.get() < maxConnections() + RESERVED;
  }

  private boolean opened() {
    open.incrementAndGet();
    config.counters().events().increment(ClientEvent.CONNECTION_OPENED);
    return true;
  }

  private boolean refuse() {
    config.counters().events().increment(ClientEvent.CONNECTION_REFUSED);
    refused.increment();
    return false;
  }

  /** Called when an admitted connection has closed. */
  void onClosed() {
    open.decrementAndGet();
  }

  /** Counts an idle client that was ended to make room. */
  void onEvicted() {
    config.counters().events().increment(ClientEvent.IDLE_CLIENT_DISCONNECTED);
    evictions.increment();
  }

  private int maxConnections() {
    return config.limits().connections();
  }

  /** Returns the number of client connections open now. */
  int open() {
    return open.get();
  }

  /** Logs refused and replaced clients, if a log line is due. Called periodically. */
  void report() {
    evictions.report();
    refused.report();
  }
}
