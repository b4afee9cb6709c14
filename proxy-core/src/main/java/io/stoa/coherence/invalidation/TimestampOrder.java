// SPDX-License-Identifier: Apache-2.0
package io.stoa.coherence.invalidation;

import io.stoa.ldap.csn.Csn;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.InstantSource;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Puts states of entries in order of which a server shows only in which second they were made, by
 * its own clock. Of a second that is over there is one state that lasts; whoever has read an entry
 * within that second may have seen another. A second is over when the server has shown a later one,
 * or this one a second ago. One that lies in the future by the clock here shows nothing of that: an
 * entry may have been imported with it. Thread-safe.
 */
public final class TimestampOrder {
  private static final Pattern FORM = Pattern.compile("\\d{14}Z");
  private static final int DIGITS = 14;

  /** The second itself, and what clocks differ in. */
  private static final long OVER_NANOS = TimeUnit.MILLISECONDS.toNanos(1_100);

  private static final String LASTING = ".000001Z#000000#000#000000";
  private static final String PASSING = ".000000Z";

  /** What the clocks of servers are ahead by, at most. */
  private static final Duration AHEAD = Duration.ofSeconds(3);

  private static final DateTimeFormatter SECOND =
      DateTimeFormatter.ofPattern("uuuuMMddHHmmss", Locale.ROOT).withZone(ZoneOffset.UTC);

  private final InstantSource wall;
  private String newest = "";
  private long newestNanos;

  /**
   * Makes it of no states yet.
   *
   * @param wall what time it is, by which servers set their clocks
   */
  public TimestampOrder(InstantSource wall) {
    this.wall = wall;
  }

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
    if (order > 0 && !isInFuture(second)) {
      newest = second;
      newestNanos = now;
    }
    return order <= 0 && sent - newestNanos >= (order < 0 ? 0 : OVER_NANOS);
  }

  private boolean isInFuture(String second) {
    return second.compareTo(SECOND.format(wall.instant().plus(AHEAD))) > 0;
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
