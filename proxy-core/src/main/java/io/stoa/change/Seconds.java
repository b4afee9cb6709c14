// SPDX-License-Identifier: Apache-2.0
package io.stoa.change;

import java.nio.charset.StandardCharsets;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Puts states of entries in order of which a server shows only in which second they were made, by
 * its own clock. Of a second that is over there is one state that lasts; whoever has read an entry
 * within that second may have seen another. A second is over when the server has shown a later one,
 * or this one a second ago. Thread-safe.
 */
public final class Seconds {
  private static final Pattern FORM = Pattern.compile("\\d{14}Z");
  private static final int DIGITS = 14;

  /** The second itself, and what clocks differ in. */
  private static final long OVER_NANOS = TimeUnit.MILLISECONDS.toNanos(1_100);

  private static final String LASTING = ".000001Z#000000#000#000000";
  private static final String PASSING = ".000000Z";

  private String newest = "";
  private long newestNanos;

  /**
   * What stands for a state: the lasting one of a second comes after all others of that second.
   *
   * @param changed as the server shows it
   * @param content the same for the same content
   * @param sent not after the read was sent
   * @return null if it is no time to the second
   */
  public @Nullable Csn state(byte[] changed, Csn content, long sent, long now) {
    String text = new String(changed, StandardCharsets.ISO_8859_1);
    if (!FORM.matcher(text).matches()) {
      return null;
    }
    String second = text.substring(0, DIGITS);
    return new Csn(
        isOver(second, sent, now)
            ? second + LASTING
            : second + PASSING + content.text().substring(DIGITS + PASSING.length()));
  }

  private synchronized boolean isOver(String second, long sent, long now) {
    int order = second.compareTo(newest);
    if (order > 0) {
      newest = second;
      newestNanos = now;
    }
    return order <= 0 && sent - newestNanos >= (order < 0 ? 0 : OVER_NANOS);
  }

  /** Whether of two different states nobody knows which is the later one. */
  public static boolean areOfOne(@Nullable Csn one, @Nullable Csn other) {
    return one != null
        && other != null
        && isPassing(one)
        && one.text().regionMatches(0, other.text(), 0, DIGITS + PASSING.length());
  }

  private static boolean isPassing(Csn state) {
    return state.text().startsWith(PASSING, DIGITS);
  }
}
