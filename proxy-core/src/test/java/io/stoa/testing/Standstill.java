// SPDX-License-Identifier: Apache-2.0
package io.stoa.testing;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * Notices when nothing runs here for a while: the machine does something else now and then, for a
 * second even, and what is promised of Stoa's own time holds without that. One thread; thread-safe.
 */
public final class Standstill implements AutoCloseable {
  private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(10);

  /** Whoever gets no turn for so long stood still. */
  private static final long NOTED_NANOS = TimeUnit.MILLISECONDS.toNanos(50);

  private record Gap(long from, long to) {
    long within(long begun, long ended) {
      return Math.max(0, Math.min(to, ended) - Math.max(from, begun));
    }
  }

  private final List<Gap> gaps = new ArrayList<>();
  private long last = System.nanoTime();
  private volatile boolean ended;

  private Standstill() {}

  /** Looks from now on. */
  public static Standstill watch() {
    Standstill made = new Standstill();
    Thread thread = new Thread(made::look, "standstill");
    thread.setDaemon(true);
    thread.start();
    return made;
  }

  private void look() {
    while (!ended) {
      LockSupport.parkNanos(PAUSE_NANOS);
      note(System.nanoTime());
    }
  }

  private synchronized void note(long now) {
    if (now - last > NOTED_NANOS) {
      gaps.add(new Gap(last, now));
    }
    last = now;
  }

  /** The time between two others, without that in which nothing ran. */
  public synchronized long nanos(long begun, long ended) {
    note(Math.max(last, ended)); // it may still be standing still
    return ended - begun - gaps.stream().mapToLong(gap -> gap.within(begun, ended)).sum();
  }

  @Override
  public void close() {
    ended = true;
  }
}
