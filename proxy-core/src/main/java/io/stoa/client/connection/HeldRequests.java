// SPDX-License-Identifier: Apache-2.0
package io.stoa.client.connection;

import io.stoa.ldap.protocol.Octets;
import io.stoa.net.peer.Peer;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * The memory that the requests of one client take: the one that is arriving, and complete ones
 * until they are answered. The client's event loop writes it; any loop may read it and give it up.
 * Thread-safe.
 */
final class HeldRequests {
  private static final int GIVEN_UP = -1;

  /**
   * Octets of complete requests below which they do not count: 16 KiB for each client. Ordinary
   * requests cost no atomic operation so.
   */
  private static final int UNCOUNTED = 16 * 1024;

  private final ClientConnection client;
  private final RequestMemory memory;
  private final AtomicInteger octets = new AtomicInteger();
  private volatile Owner owner = new Owner(Peer.UNKNOWN, Octets.EMPTY);
  private volatile long since;
  private long requestsBefore = -1;
  private int unfinished;
  private int complete;

  HeldRequests(ClientConnection client, RequestMemory memory) {
    this.client = client;
    this.memory = memory;
  }

  /**
   * The client as it was when its last request began. Immutable.
   *
   * @param peer where the client comes from
   * @param identity the name by which it has bound; empty for an anonymous client
   */
  record Owner(Peer peer, Octets identity) {}

  /** Takes note of how many octets the unfinished request takes now; 0 if there is none. */
  void unfinished(int now) {
    unfinished = now;
    holds(unfinished + complete);
  }

  /** As {@link #complete}, when a request has just been completed: it is unfinished no more. */
  void completed(long now) {
    unfinished = 0;
    complete(now);
  }

  /** Takes note of how many octets the complete requests without an answer take now. */
  void complete(long now) {
    int counted = now < UNCOUNTED ? 0 : (int) Math.min(now, Integer.MAX_VALUE / 2);
    if (counted != complete) {
      complete = counted;
      holds(unfinished + complete);
    }
  }

  private void holds(int now) {
    if (now > 0) {
      begin();
    }
    int before = octets.get();
    while (before != GIVEN_UP && !octets.compareAndSet(before, now)) {
      before = octets.get();
    }
    if (before != GIVEN_UP) {
      memory.changed(now - before);
    } else if (now > 0) {
      client.giveUpRequest();
    }
  }

  /** Notes the time and the owner, if a request was completed since the last one began. */
  private void begin() {
    long completed = client.progress().requests();
    if (completed != requestsBefore || octets.get() == 0) {
      requestsBefore = completed;
      owner = new Owner(client.peer(), client.identity().name());
      since = System.nanoTime();
    }
  }

  /** Stops the count for good. Returns the octets that the requests took; 0 if that was done. */
  int stop() {
    return Math.max(0, octets.getAndSet(GIVEN_UP));
  }

  /** Ends the client's connection, on its event loop. */
  void giveUp() {
    if (client.executor().inEventLoop()) {
      client.giveUpRequest();
    } else {
      client.executor().execute(client::giveUpRequest);
    }
  }

  /**
   * Returns the octets that the requests take; below 1 if there are none, or they were given up.
   */
  int octets() {
    return octets.get();
  }

  Owner owner() {
    return owner;
  }

  /** Returns the octets held, divided by the seconds since the last request began. */
  double speed(int octetsNow, long nanoTime) {
    return (double) octetsNow * TimeUnit.SECONDS.toNanos(1) / Math.max(1, nanoTime - since);
  }
}
