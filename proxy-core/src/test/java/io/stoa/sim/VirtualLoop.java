// SPDX-License-Identifier: Apache-2.0
package io.stoa.sim;

import io.netty.util.concurrent.AbstractEventExecutor;
import io.netty.util.concurrent.Future;
import io.netty.util.concurrent.ScheduledFuture;
import java.util.ArrayDeque;
import java.util.Queue;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;

/**
 * An event loop in virtual time: does what it is given in that order, each after a short time, and
 * may stand still as a loop does whose process is stopped. Thread-confined.
 */
final class VirtualLoop extends AbstractEventExecutor {
  private static final int MAX_HOP_NANOS = 200_000;

  private final VirtualTime time;
  private final SplittableRandom hops;
  private final Queue<Runnable> queue = new ArrayDeque<>();
  private long pausedUntil;
  private long last;
  private boolean running;

  VirtualLoop(VirtualTime time, SplittableRandom hops) {
    this.time = time;
    this.hops = hops;
  }

  /** Does nothing until then. */
  void pause(long until) {
    pausedUntil = until;
  }

  @Override
  public void execute(Runnable task) {
    queue.add(task);
    last = Math.max(last + 1, time.now() + hops.nextInt(MAX_HOP_NANOS));
    time.at(last, this::turn);
  }

  @Override
  public ScheduledFuture<?> schedule(Runnable task, long delay, TimeUnit unit) {
    return new VirtualTimer(time, this, task, 0).start(unit.toNanos(delay));
  }

  @Override
  public ScheduledFuture<?> scheduleAtFixedRate(
      Runnable task, long delay, long period, TimeUnit unit) {
    return new VirtualTimer(time, this, task, unit.toNanos(period)).start(unit.toNanos(delay));
  }

  private void turn() {
    if (time.now() < pausedUntil) {
      time.at(pausedUntil, this::turn);
      return;
    }
    running = true;
    try {
      queue.remove().run();
    } finally {
      running = false;
    }
  }

  @Override
  public boolean inEventLoop(Thread thread) {
    return running;
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
