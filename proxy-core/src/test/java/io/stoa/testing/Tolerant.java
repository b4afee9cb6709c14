// SPDX-License-Identifier: Apache-2.0
package io.stoa.testing;

import java.time.Duration;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

/**
 * What a server does that works on a few requests at a time, each for the same time, and refuses
 * whatever comes beyond as busy. Thread-safe.
 */
public final class Tolerant implements Answer, AutoCloseable {
  private static final int BUSY = 51;

  private final ScheduledExecutorService clock =
      Executors.newSingleThreadScheduledExecutor(
          body -> {
            Thread thread = new Thread(body, "tolerant");
            thread.setDaemon(true);
            return thread;
          });
  private final Answer answer;
  private final long nanos;
  private int few;
  private int atWork;
  private int max;
  private long done;
  private long refused;

  /** So many at a time, each for so long, and then this answer. */
  public Tolerant(int few, Duration each, Answer answer) {
    this.few = few;
    this.answer = answer;
    this.nanos = each.toNanos();
  }

  @Override
  public void to(Received request, UpstreamLink link) {
    if (begin()) {
      clock.schedule(() -> end(request, link), nanos, TimeUnit.NANOSECONDS);
    } else {
      Answers.result(BUSY).to(request, link);
    }
  }

  private synchronized boolean begin() {
    boolean takes = atWork < few;
    if (takes) {
      atWork++;
      max = Math.max(max, atWork);
    } else {
      refused++;
    }
    return takes;
  }

  private void end(Received request, UpstreamLink link) {
    synchronized (this) {
      atWork--;
      done++;
    }
    answer.to(request, link);
  }

  /** From now on it works on so many at a time. */
  public synchronized void few(int more) {
    few = more;
  }

  /** How many it has done. */
  public synchronized long done() {
    return done;
  }

  /** How many it has refused. */
  public synchronized long refused() {
    return refused;
  }

  /** How many it has worked on at the same time at most. */
  public synchronized int max() {
    return max;
  }

  @Override
  public void close() {
    clock.shutdownNow();
  }
}
