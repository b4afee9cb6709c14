// SPDX-License-Identifier: Apache-2.0
package io.stoa.proxy.position;

import io.netty.util.concurrent.EventExecutor;
import io.stoa.net.transport.GuardedTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Has a server asked how far it has got as soon as it has answered a write: what sessions have
 * written may then be read from whoever has it, also if the server dies the next moment. It is
 * asked once more when nothing is pending there any longer that keeps its answer back. However many
 * writes there are, one question is asked at a time, and at most one in a few milliseconds.
 * Thread-safe.
 */
final class PostWritePoll implements Runnable {
  private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(5);

  /** Longer than a directory keeps its position back after it has answered a write. */
  private static final long SURE_NANOS = TimeUnit.MILLISECONDS.toNanos(25);

  private final EventExecutor loop;
  private final PositionPoll poll;
  private final AtomicBoolean wanted = new AtomicBoolean();
  private long last = System.nanoTime() - PAUSE_NANOS; // on the loop
  private boolean sure = true; // on the loop

  /**
   * Makes it for one server.
   *
   * @param loop on which it is asked
   */
  PostWritePoll(EventExecutor loop, PositionPoll poll) {
    this.loop = loop;
    this.poll = poll;
  }

  /** The server has answered a write, or can be used again. */
  @Override
  public void run() {
    if (wanted.compareAndSet(false, true) && !loop.isShuttingDown()) {
      loop.execute(new GuardedTask(this::ask));
    }
  }

  private void ask() {
    long now = System.nanoTime();
    long pause = poll.asking() ? PAUSE_NANOS : last + PAUSE_NANOS - now;
    if (pause > 0) {
      loop.schedule(new GuardedTask(this::ask), pause, TimeUnit.NANOSECONDS);
    } else {
      last = now;
      wanted.set(false); // before it is asked: what is answered from now on may not be in it
      poll.run();
      if (sure) {
        sure = false;
        loop.schedule(new GuardedTask(this::makeSure), SURE_NANOS, TimeUnit.NANOSECONDS);
      }
    }
  }

  private void makeSure() {
    long now = System.nanoTime();
    long rest = poll.asking() ? PAUSE_NANOS : last + SURE_NANOS - now;
    if (rest > 0) {
      loop.schedule(new GuardedTask(this::makeSure), rest, TimeUnit.NANOSECONDS);
    } else {
      sure = true;
      last = now;
      poll.run();
    }
  }
}
