// SPDX-License-Identifier: Apache-2.0
package io.stoa.coherence.invalidation;

import io.netty.util.concurrent.AbstractEventExecutor;
import io.netty.util.concurrent.Future;
import io.netty.util.concurrent.ScheduledFuture;
import java.util.ArrayDeque;
import java.util.Comparator;
import java.util.PriorityQueue;
import java.util.Queue;
import java.util.concurrent.Delayed;
import java.util.concurrent.TimeUnit;

/** Does what it is given when the test says so, by a clock that the test moves. Thread-confined. */
final class SteppedExecutor extends AbstractEventExecutor {
  private final Queue<Runnable> tasks = new ArrayDeque<>();
  private final PriorityQueue<Timer> timers =
      new PriorityQueue<>(Comparator.comparingLong(Timer::at));
  private long now = TimeUnit.SECONDS.toNanos(1_000);

  private record Timer(long at, Runnable task) {}

  long now() {
    return now;
  }

  boolean isIdle() {
    return tasks.isEmpty() && timers.isEmpty();
  }

  /** Does all that is waiting to be done now. */
  void run() {
    for (Runnable task = tasks.poll(); task != null; task = tasks.poll()) {
      task.run();
    }
  }

  /** Does all that there is to be done until so much later. */
  void pass(long millis) {
    long end = now + TimeUnit.MILLISECONDS.toNanos(millis);
    run();
    while (!timers.isEmpty() && timers.peek().at() <= end) {
      Timer next = timers.remove();
      now = Math.max(now, next.at());
      next.task().run();
      run();
    }
    now = end;
  }

  @Override
  public void execute(Runnable task) {
    tasks.add(task);
  }

  @Override
  public ScheduledFuture<?> schedule(Runnable task, long delay, TimeUnit unit) {
    timers.add(new Timer(now + unit.toNanos(delay), task));
    return new Unread();
  }

  /** What nobody looks at. Thread-confined. */
  private static final class Unread extends io.netty.util.concurrent.DefaultPromise<Void>
      implements ScheduledFuture<Void> {
    @Override
    public long getDelay(TimeUnit unit) {
      return 0;
    }

    @Override
    public int compareTo(Delayed other) {
      return 0;
    }
  }

  @Override
  public boolean inEventLoop(Thread thread) {
    return true;
  }

  @Override
  public boolean isShuttingDown() {
    return false;
  }

  @Override
  public boolean isShutdown() {
    return false;
  }

  @Override
  public boolean isTerminated() {
    return false;
  }

  @Override
  public boolean awaitTermination(long timeout, TimeUnit unit) {
    return false;
  }

  @Override
  public Future<?> shutdownGracefully(long quiet, long timeout, TimeUnit unit) {
    throw new UnsupportedOperationException("it has nothing to shut down");
  }

  @Override
  public Future<?> terminationFuture() {
    throw new UnsupportedOperationException("it has nothing to shut down");
  }

  @Deprecated
  @Override
  public void shutdown() {
    throw new UnsupportedOperationException("it has nothing to shut down");
  }
}
