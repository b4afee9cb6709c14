// SPDX-License-Identifier: Apache-2.0
package io.stoa.proxy.position;

import io.netty.util.concurrent.EventExecutor;
import io.stoa.net.transport.GuardedTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Polls the position of a server as soon as it has answered a write. Replicas that have the write
 * may then serve the session's reads, even if the server fails the next moment.
 *
 * <p>A second poll follows when no pending write holds back the position any longer. One poll is in
 * flight at a time, and at most one starts within 5 ms, independent of the number of writes.
 *
 * <p>Threading: thread-safe.
 */
final class PostWritePoll implements Runnable {
  private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(5);

  /**
   * Delay in ns of the second poll: 25 ms. A directory holds back its position for a shorter time
   * after it has answered a write.
   */
  private static final long SURE_NANOS = TimeUnit.MILLISECONDS.toNanos(25);

  private final EventExecutor loop;
  private final PositionPoll poll;
  private final AtomicBoolean requested = new AtomicBoolean();
  private long last = System.nanoTime() - PAUSE_NANOS; // confined to the loop
  private boolean sure = true; // confined to the loop

  /**
   * Creates a poll for one server.
   *
   * @param loop the loop on which the server is polled
   */
  PostWritePoll(EventExecutor loop, PositionPoll poll) {
    this.loop = loop;
    this.poll = poll;
  }

  /** Called when the server has answered a write, or is usable again. */
  @Override
  public void run() {
    if (requested.compareAndSet(false, true) && !loop.isShuttingDown()) {
      loop.execute(new GuardedTask("poll of positions after a write", this::ask));
    }
  }

  private void ask() {
    long now = System.nanoTime();
    long pause = poll.isPolling() ? PAUSE_NANOS : last + PAUSE_NANOS - now;
    if (pause > 0) {
      loop.schedule(
          new GuardedTask("poll of positions after a write", this::ask),
          pause,
          TimeUnit.NANOSECONDS);
    } else {
      last = now;
      requested.set(false); // before the poll, since later writes may not be in its answer
      poll.poll();
      if (sure) {
        sure = false;
        loop.schedule(
            new GuardedTask("poll of positions after a write", this::pollAgain),
            SURE_NANOS,
            TimeUnit.NANOSECONDS);
      }
    }
  }

  private void pollAgain() {
    long now = System.nanoTime();
    long rest = poll.isPolling() ? PAUSE_NANOS : last + SURE_NANOS - now;
    if (rest > 0) {
      loop.schedule(
          new GuardedTask("poll of positions after a write", this::pollAgain),
          rest,
          TimeUnit.NANOSECONDS);
    } else {
      sure = true;
      last = now;
      poll.poll();
    }
  }
}
