// SPDX-License-Identifier: Apache-2.0
package io.stoa.testing;

import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelPromise;
import io.netty.channel.DefaultChannelPromise;
import io.netty.channel.EventLoop;
import io.netty.channel.EventLoopGroup;
import io.netty.util.concurrent.AbstractScheduledEventExecutor;
import io.netty.util.concurrent.Future;
import io.netty.util.concurrent.Ticker;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Queue;
import java.util.concurrent.TimeUnit;

/**
 * An event loop without a thread. Its tasks run when the test says so, and its time passes only by
 * {@link #pass}.
 *
 * <p>Threading: confined to the test's thread.
 */
public final class ManualLoop {
  private final Loop loop = new Loop();

  public EventLoop executor() {
    return loop;
  }

  /** Returns the time in nanoseconds, for a class that takes a clock. */
  public long now() {
    return loop.now;
  }

  /** Runs all tasks that are due. */
  public void run() {
    loop.run();
  }

  /** Lets time pass. Tasks that become due run at their times, and all others before. */
  public void pass(Duration time) {
    loop.passUntil(loop.now + time.toNanos());
  }

  /**
   * The loop as Netty and Stoa see it.
   *
   * <p>Threading: confined to the test's thread.
   */
  private static final class Loop extends AbstractScheduledEventExecutor implements EventLoop {
    private final Queue<Runnable> tasks = new ArrayDeque<>();
    private long now = System.nanoTime();
    private final Ticker ticker =
        new Ticker() {
          private final long initial = now;

          @Override
          public long initialNanoTime() {
            return initial;
          }

          @Override
          public long nanoTime() {
            return now;
          }

          @Override
          public void sleep(long delay, TimeUnit unit) {
            throw new UnsupportedOperationException("time passes only by pass");
          }
        };

    private void run() {
      Runnable due = pollScheduledTask(now);
      while (due != null || !tasks.isEmpty()) {
        if (due != null) {
          tasks.add(due);
        }
        runTasks();
        due = pollScheduledTask(now);
      }
    }

    private void runTasks() {
      for (Runnable task = tasks.poll(); task != null; task = tasks.poll()) {
        task.run();
      }
    }

    private void passUntil(long end) {
      run();
      for (long next = nextScheduledTaskDeadlineNanos();
          next != -1 && next - end <= 0;
          next = nextScheduledTaskDeadlineNanos()) {
        now = Math.max(now, next);
        run();
      }
      now = end;
    }

    @Override
    public Ticker ticker() {
      return ticker;
    }

    @Override
    public void execute(Runnable task) {
      tasks.add(task);
    }

    @Override
    public boolean inEventLoop(Thread thread) {
      return true;
    }

    @Override
    public EventLoopGroup parent() {
      return (EventLoopGroup) super.parent();
    }

    @Override
    public EventLoop next() {
      return (EventLoop) super.next();
    }

    @Override
    public ChannelFuture register(Channel channel) {
      return register(new DefaultChannelPromise(channel, this));
    }

    @Override
    public ChannelFuture register(ChannelPromise promise) {
      promise.channel().unsafe().register(this, promise);
      return promise;
    }

    @Deprecated
    @Override
    public ChannelFuture register(Channel channel, ChannelPromise promise) {
      channel.unsafe().register(this, promise);
      return promise;
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
      throw new UnsupportedOperationException("the loop has no thread");
    }

    @Override
    public Future<?> terminationFuture() {
      throw new UnsupportedOperationException("the loop has no thread");
    }

    @Deprecated
    @Override
    public void shutdown() {
      throw new UnsupportedOperationException("the loop has no thread");
    }
  }
}
