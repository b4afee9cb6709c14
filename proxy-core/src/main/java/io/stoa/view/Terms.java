// SPDX-License-Identifier: Apache-2.0
package io.stoa.view;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.LongPredicate;

/**
 * What all views have in common that rest on one run of a feed without gaps. Thread-safe.
 *
 * <p>When the run is over, all of them are void at once, whoever holds them, however many they are.
 */
public final class Terms {
  private final Map<KillCause, LongAdder> kills = new ConcurrentHashMap<>();
  private volatile LongPredicate lease;
  private volatile boolean over;

  /**
   * Begins a run.
   *
   * @param lease whether, at a time of the clock, the feed is known to be close enough behind
   */
  public Terms(LongPredicate lease) {
    this.lease = lease;
  }

  boolean areLive(long now) {
    return lease.test(now);
  }

  /** Something has changed of which nothing is known: nothing of this run is right any more. */
  public void end() {
    lease = Terms::never;
    over = true;
  }

  private static boolean never(long now) {
    return false;
  }

  public boolean areOver() {
    return over;
  }

  void count(KillCause cause) {
    kills.computeIfAbsent(cause, none -> new LongAdder()).increment();
  }

  /** How many views have died of that, in this run. */
  public long kills(KillCause cause) {
    LongAdder count = kills.get(cause);
    return count == null ? 0 : count.sum();
  }
}
