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
 * Epoch, flushes and suspension of the caches.
 *
 * <ol>
 *   <li>Each result carries the epoch in which its search was sent. A result that no feed holds is
 *       served only in that epoch.
 *   <li>A write ends the epoch before its client is answered. So such a result is not served after
 *       a write if it was read before, whenever it is stored. Readers and writers need no common
 *       lock.
 *   <li>A selective flush is counted. A fill that was sent before the flush is not stored after it.
 * </ol>
 *
 * <p>Threading: thread-safe.
 */
final class CacheEpoch {
  private final AtomicLong epoch = new AtomicLong(1);
  private final LongAdder endedEpochs = new LongAdder();
  private final ReadWriteLock storing = new ReentrantReadWriteLock();
  private final AtomicLong flushes = new AtomicLong();
  private volatile long suspendedUntil;

  /** Starts the first epoch at the present time of the clock. */
  CacheEpoch(LongSupplier clock) {
    this.suspendedUntil = clock.getAsLong();
  }

  /** Returns the current epoch. Must be read before a search is sent. */
  long epoch() {
    return epoch.get();
  }

  /** Ends the epoch. */
  void end() {
    epoch.incrementAndGet();
    endedEpochs.increment();
  }

  /** Ends the epoch, and suspends storing and serving until {@code untilNanos}. */
  void suspend(long untilNanos) {
    if (untilNanos - suspendedUntil > 0) {
      suspendedUntil = untilNanos;
    }
    end();
  }

  /** True if storing and serving are suspended at {@code now}. */
  boolean isSuspended(long now) {
    return suspendedUntil - now > 0;
  }

  /** Returns the number of selective flushes. A fill reads it before its search is sent. */
  long flushes() {
    return flushes.get();
  }

  /**
   * Rejects from now on all fills that were sent before this call. The caller can then drop stored
   * results without a race.
   */
  void rejectEarlierFills() {
    storing.writeLock().lock();
    try {
      flushes.incrementAndGet();
    } finally {
      storing.writeLock().unlock();
    }
  }

  /**
   * Begins to store a result, unless a selective flush happened since its search was sent.
   *
   * @return true if it has begun; the caller then ends it with {@link #endStore}
   */
  boolean beginStore(long flushesThen) {
    storing.readLock().lock();
    boolean may = flushes.get() == flushesThen;
    if (!may) {
      endStore();
    }
    return may;
  }

  /** Ends what {@link #beginStore} has begun: flushes may go on. */
  void endStore() {
    storing.readLock().unlock();
  }

  /** Returns the number of epochs that have ended since the start. */
  long endedEpochs() {
    return endedEpochs.sum();
  }

  /**
   * Applies writes through Stoa to the caches.
   *
   * <p>Any write ends the epoch. An overlay of the directory (memberOf, referential integrity,
   * dynamic lists) may change any other entry, in any naming context. A write whose outcome is
   * unknown may take effect a moment later, so it also suspends the caches for a while.
   *
   * <p>Threading: thread-safe.
   */
  static final class Applier implements ChangeListener {
    private final CacheEpoch cacheEpoch;
    private final Supplier<Duration> pause;
    private final LongSupplier clock;

    Applier(CacheEpoch cacheEpoch, Supplier<Duration> pause, LongSupplier clock) {
      this.cacheEpoch = cacheEpoch;
      this.pause = pause;
      this.clock = clock;
    }

    @Override
    public void onChanges(List<OwnChange> changes, Runnable onApplied) {
      cacheEpoch.end();
      onApplied.run();
    }

    @Override
    public void onUnknownOutcome(List<OwnChange> changes) {
      cacheEpoch.suspend(clock.getAsLong() + pause.get().toNanos());
    }
  }
}
