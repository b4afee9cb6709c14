// SPDX-License-Identifier: Apache-2.0
package io.stoa.proxy.feeds;

import static io.stoa.testing.SmallDirectory.image;
import static io.stoa.testing.SmallDirectory.modified;
import static io.stoa.testing.SmallDirectory.upTo;
import static org.assertj.core.api.Assertions.assertThat;

import io.stoa.feed.event.Change;
import io.stoa.feed.event.FeedGap;
import io.stoa.feed.event.FeedSink;
import io.stoa.ldap.csn.Position;
import io.stoa.testing.Await;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.IntConsumer;
import org.junit.jupiter.api.Test;

/** A feed before a realm whose thread does what it has to when the test says so. */
class ApplyQueueLimitTest {
  private static final int MEGABYTE = 1 << 20;
  private static final int ALL = 5_000;

  private final BlockingQueue<Runnable> own = new LinkedBlockingQueue<>();
  private final AtomicInteger applied = new AtomicInteger();
  private final AtomicInteger delivered = new AtomicInteger();
  private final ApplyQueueLimit queueLimit = new ApplyQueueLimit(new Posting(), own::add);

  /** As a realm does. Thread-safe. */
  private final class Posting implements FeedSink {
    @Override
    public void onChange(Change change) {
      own.add(applied::incrementAndGet);
    }

    @Override
    public void onCovered(Position position) {
      own.add(applied::incrementAndGet);
    }

    @Override
    public void onGap(FeedGap why) {
      own.add(applied::incrementAndGet);
    }

    @Override
    public void onLive(Position position) {
      own.add(applied::incrementAndGet);
    }

    @Override
    public void onLost(String why) {
      own.add(applied::incrementAndGet);
    }
  }

  private Thread startFeed(int times, IntConsumer what) {
    Thread feed =
        new Thread(
            () -> {
              for (int i = 0; i < times; i++) {
                what.accept(i);
                delivered.incrementAndGet();
              }
            },
            "test-feed");
    feed.setDaemon(true);
    feed.start();
    return feed;
  }

  private static void awaitHeld(Thread feed) {
    Await.until("the feed waits", () -> feed.getState() == Thread.State.WAITING);
  }

  private void apply(Thread feed) {
    Await.until(
        "all is told",
        () -> {
          for (Runnable next = own.poll(); next != null; next = own.poll()) {
            next.run();
          }
          return !feed.isAlive() && own.isEmpty();
        });
  }

  @Test
  void holdsUpLargeChangesUntilTheyAreApplied() {
    Change large = modified(1, image("cn=a", Map.of("cn", "a".repeat(MEGABYTE))), 1);
    Thread feed = startFeed(100, number -> queueLimit.onChange(large));
    awaitHeld(feed);
    assertThat(delivered.get()).isBetween(8, 16);
    apply(feed);
    assertThat(applied).hasValue(100);
  }

  @Test
  void holdsUpManySmallChanges() {
    Thread feed = startFeed(ALL, number -> queueLimit.onCovered(upTo(number)));
    awaitHeld(feed);
    assertThat(delivered.get()).isBetween(900, 1_100);
    apply(feed);
    assertThat(applied).hasValue(ALL);
  }

  @Test
  void eventsThatEndAFeedAreNotHeldUp() {
    Thread feed = startFeed(ALL, number -> queueLimit.onCovered(upTo(number)));
    awaitHeld(feed);
    queueLimit.onLost("cut");
    queueLimit.onGap(FeedGap.HISTORY_LOST);
    queueLimit.onLive(upTo(1));
    apply(feed);
    assertThat(applied).hasValue(ALL + 3);
  }

  @Test
  void closingReleasesTheWaitingFeed() throws Exception {
    Thread feed = startFeed(ALL, number -> queueLimit.onCovered(upTo(number)));
    awaitHeld(feed);
    queueLimit.close();
    feed.join();
    assertThat(delivered).hasValue(ALL);
    assertThat(applied).as("the realm stands still").hasValue(0);
  }
}
