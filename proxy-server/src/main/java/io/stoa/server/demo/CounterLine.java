// SPDX-License-Identifier: Apache-2.0
package io.stoa.server.demo;

import java.util.Locale;

/** Formats one line about what happened since the previous line. Threading: not thread-safe. */
public final class CounterLine {
  private Numbers previous = new Numbers(0, 0, 0, 0);

  /**
   * Counters since the start.
   *
   * <p>Threading: immutable.
   *
   * @param operations operations of clients that have ended
   * @param hits searches and compares answered from memory
   * @param misses cacheable searches and compares that were not
   * @param upstream operations sent to the directories, including those of Stoa itself
   */
  public record Numbers(long operations, long hits, long misses, long upstream) {}

  /** Returns the line for counters read {@code seconds} after those of the previous line. */
  public String next(Numbers now, double seconds) {
    String line =
        "operations "
            + counter(now.operations(), previous.operations(), seconds)
            + "   hits "
            + counter(now.hits(), previous.hits(), seconds)
            + "   misses "
            + counter(now.misses(), previous.misses(), seconds)
            + "   hit ratio "
            + ratio(now)
            + "   upstream operations "
            + counter(now.upstream(), previous.upstream(), seconds)
            + ", Stoa's own included"
            + (now.hits() + now.misses() == 0 ? "   (no searches yet)" : "");
    previous = now;
    return line;
  }

  private static String counter(long now, long previous, double seconds) {
    return String.format(Locale.ROOT, "%d (%.0f/s)", now, (now - previous) / seconds);
  }

  private static String ratio(Numbers now) {
    long lookups = now.hits() + now.misses();
    return lookups == 0 ? "-" : 100 * now.hits() / lookups + "%";
  }
}
