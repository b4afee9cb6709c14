// SPDX-License-Identifier: Apache-2.0
package io.stoa.feed.event;

import java.time.Duration;

/**
 * Room for what has been brought and not been taken yet: who brings more than there is room for
 * waits until some of it has been taken. Thread-safe.
 */
public final class ByteSemaphore implements AutoCloseable {
  private final long octets;
  private long used;
  private int waiting;
  private boolean waited;
  private long waitedNanos;
  private boolean closed;

  /** Makes an empty one; the last that finds any room may be larger than that. */
  public ByteSemaphore(long octets) {
    this.octets = octets;
  }

  /** Waits until there is any room, and uses some. */
  public synchronized void use(long some) {
    if (isFull()) {
      await();
    }
    used += some;
  }

  private boolean isFull() {
    return used >= octets && !closed;
  }

  private void await() {
    boolean interrupted = false;
    waiting++;
    while (isFull()) {
      try {
        wait();
      } catch (InterruptedException e) {
        interrupted = true; // to be seen by whoever called, who has to wait nevertheless
      }
    }
    waiting--;
    waited = true;
    waitedNanos = System.nanoTime();
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }

  /** So much of what was used has been taken. */
  public synchronized void free(long some) {
    used -= some;
    notifyAll();
  }

  /** Whether anybody waits, or has within so long a time. */
  public synchronized boolean isShort(Duration lately) {
    return waiting > 0 || (waited && System.nanoTime() - waitedNanos <= lately.toNanos());
  }

  /** Nobody waits any more. */
  @Override
  public synchronized void close() {
    closed = true;
    notifyAll();
  }
}
