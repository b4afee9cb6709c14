// SPDX-License-Identifier: Apache-2.0
package io.stoa.client.connection;

import io.stoa.ldap.protocol.Octets;
import io.stoa.net.peer.Peer;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * The memory of one client's requests: the one that is arriving, and complete ones until they are
 * answered. The client's event loop updates it. Any loop may read it and disconnect the client.
 *
 * <p>Threading: thread-safe.
 */
final class HeldRequests {
  private static final int GIVEN_UP = -1;

  /**
   * Octets of a client's complete requests below which they do not count: 16 KiB. So ordinary
   * requests cost no atomic operation.
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
   * The client when its last request began.
   *
   * <p>Threading: immutable.
   *
   * @param peer address of the client
   * @param identity bind name; empty for an anonymous client
   */
  record Owner(Peer peer, Octets identity) {}

  /** Sets the octets of the unfinished request; 0 if there is none. */
  void setUnfinished(int now) {
    unfinished = now;
    setHeld(unfinished + complete);
  }

  /**
   * Sets the octets of complete requests, like {@link #complete}, when the unfinished request has
   * just been completed.
   */
  void completeUnfinished(long now) {
    unfinished = 0;
    setComplete(now);
  }

  /** Sets the octets of complete requests without an answer. */
  void setComplete(long now) {
    int counted = now < UNCOUNTED ? 0 : (int) Math.min(now, Integer.MAX_VALUE / 2);
    if (counted != complete) {
      complete = counted;
      setHeld(unfinished + complete);
    }
  }

  private void setHeld(int now) {
    if (now > 0) {
      begin();
    }
    int previous = octets.get();
    while (previous != GIVEN_UP && !octets.compareAndSet(previous, now)) {
      previous = octets.get();
    }
    if (previous != GIVEN_UP) {
      memory.onChange(now - previous);
    } else if (now > 0) {
      client.giveUpRequest();
    }
  }

  /** Records time and owner, if a request was completed since the last one began. */
  private void begin() {
    long completed = client.stalls().requests();
    if (completed != requestsBefore || octets.get() == 0) {
      requestsBefore = completed;
      owner = new Owner(client.peer(), client.identity().name());
      since = System.nanoTime();
    }
  }

  /**
   * Stops counting for good. Returns the octets of the requests; 0 if counting was already stopped.
   */
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
   * Returns the octets of the requests; 0 or less if there are none or the client was disconnected.
   */
  int octets() {
    return octets.get();
  }

  Owner owner() {
    return owner;
  }

  /** Returns the octets divided by the seconds since the last request began. */
  double speed(int octetsNow, long nanoTime) {
    return (double) octetsNow * TimeUnit.SECONDS.toNanos(1) / Math.max(1, nanoTime - since);
  }
}
