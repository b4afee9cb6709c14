// SPDX-License-Identifier: Apache-2.0
package io.stoa.sim;

import io.netty.util.concurrent.DefaultPromise;
import io.netty.util.concurrent.ScheduledFuture;
import java.util.concurrent.Delayed;
import java.util.concurrent.TimeUnit;

/** Something that a loop is to do at a time, once or again and again. Thread-confined. */
final class VirtualTimer extends DefaultPromise<Void> implements ScheduledFuture<Void> {
  private final VirtualTime time;
  private final VirtualLoop loop;
  private final Runnable task;
  private final long period;
  private long due;

  /**
   * Makes it.
   *
   * @param period in nanoseconds; 0 if it is done once
   */
  VirtualTimer(VirtualTime time, VirtualLoop loop, Runnable task, long period) {
    super(loop);
    this.time = time;
    this.loop = loop;
    this.task = task;
    this.period = period;
  }

  VirtualTimer start(long delay) {
    due = time.now() + delay;
    time.at(due, () -> loop.execute(this::fire));
    return this;
  }

  private void fire() {
    if (isDone()) {
      return;
    }
    task.run();
    if (period > 0) {
      start(period);
    } else {
      setSuccess(null);
    }
  }

  @Override
  public long getDelay(TimeUnit unit) {
    return unit.convert(due - time.now(), TimeUnit.NANOSECONDS);
  }

  @Override
  public int compareTo(Delayed other) {
    return Long.compare(getDelay(TimeUnit.NANOSECONDS), other.getDelay(TimeUnit.NANOSECONDS));
  }
}
