// SPDX-License-Identifier: Apache-2.0
package io.stoa.client.connection;

import io.stoa.net.peer.ClientNetwork;
import io.stoa.net.peer.LocalUser;
import io.stoa.net.peer.Peer;
import io.stoa.net.transport.PressureLog;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.slf4j.LoggerFactory;

/**
 * Bounds the client connections of all loops. At the bound a new client takes the place of an idle
 * one that has not bound: on its own loop, else on the one that has most of them. Thread-safe.
 */
final class ClientConnectionLimit {
  /** Clients above the bound, each of which takes the place of one that a loop ends soon. */
  private static final int OVERLAP = 8;

  /** Clients above the bound that root and the user of Stoa may have at local sockets. */
  private static final int RESERVED = 16;

  private final FrontendConfig config;
  private final AtomicInteger open = new AtomicInteger();
  private volatile Collection<SessionRegistry> loops = List.of();
  private final PressureLog gaveWay =
      new PressureLog(
          LoggerFactory.getLogger(ClientConnectionLimit.class),
          "limits.connections is reached: {} idle connections without a bind were ended to make"
              + " room (stoa_connections_gave_way_total)");
  private final PressureLog refused =
      new PressureLog(
          LoggerFactory.getLogger(ClientConnectionLimit.class),
          "limits.connections is reached: {} clients were refused, since no idle connection"
              + " without a bind was left (stoa_connections_refused_total)");

  ClientConnectionLimit(FrontendConfig config) {
    this.config = config;
  }

  /** Sets the loops whose idle clients may give way. */
  void over(Collection<SessionRegistry> all) {
    loops = List.copyOf(all);
  }

  /** Takes a place for a connection that is passed on. Returns false if there is none. */
  boolean admit() {
    boolean room = open.get() < most();
    return room ? opened() : refuse();
  }

  /** Takes a place for a client of a loop. Returns false if there is none. */
  boolean admit(Peer peer, SessionRegistry loop) {
    if (open.get() < most() || isOperator(peer)) {
      return opened();
    }
    boolean room = loop.giveWay() || (open.get() < most() + OVERLAP && giveWayElsewhere(loop));
    return room ? opened() : refuse();
  }

  /** Of the other loops, the one with most idle clients ends one soon. False if there is none. */
  private boolean giveWayElsewhere(SessionRegistry except) {
    return loops.stream()
        .filter(loop -> loop != except)
        .max(Comparator.comparingInt(SessionRegistry::idle))
        .filter(SessionRegistry::giveWaySoon)
        .isPresent();
  }

  /**
   * Returns how many idle clients without a bind each network has, by the last search of each loop.
   */
  private Map<ClientNetwork, Long> networks() {
    Map<ClientNetwork, Long> all = new HashMap<>();
    loops.forEach(
        loop -> loop.networks().forEach((network, count) -> all.merge(network, count, Long::sum)));
    return all;
  }

  /** Makes the idle clients of a loop, given all clients of that loop. */
  IdleClients idle(Collection<ClientConnection> clients) {
    return new IdleClients(clients, this::networks);
  }

  private boolean isOperator(Peer peer) {
    LocalUser user = peer.user();
    return user != null && user.isOperator() && open.get() < most() + RESERVED;
  }

  private boolean opened() {
    open.incrementAndGet();
    config.listener().connectionOpened();
    return true;
  }

  private boolean refuse() {
    config.listener().connectionRefused();
    refused.happened();
    return false;
  }

  /** Gives a place back. */
  void closed() {
    open.decrementAndGet();
    config.listener().connectionClosed();
  }

  /** Counts a client that has given way. */
  void gaveWay() {
    config.listener().gaveWay();
    gaveWay.happened();
  }

  private int most() {
    return config.limits().connections();
  }

  /** Returns the number of client connections open now. */
  int open() {
    return open.get();
  }

  /** Logs what has happened, if it is time to. Called now and then. */
  void report() {
    gaveWay.report();
    refused.report();
  }
}
