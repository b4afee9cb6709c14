// SPDX-License-Identifier: Apache-2.0
package io.stoa.queue;

import java.util.concurrent.atomic.AtomicInteger;

/** How many operations may wait for connections, over all queues. Thread-safe. */
public final class QueueBound {
  private final int most;
  private final AtomicInteger waiting = new AtomicInteger();

  /** Makes a bound of so many operations. */
  public QueueBound(int most) {
    this.most = most;
  }

  /** Operations that wait now. */
  public int waiting() {
    return waiting.get();
  }

  boolean take() {
    if (waiting.incrementAndGet() > most) {
      waiting.decrementAndGet();
      return false;
    }
    return true;
  }

  void giveBack() {
    waiting.decrementAndGet();
  }
}
