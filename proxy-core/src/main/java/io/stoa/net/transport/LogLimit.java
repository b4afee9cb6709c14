// SPDX-License-Identifier: Apache-2.0
package io.stoa.net.transport;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.slf4j.Logger;

/**
 * A log of what clients can cause as often as they like: at most ten lines a second, and how many
 * were left out. Thread-safe.
 */
public final class LogLimit {
  private static final int LINES = 10;
  private static final long WINDOW = TimeUnit.SECONDS.toNanos(1);

  private final Logger log;
  private final AtomicLong windowStart = new AtomicLong(System.nanoTime());
  private final AtomicInteger inWindow = new AtomicInteger();

  /** Writes to a logger. */
  public LogLimit(Logger log) {
    this.log = log;
  }

  /** Writes a line, if it may. */
  public void info(String format, Object... arguments) {
    if (mayLog()) {
      log.info(format, arguments);
    }
  }

  private boolean mayLog() {
    long now = System.nanoTime();
    long start = windowStart.get();
    if (now - start > WINDOW && windowStart.compareAndSet(start, now)) {
      int suppressed = inWindow.getAndSet(0) - LINES;
      if (suppressed > 0) {
        log.info("{} more lines about refused clients and operations were left out", suppressed);
      }
    }
    return inWindow.incrementAndGet() <= LINES;
  }
}
