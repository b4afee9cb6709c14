// SPDX-License-Identifier: Apache-2.0
package io.stoa.upkeep;

import io.netty.util.concurrent.EventExecutor;
import io.stoa.cache.Caches.Kept;
import io.stoa.upkeep.Auditor.Finding;
import io.stoa.upkeep.UpkeepStatus.State;
import java.util.Iterator;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.LongAdder;

/**
 * Compares everything that rests on a feed with the directory, a few results at a time. What is
 * stored meanwhile may be among it, or not. Confined to the thread of the upkeep, but for what it
 * tells of itself.
 */
final class Verification {
  private static final int MOST_AT_ONCE = 32;

  private final EventExecutor own;
  private final Auditor auditor;
  private final Iterator<Kept> results;
  private final long number;
  private final LongAdder begun = new LongAdder();
  private final LongAdder verified = new LongAdder();
  private final LongAdder differing = new LongAdder();
  private final LongAdder unverifiable = new LongAdder();
  private int underWay;
  private volatile boolean over;

  /**
   * Makes it.
   *
   * @param number which it is, since the start
   */
  Verification(EventExecutor own, Auditor auditor, Iterator<Kept> results, long number) {
    this.own = own;
    this.auditor = auditor;
    this.results = results;
    this.number = number;
  }

  void begin() {
    while (underWay < MOST_AT_ONCE && results.hasNext()) {
      underWay++;
      begun.increment();
      auditor.audit(results.next(), this::found);
    }
    over = underWay == 0;
  }

  private void found(Finding finding) {
    try {
      own.execute(() -> ended(finding));
    } catch (RejectedExecutionException e) {
      over = true; // the proxy ends
    }
  }

  private void ended(Finding finding) {
    underWay--;
    switch (finding) {
      case VERIFIED -> verified.increment();
      case DIFFERING -> differing.increment();
      case UNVERIFIABLE -> unverifiable.increment();
    }
    begin();
  }

  boolean isOver() {
    return over;
  }

  UpkeepStatus.Verification status() {
    boolean ended = over;
    return new UpkeepStatus.Verification(
        ended ? State.DONE : State.RUNNING,
        number,
        begun.sum(),
        verified.sum(),
        differing.sum(),
        unverifiable.sum());
  }
}
