// SPDX-License-Identifier: Apache-2.0
package io.stoa.frontend;

import io.stoa.codec.PressureLog;
import io.stoa.origin.LocalUser;
import io.stoa.origin.Peer;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.slf4j.LoggerFactory;

/**
 * Bounds the client connections of all loops. At the bound a new client takes the place of an idle
 * one that has not bound: on its own loop, unless another one has many more. Thread-safe.
 */
final class ConnectionLimit {
  /** Clients above the bound, each of which takes the place of one that a loop ends soon. */
  private static final int OVERLAP = 8;

  /** Clients above the bound that root and the user of Stoa may have at local sockets. */
  private static final int RESERVED = 16;

  private final FrontendConfig config;
  private final AtomicInteger open = new AtomicInteger();
  private volatile Collection<LoopClients> loops = List.of();
  private final PressureLog gaveWay =
      new PressureLog(
          LoggerFactory.getLogger(ConnectionLimit.class),
          "limits.connections is reached: {} idle connections without a bind were ended to make"
              + " room (stoa_connections_gave_way_total)");
  private final PressureLog refused =
      new PressureLog(
          LoggerFactory.getLogger(ConnectionLimit.class),
          "limits.connections is reached: {} clients were refused, since no idle connection"
              + " without a bind was left (stoa_connections_refused_total)");

  ConnectionLimit(FrontendConfig config) {
    this.config = config;
  }

  /** Sets the loops whose idle clients may give way. */
  void over(Collection<LoopClients> all) {
    loops = List.copyOf(all);
  }

  /** Takes a place for a connection that is passed on. Returns false if there is none. */
  boolean admit() {
    boolean room = open.get() < most();
    return room ? opened() : refuse();
  }

  /** Takes a place for a client of a loop. Returns false if there is none. */
  boolean admit(Peer peer, LoopClients loop) {
    if (open.get() < most() || isOperator(peer)) {
      return opened();
    }
    LoopClients other = richest(loop);
    boolean elsewhere = other.idle() > 2 * loop.idle() + OVERLAP;
    if (!elsewhere && loop.giveWay()) {
      return opened();
    }
    boolean soon = open.get() < most() + OVERLAP && other != loop && other.giveWaySoon();
    boolean room = soon || (elsewhere && loop.giveWay());
    return room ? opened() : refuse();
  }

  /** The other loop that has most idle clients, so that no loop runs out of them; else the own. */
  private LoopClients richest(LoopClients own) {
    LoopClients richest = own;
    for (LoopClients loop : loops) {
      if (loop != own && (richest == own || loop.idle() > richest.idle())) {
        richest = loop;
      }
    }
    return richest;
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
