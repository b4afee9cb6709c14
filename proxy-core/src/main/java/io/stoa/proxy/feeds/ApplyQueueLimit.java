// SPDX-License-Identifier: Apache-2.0
package io.stoa.proxy.feeds;

import io.stoa.coherence.invalidation.RingRecord;
import io.stoa.feed.event.ByteSemaphore;
import io.stoa.feed.event.Change;
import io.stoa.feed.event.FeedGap;
import io.stoa.feed.event.FeedSink;
import io.stoa.ldap.csn.Position;
import io.stoa.ldap.filter.Image;
import java.util.concurrent.Executor;

/**
 * Blocks a feed that delivers faster than its coherence domain applies (back-pressure). No other
 * bound limits the queue of the domain's thread.
 *
 * <p>Threading: thread-safe.
 */
final class ApplyQueueLimit implements FeedSink, AutoCloseable {
  /** Maximum estimated size of the queued events: 16 MiB. */
  private static final long MAX_OCTETS = 16L << 20;

  /**
   * Minimum charge for one event, so that at most 1,000 events are queued. Writes through Stoa wait
   * behind them.
   */
  private static final long MIN_OCTETS = MAX_OCTETS / 1_000;

  private final ByteSemaphore semaphore = new ByteSemaphore(MAX_OCTETS);
  private final FeedSink next;
  private final Executor executor;

  /**
   * Creates a limit.
   *
   * @param next posts each event to the domain's thread
   * @param executor the domain's thread
   */
  ApplyQueueLimit(FeedSink next, Executor executor) {
    this.next = next;
    this.executor = executor;
  }

  @Override
  public void onChange(Change change) {
    Image image = change.image();
    pass(image == null ? 0 : RingRecord.octets(image), () -> next.onChange(change));
  }

  @Override
  public void onCovered(Position position) {
    pass(0, () -> next.onCovered(position));
  }

  /**
   * Passes an event on and posts a release behind it, which runs when the event has been applied.
   */
  private void pass(long octets, Runnable callback) {
    long some = Math.max(MIN_OCTETS, octets);
    semaphore.acquire(some);
    callback.run();
    executor.execute(() -> semaphore.release(some));
  }

  @Override
  public void onGap(FeedGap gap) {
    next.onGap(gap);
  }

  @Override
  public void onLive(Position position) {
    next.onLive(position);
  }

  @Override
  public void onLost(String reason) {
    next.onLost(reason);
  }

  /** Releases the feed: from now on it is never blocked. */
  @Override
  public void close() {
    semaphore.close();
  }
}
