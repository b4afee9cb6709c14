// SPDX-License-Identifier: Apache-2.0
package io.stoa.net.transport;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.slf4j.Logger;

/**
 * A warning about something that clients can cause as often as they like. The line says how often
 * it has happened since the last line; there is at most one line in ten seconds. Thread-safe.
 */
public final class PressureLog {
  private static final long INTERVAL = TimeUnit.SECONDS.toNanos(10);

  private final Logger log;
  private final String format;
  private final AtomicLong count = new AtomicLong();
  private final AtomicLong last = new AtomicLong(System.nanoTime() - INTERVAL);

  /**
   * Makes a log that has nothing to say.
   *
   * @param format the line, with one place for the number
   */
  public PressureLog(Logger log, String format) {
    this.log = log;
    this.format = format;
  }

  /** Counts one event. */
  public void happened() {
    count.incrementAndGet();
  }

  /** Writes the line, if anything has happened and the last line is old enough. */
  public void report() {
    long now = System.nanoTime();
    long before = last.get();
    if (count.get() > 0 && now - before >= INTERVAL && last.compareAndSet(before, now)) {
      log.warn(format, count.getAndSet(0));
    }
  }
}
