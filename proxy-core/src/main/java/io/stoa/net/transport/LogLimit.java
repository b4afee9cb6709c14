// SPDX-License-Identifier: Apache-2.0
package io.stoa.net.transport;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.slf4j.Logger;

/**
 * A log for events that clients can cause at any rate: at most 10 lines a second, and the number of
 * suppressed lines.
 *
 * <p>Threading: thread-safe.
 */
public final class LogLimit {
  private static final int LINES = 10;
  private static final long WINDOW = TimeUnit.SECONDS.toNanos(1);

  private final Logger log;
  private final AtomicLong windowStart = new AtomicLong(System.nanoTime());
  private final AtomicInteger inWindow = new AtomicInteger();

  /** Creates a limit for one logger. */
  public LogLimit(Logger log) {
    this.log = log;
  }

  /** Logs a line unless the limit of this second is reached. */
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
        log.info(
            "log lines about refused clients and operations were suppressed (count={})",
            suppressed);
      }
    }
    return inWindow.incrementAndGet() <= LINES;
  }
}
