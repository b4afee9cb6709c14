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
 * Holds up a feed that tells faster than its realm applies: what waits for the realm's thread is in
 * nobody else's bounds. Thread-safe.
 */
final class ApplyQueueLimit implements FeedSink, AutoCloseable {
  /** Memory of all that waits, estimated. */
  private static final long MOST_OCTETS = 16L << 20;

  /** No more than a thousand wait, however small: who writes waits behind them. */
  private static final long LEAST_OCTETS = MOST_OCTETS / 1_000;

  private final ByteSemaphore room = new ByteSemaphore(MOST_OCTETS);
  private final FeedSink next;
  private final Executor own;

  /**
   * Makes it.
   *
   * @param next posts what it is told to the realm's thread
   * @param own that thread
   */
  ApplyQueueLimit(FeedSink next, Executor own) {
    this.next = next;
    this.own = own;
  }

  @Override
  public void change(Change change) {
    Image image = change.image();
    pass(image == null ? 0 : RingRecord.octets(image), () -> next.change(change));
  }

  @Override
  public void covered(Position position) {
    pass(0, () -> next.covered(position));
  }

  /** What is posted behind it runs when it has been applied. */
  private void pass(long octets, Runnable told) {
    long some = Math.max(LEAST_OCTETS, octets);
    room.use(some);
    told.run();
    own.execute(() -> room.free(some));
  }

  @Override
  public void gap(FeedGap why) {
    next.gap(why);
  }

  @Override
  public void live(Position position) {
    next.live(position);
  }

  @Override
  public void lost(String why) {
    next.lost(why);
  }

  /** The feed ends: it is not held up any more. */
  @Override
  public void close() {
    room.close();
  }
}
