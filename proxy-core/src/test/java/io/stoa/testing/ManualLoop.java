// SPDX-License-Identifier: Apache-2.0
package io.stoa.testing;

import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.util.concurrent.EventExecutor;
import java.time.Duration;
import java.util.concurrent.TimeUnit;

/**
 * An event loop without a thread. Its tasks run when the test says so, and its time passes only by
 * {@link #pass}.
 *
 * <p>Threading: confined to the test's thread.
 */
public final class ManualLoop {
  private final EmbeddedChannel channel = new EmbeddedChannel();
  private long now = System.nanoTime();

  public ManualLoop() {
    channel.freezeTime();
  }

  public EventExecutor executor() {
    return channel.eventLoop();
  }

  /** Returns the time in nanoseconds, for a class that takes a clock. */
  public long now() {
    return now;
  }

  /** Runs all tasks that are due. */
  public void run() {
    do {
      channel.runPendingTasks();
    } while (channel.runScheduledPendingTasks() == 0);
    channel.runPendingTasks();
  }

  /** Lets time pass, and runs all tasks that are due then. */
  public void pass(Duration time) {
    now += time.toNanos();
    channel.advanceTimeBy(time.toNanos(), TimeUnit.NANOSECONDS);
    run();
  }
}
