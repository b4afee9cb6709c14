// SPDX-License-Identifier: Apache-2.0
package io.stoa.cache.result;

import io.stoa.operation.ChangeListener;
import io.stoa.operation.OwnChange;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.ReadWriteLock;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/**
 * What makes stored results void. Every result carries the epoch in which its search was sent, and
 * is served in that epoch only. A change ends the epoch before its client is answered. So nothing
 * that was read before a change can be served after it, whenever it is stored, and no lock is
 * needed between those who read and those who change. Thread-safe.
 */
final class CacheEpoch {
  private final AtomicLong epoch = new AtomicLong(1);
  private final LongAdder endings = new LongAdder();
  private final ReadWriteLock storing = new ReentrantReadWriteLock();
  private final AtomicLong flushes = new AtomicLong();
  private volatile long suspendedUntil;

  /** Begins the first epoch now. */
  CacheEpoch(LongSupplier clock) {
    this.suspendedUntil = clock.getAsLong();
  }

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

  /**
   * How often something was dropped by itself. To be read with the epoch, before a search is sent.
   */
  long flushes() {
    return flushes.get();
  }

  /**
   * Nothing that was sent before now is stored from now on: what is to be dropped by itself can be
   * looked for.
   */
  void flush() {
    storing.writeLock().lock();
    try {
      flushes.incrementAndGet();
    } finally {
      storing.writeLock().unlock();
    }
  }

  /**
   * Stores a result; false, and nothing is stored, if something was dropped by itself since its
   * search was sent.
   */
  boolean store(long flushesThen, Runnable store) {
    storing.readLock().lock();
    try {
      boolean may = flushes.get() == flushesThen;
      if (may) {
        store.run();
      }
      return may;
    } finally {
      storing.readLock().unlock();
    }
  }

  /** Epochs that ended since the start. */
  long endings() {
    return endings.sum();
  }

  /**
   * Lets changes take effect on the caches. Any change ends all that is stored: an overlay of the
   * directory (memberOf, referential integrity, dynamic lists) may have changed any other entry, in
   * any naming context. A change whose outcome is unknown may happen a moment later, so that for a
   * while nothing is stored either. Thread-safe.
   */
  static final class Applier implements ChangeListener {
    private final CacheEpoch validity;
    private final Supplier<Duration> pause;
    private final LongSupplier clock;

    Applier(CacheEpoch validity, Supplier<Duration> pause, LongSupplier clock) {
      this.validity = validity;
      this.pause = pause;
      this.clock = clock;
    }

    @Override
    public void changed(List<OwnChange> changes, Runnable applied) {
      validity.end();
      applied.run();
    }

    @Override
    public void outcomeUnknown(List<OwnChange> changes) {
      validity.suspend(clock.getAsLong() + pause.get().toNanos());
    }
  }
}
