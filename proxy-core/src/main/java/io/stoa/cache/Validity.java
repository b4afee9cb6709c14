// SPDX-License-Identifier: Apache-2.0
package io.stoa.cache;

import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;

/**
 * What makes stored results void. Every result carries the epoch in which its search was sent, and
 * is served in that epoch only. A change ends the epoch before its client is answered. So nothing
 * that was read before a change can be served after it, whenever it is stored, and no lock is
 * needed between those who read and those who change. Thread-safe.
 */
final class Validity {
  private final AtomicLong epoch = new AtomicLong(1);
  private final LongAdder endings = new LongAdder();
  private volatile long suspendedUntil = System.nanoTime();

  /** The present epoch. To be read before a search is sent. */
  long epoch() {
    return epoch.get();
  }

  /** Ends the epoch. */
  void end() {
    epoch.incrementAndGet();
    endings.increment();
  }

  /** Ends the epoch, and lets nothing be stored or served until the given time. */
  void suspend(long untilNanos) {
    if (untilNanos - suspendedUntil > 0) {
      suspendedUntil = untilNanos;
    }
    end();
  }

  /** Whether nothing may be stored or served. */
  boolean suspended(long now) {
    return suspendedUntil - now > 0;
  }

  /** Epochs that ended since the start. */
  long endings() {
    return endings.sum();
  }
}
