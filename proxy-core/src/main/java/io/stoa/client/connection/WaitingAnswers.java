// SPDX-License-Identifier: Apache-2.0
package io.stoa.client.connection;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

/**
 * The octets of answers that wait for all clients that do not take them, and the operations that
 * servers cannot go on with for that reason. A server has a few threads, and each of these
 * operations may keep one. So the patience with each client is the shorter, the more operations
 * there are, and the more clients were disconnected for this lately. Thread-safe.
 */
public final class WaitingAnswers {
  /** The part of the heap that waiting answers of all clients may take. */
  private static final int SHARE = 16;

  /** Time for which one client that takes nothing may hold up a server. */
  private static final long STALL_NANOS = TimeUnit.SECONDS.toNanos(10);

  /** Least time for a client that takes nothing, if none was disconnected lately. */
  private static final long LEAST_STALL_NANOS = TimeUnit.SECONDS.toNanos(1);

  /** Least time for a client that takes its answers slowly. */
  private static final long LEAST_NANOS = TimeUnit.SECONDS.toNanos(5);

  /** Time for which clients that were disconnected shorten the patience with others. */
  private static final long MEMORY_NANOS = TimeUnit.SECONDS.toNanos(30);

  private final long most;
  private final AtomicLong octets = new AtomicLong();
  private final AtomicInteger held = new AtomicInteger();
  private int disconnected;
  private long disconnectedAt = System.nanoTime();

  /** Makes the bound that fits the heap. */
  public WaitingAnswers() {
    this(Runtime.getRuntime().maxMemory() / SHARE);
  }

  /**
   * Makes the bound.
   *
   * @param most octets that may wait for all clients
   */
  WaitingAnswers(long most) {
    this.most = most;
  }

  /** More octets wait, or fewer. */
  void add(long more) {
    octets.addAndGet(more);
  }

  /** True if more octets wait than may. */
  boolean exceeded() {
    return octets.get() > most;
  }

  /** Servers cannot go on with more operations, or with fewer. */
  void hold(int more) {
    held.addAndGet(more);
  }

  /** A client was disconnected since it held up a server. */
  synchronized void disconnected(long now) {
    disconnected = lately(now) + 1;
    disconnectedAt = now;
  }

  private synchronized int lately(long now) {
    return now - disconnectedAt > MEMORY_NANOS ? 0 : disconnected;
  }

  /**
   * Time in nanoseconds for which a client that holds up a server may take nothing.
   *
   * @param more operations that come to those that are held up
   */
  long mostStall(int more, long now) {
    if (exceeded()) {
      return 0;
    }
    long gone = lately(now);
    long count = Math.max(1, held.get() + more + gone);
    return Math.max(STALL_NANOS / (count * count), LEAST_STALL_NANOS / (1 + gone));
  }

  /**
   * Time in nanoseconds for which a client may hold up a server at one go, while it takes its
   * answers.
   *
   * @param one the same for a client that is alone
   */
  long mostHold(long one) {
    return Math.max(LEAST_NANOS, one / Math.max(1, held.get()));
  }
}
