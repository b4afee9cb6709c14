// SPDX-License-Identifier: Apache-2.0
package io.stoa.server.accesslog;

import java.time.Instant;
import java.time.ZoneId;
import java.time.format.DateTimeFormatter;
import java.util.Locale;
import java.util.concurrent.TimeUnit;

/**
 * Turns times of {@link System#nanoTime} into text. The text of a second is formatted once.
 *
 * <p>Threading: confined to the thread of one log.
 */
final class LogClock {
  private static final long NANOS_PER_SECOND = TimeUnit.SECONDS.toNanos(1);

  private final DateTimeFormatter formatter;
  private long epochOffset;
  private long second = Long.MIN_VALUE;
  private String text = "";

  /** Creates the clock; {@code pattern} formats a time without fractions of seconds. */
  LogClock(String pattern, ZoneId zone) {
    formatter = DateTimeFormatter.ofPattern(pattern, Locale.ROOT).withZone(zone);
    synchronize();
  }

  /** Follows the wall clock. Called before each batch of lines. */
  void synchronize() {
    Instant now = Instant.now();
    epochOffset = now.getEpochSecond() * NANOS_PER_SECOND + now.getNano() - System.nanoTime();
  }

  /** Returns the text of the second in which the time lies. */
  String secondOf(long nanoTime) {
    long current = Math.floorDiv(nanoTime + epochOffset, NANOS_PER_SECOND);
    if (current != second) {
      second = current;
      text = formatter.format(Instant.ofEpochSecond(current));
    }
    return text;
  }

  /** Returns the nanoseconds of the time within its second. */
  long fractionOf(long nanoTime) {
    return Math.floorMod(nanoTime + epochOffset, NANOS_PER_SECOND);
  }
}
