// SPDX-License-Identifier: Apache-2.0
package io.stoa.testing;

import java.time.Duration;
import java.util.Arrays;
import java.util.PriorityQueue;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/**
 * What a server does that works on a few searches at a time, each for the same time, whatever
 * connection they come by; further ones wait. When each is done follows from when it came and from
 * those before it, and not from when a thread wakes up: so a busy machine does not make it a slower
 * server. Thread-safe.
 */
public final class FewAtATime implements Answer, AutoCloseable {
  private final ScheduledExecutorService clock =
      Executors.newSingleThreadScheduledExecutor(
          body -> {
            Thread thread = new Thread(body, "few-at-a-time");
            thread.setDaemon(true);
            return thread;
          });
  private final AtomicLong answered = new AtomicLong();
  private final PriorityQueue<Long> free = new PriorityQueue<>();
  private final Answer answer;
  private final long nanos;

  /** So many at a time, each for so long, and then this answer. */
  public FewAtATime(int few, Duration each, Answer answer) {
    this.answer = answer;
    this.nanos = each.toNanos();
    long now = System.nanoTime();
    free.addAll(Arrays.asList(new Long[few]).stream().map(none -> now).toList());
  }

  @Override
  public void to(Received request, UpstreamLink link) {
    long now = System.nanoTime();
    clock.schedule(
        () -> {
          answer.to(request, link);
          answered.incrementAndGet();
        },
        done(now) - now,
        TimeUnit.NANOSECONDS);
  }

  private long done(long now) {
    synchronized (free) {
      long done = Math.max(now, free.remove()) + nanos;
      free.add(done);
      return done;
    }
  }

  /** How many it has answered. */
  public long answered() {
    return answered.get();
  }

  @Override
  public void close() {
    clock.shutdownNow();
  }
}
