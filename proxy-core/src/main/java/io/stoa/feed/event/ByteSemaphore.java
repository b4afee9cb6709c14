// SPDX-License-Identifier: Apache-2.0
package io.stoa.feed.event;

import java.time.Duration;

/**
 * Byte-counting semaphore for back-pressure: a producer that would exceed the limit waits until the
 * consumer has released bytes.
 *
 * <p>Threading: thread-safe.
 */
public final class ByteSemaphore implements AutoCloseable {
  private final long octets;
  private long used;
  private int waiters;
  private boolean waited;
  private long waitedNanos;
  private boolean closed;

  /**
   * Creates an empty semaphore. The last acquisition may exceed the limit: it needs only one free
   * byte.
   */
  public ByteSemaphore(long octets) {
    this.octets = octets;
  }

  /** Waits until at least one byte is free, then acquires {@code bytes} bytes. */
  public synchronized void acquire(long bytes) {
    if (isFull()) {
      await();
    }
    used += bytes;
  }

  private boolean isFull() {
    return used >= octets && !closed;
  }

  private void await() {
    boolean interrupted = false;
    waiters++;
    while (isFull()) {
      try {
        wait();
      } catch (InterruptedException e) {
        interrupted = true; // restored below for the caller, which has to wait nevertheless
      }
    }
    waiters--;
    waited = true;
    waitedNanos = System.nanoTime();
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }

  /** Releases {@code bytes} acquired bytes. */
  public synchronized void release(long bytes) {
    used -= bytes;
    notifyAll();
  }

  /** True if a producer waits now, or has waited within the last {@code lately}. */
  public synchronized boolean isContended(Duration lately) {
    return waiters > 0 || (waited && System.nanoTime() - waitedNanos <= lately.toNanos());
  }

  /** Releases all waiting producers. From now on no producer waits. */
  @Override
  public synchronized void close() {
    closed = true;
    notifyAll();
  }
}
