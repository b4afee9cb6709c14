// SPDX-License-Identifier: Apache-2.0
package io.stoa.client.connection;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

/**
 * The octets of responses that wait for all clients, and the server operations that are held up by
 * them.
 *
 * <p>A server has few threads, and each held operation may occupy one. So the time allowed for each
 * client shrinks with the number of held operations. The number of clients recently disconnected
 * for this shortens it, too.
 *
 * <p>Threading: thread-safe.
 */
public final class WaitingResponses {
  /** Divisor: waiting responses of all clients may take a sixteenth of the heap. */
  private static final int SHARE = 16;

  /** Nanoseconds for which a single client that takes nothing may hold up a server: 10 s. */
  private static final long STALL_NANOS = TimeUnit.SECONDS.toNanos(10);

  /**
   * Minimum nanoseconds for a client that takes nothing, if none was disconnected recently: 1 s.
   */
  private static final long MIN_STALL_NANOS = TimeUnit.SECONDS.toNanos(1);

  /** Minimum nanoseconds for a client that takes its responses slowly: 5 s. */
  private static final long MIN_NANOS = TimeUnit.SECONDS.toNanos(5);

  /** Nanoseconds for which disconnected clients shorten the time of others: 30 s. */
  private static final long MEMORY_NANOS = TimeUnit.SECONDS.toNanos(30);

  private final long maxOctets;
  private final AtomicLong octets = new AtomicLong();
  private final AtomicInteger heldOperations = new AtomicInteger();
  private int disconnected;
  private long disconnectedAt = System.nanoTime();

  /** Creates a limit that depends on the size of the heap. */
  public WaitingResponses() {
    this(Runtime.getRuntime().maxMemory() / SHARE);
  }

  /**
   * Creates a limit.
   *
   * @param maxOctets maximum octets that may wait for all clients
   */
  WaitingResponses(long maxOctets) {
    this.maxOctets = maxOctets;
  }

  /** Adds to the octets that wait; negative to subtract. */
  void add(long delta) {
    octets.addAndGet(delta);
  }

  /** True if more octets wait than allowed. */
  boolean isExceeded() {
    return octets.get() > maxOctets;
  }

  /** Adds to the number of held operations; negative to subtract. */
  void hold(int delta) {
    heldOperations.addAndGet(delta);
  }

  /** Called when a client is disconnected for holding up a server. */
  synchronized void onDisconnected(long now) {
    disconnected = recentlyDisconnected(now) + 1;
    disconnectedAt = now;
  }

  private synchronized int recentlyDisconnected(long now) {
    return now - disconnectedAt > MEMORY_NANOS ? 0 : disconnected;
  }

  /**
   * Returns the maximum nanoseconds for which a client that holds up a server may take nothing.
   *
   * @param additional operations to be held in addition to the present ones
   */
  long maxStallNanos(int additional, long now) {
    if (isExceeded()) {
      return 0;
    }
    long disconnectedRecently = recentlyDisconnected(now);
    long count = Math.max(1, heldOperations.get() + additional + disconnectedRecently);
    return Math.max(STALL_NANOS / (count * count), MIN_STALL_NANOS / (1 + disconnectedRecently));
  }

  /**
   * Returns the maximum nanoseconds for which a slow client may hold up a server without
   * interruption.
   *
   * @param clientMaxNanos the maximum for a single client
   */
  long maxHoldNanos(long clientMaxNanos) {
    return Math.max(MIN_NANOS, clientMaxNanos / Math.max(1, heldOperations.get()));
  }
}
