// SPDX-License-Identifier: Apache-2.0
package io.stoa.testing;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** Runs the same work many times at once, and fails as the first of them that fails. */
public final class Parallel {
  /** Work that is told its number. */
  @FunctionalInterface
  public interface Work {
    void run(int number) throws Exception;
  }

  private Parallel() {}

  /** Runs work 0 to {@code count - 1}, each in a thread of its own. */
  public static void run(int count, Duration patience, Work work) {
    run(count, count, patience, work);
  }

  /** Runs work 0 to {@code count - 1} in so many threads. */
  public static void run(int count, int threads, Duration patience, Work work) {
    ExecutorService executor = Executors.newFixedThreadPool(threads, Parallel::thread);
    try {
      List<Future<?>> futures = new ArrayList<>();
      for (int i = 0; i < count; i++) {
        int number = i;
        futures.add(
            executor.submit(
                () -> {
                  work.run(number);
                  return number;
                }));
      }
      await(futures, System.nanoTime() + patience.toNanos());
    } finally {
      executor.shutdownNow();
    }
  }

  private static Thread thread(Runnable body) {
    Thread thread = new Thread(body, "parallel");
    thread.setDaemon(true);
    return thread;
  }

  private static void await(List<Future<?>> futures, long deadline) {
    try {
      for (Future<?> future : futures) {
        future.get(deadline - System.nanoTime(), TimeUnit.NANOSECONDS);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new AssertionError("interrupted", e);
    } catch (ExecutionException e) {
      throw new AssertionError("one of many failed: " + e.getCause().getMessage(), e.getCause());
    } catch (TimeoutException e) {
      throw new AssertionError("not all of " + futures.size() + " ended in time", e);
    }
  }
}
