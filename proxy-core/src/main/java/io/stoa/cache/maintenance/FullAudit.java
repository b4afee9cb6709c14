// SPDX-License-Identifier: Apache-2.0
package io.stoa.cache.maintenance;

import io.netty.util.concurrent.EventExecutor;
import io.stoa.cache.maintenance.Auditor.Finding;
import io.stoa.cache.maintenance.MaintenanceStatus.FullAuditState;
import io.stoa.cache.result.Caches.CachedResultRef;
import java.util.Iterator;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.BiConsumer;
import java.util.function.Consumer;

/**
 * Compares all results that a feed holds with the directory, a few at a time. Results stored
 * meanwhile may or may not be included.
 *
 * <p>Threading: confined to the maintenance thread, except for its status.
 */
final class FullAudit {
  static final int MAX_AT_ONCE = 16;

  /** Delay before the next attempt when the budget is used up: 50 ms. */
  private static final long PAUSE_MILLIS = 50;

  private final EventExecutor thread;
  private final BiConsumer<CachedResultRef, Consumer<Finding>> audit;
  private final Iterator<CachedResultRef> results;
  private final Budget budget;
  private final long number;
  private final LongAdder begun = new LongAdder();
  private final LongAdder verified = new LongAdder();
  private final LongAdder differing = new LongAdder();
  private final LongAdder undecided = new LongAdder();
  private final LongAdder withoutClient = new LongAdder();
  private int inFlight;
  private boolean paused;
  private volatile boolean over;

  /**
   * Creates a full audit.
   *
   * @param audit compares one result, and reports the outcome on any thread
   * @param budget rate limit of the comparisons
   * @param number sequence number since the start
   */
  FullAudit(
      EventExecutor thread,
      BiConsumer<CachedResultRef, Consumer<Finding>> audit,
      Iterator<CachedResultRef> results,
      Budget budget,
      long number) {
    this.thread = thread;
    this.audit = audit;
    this.results = results;
    this.budget = budget;
    this.number = number;
  }

  void begin() {
    while (inFlight < MAX_AT_ONCE && results.hasNext() && budget.take()) {
      inFlight++;
      begun.increment();
      audit.accept(results.next(), this::onFound);
    }
    boolean more = results.hasNext();
    if (more && inFlight < MAX_AT_ONCE && !paused) {
      paused = true;
      thread.schedule(this::resume, PAUSE_MILLIS, TimeUnit.MILLISECONDS);
    }
    over = inFlight == 0 && !more;
  }

  private void resume() {
    paused = false;
    begin();
  }

  private void onFound(Finding finding) {
    try {
      thread.execute(() -> onEnded(finding));
    } catch (RejectedExecutionException e) {
      over = true; // the proxy is shutting down
    }
  }

  private void onEnded(Finding finding) {
    inFlight--;
    if (finding == Finding.NO_CLIENT) {
      budget.giveBack(); // no request was sent
    } else {
      budget.release();
    }
    switch (finding) {
      case VERIFIED -> verified.increment();
      case DIFFERING -> differing.increment();
      case UNVERIFIABLE -> undecided.increment();
      case NO_CLIENT -> withoutClient.increment();
    }
    begin();
  }

  boolean isOver() {
    return over;
  }

  MaintenanceStatus.FullAuditStatus status() {
    boolean ended = over;
    long unaudited = withoutClient.sum();
    return new MaintenanceStatus.FullAuditStatus(
        ended ? FullAuditState.DONE : FullAuditState.RUNNING,
        number,
        begun.sum(),
        verified.sum(),
        differing.sum(),
        undecided.sum() + unaudited,
        unaudited);
  }
}
