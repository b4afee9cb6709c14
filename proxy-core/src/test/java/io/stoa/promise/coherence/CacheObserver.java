// SPDX-License-Identifier: Apache-2.0
package io.stoa.promise.coherence;

import io.stoa.cache.result.CacheStats;
import io.stoa.coherence.invalidation.DomainReport;
import io.stoa.coherence.invalidation.DomainState;
import io.stoa.testing.Await;
import io.stoa.testing.RunningProxy;
import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.function.Supplier;

/**
 * What a proxy gives from memory, and whether that rests on its age. Immutable.
 *
 * @param maxAge how old what does not rest on a feed may be
 */
public record CacheObserver(RunningProxy proxy, Duration maxAge) {
  /** The feed of a naming context; null if there is none yet. */
  public DomainReport feed(String name) {
    return proxy.status().feeds().stream()
        .filter(feed -> feed.context().equals(name))
        .findFirst()
        .orElse(null);
  }

  /**
   * Whether what is read there from now on may rest on the feed, and what has been may be given.
   */
  boolean isLive(String name) {
    return isLive(feed(name));
  }

  private static boolean isLive(DomainReport feed) {
    return feed != null
        && feed.domain().state() == DomainState.LIVE
        && feed.leaseAgeNanos() >= 0
        && feed.leaseAgeNanos() <= feed.bound().toNanos();
  }

  /** Waits until they are live, and whatever had been written before has been applied. */
  public void awaitLive(String... names) {
    long now = System.nanoTime();
    for (String name : names) {
      Await.until("the feed of " + name + " is live", () -> isLiveSince(now, () -> feed(name)));
    }
  }

  /**
   * Whether a feed is live, and has proved that it has told of all that was written before a time:
   * it may be live still by what was proved long ago, while it is lost already.
   */
  static boolean isLiveSince(long then, Supplier<DomainReport> report) {
    long now = System.nanoTime();
    DomainReport feed = report.get();
    return isLive(feed) && now - feed.leaseAgeNanos() - then >= 0;
  }

  /** Whether that is answered from memory. */
  boolean isRemembered(Callable<?> read) throws Exception {
    CacheStats before = proxy.cache();
    read.call();
    CacheStats after = proxy.cache();
    return after.filterHits() > before.filterHits()
        && after.filterMisses() == before.filterMisses()
        && after.bypassed() == before.bypassed();
  }

  /** Asks until the answer has come from memory for much longer than its age would permit. */
  public void awaitHeldByFeed(String what, Callable<?> read) {
    long enough = maxAge.multipliedBy(3).toNanos();
    Await.until(what + " is vouched for", () -> isRemembered(enough, read));
  }

  /** Whether it is answered from memory for so long, and is still when it is asked last. */
  private boolean isRemembered(long nanos, Callable<?> read) throws Exception {
    if (!isRemembered(read)) {
      return false;
    }
    long begun = System.nanoTime();
    long asked = begun;
    while (asked - begun <= nanos) {
      asked = System.nanoTime();
      if (!isRemembered(read)) {
        return false;
      }
    }
    return true;
  }

  /**
   * Asks for a while, and how often it was answered from memory later than its age would permit: no
   * sooner than that age after the last answer that was not from memory had come.
   */
  public long restingOnTheFeed(Duration howLong, Callable<?> read) throws Exception {
    long resting = 0;
    long begun = System.nanoTime();
    long asked = begun;
    for (long now = begun; now - begun < howLong.toNanos(); now = System.nanoTime()) {
      if (!isRemembered(read)) {
        asked = System.nanoTime();
      } else if (now - asked > maxAge.toNanos()) {
        resting++;
      }
    }
    return resting;
  }
}
