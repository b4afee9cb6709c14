// SPDX-License-Identifier: Apache-2.0
package io.stoa.net.transport;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.slf4j.Logger;

/**
 * Logs a warning about an event that clients can cause at any rate. A line gives the number of
 * events since the last line. At most one line is logged in 10 seconds.
 *
 * <p>Threading: thread-safe.
 */
public final class PressureLog {
  private static final long INTERVAL = TimeUnit.SECONDS.toNanos(10);

  private final Logger log;
  private final String format;
  private final AtomicLong count = new AtomicLong();
  private final AtomicLong last = new AtomicLong(System.nanoTime() - INTERVAL);

  /**
   * Creates a log without events.
   *
   * @param format the line, with one placeholder for the number of events
   */
  public PressureLog(Logger log, String format) {
    this.log = log;
    this.format = format;
  }

  /** Counts one event. */
  public void increment() {
    count.incrementAndGet();
  }

  /** Logs the line if there were events and the last line is at least 10 seconds old. */
  public void report() {
    long now = System.nanoTime();
    long previous = last.get();
    if (count.get() > 0 && now - previous >= INTERVAL && last.compareAndSet(previous, now)) {
      log.warn(format, count.getAndSet(0));
    }
  }
}
