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
 * Orders states of entries where a server shows only the second in which each was made, by its own
 * clock.
 *
 * <ol>
 *   <li>A second that is over has one last state. A read within the second may have seen an earlier
 *       one.
 *   <li>A second is over when the server has shown a later one, or has shown this one more than a
 *       second ago.
 *   <li>A second in the future of this host's clock proves nothing, because an entry may have been
 *       imported with it.
 * </ol>
 *
 * <p>Threading: thread-safe.
 */
public final class TimestampOrder {
  private static final Pattern FORM = Pattern.compile("\\d{14}Z");
  private static final int DIGITS = 14;

  /** Time after which a second is over: itself, and 100 ms for clocks that differ. */
  private static final long OVER_NANOS = TimeUnit.MILLISECONDS.toNanos(1_100);

  private static final String FINAL_SUFFIX = ".000001Z#000000#000#000000";
  private static final String INTERIM_SUFFIX = ".000000Z";

  /** Maximum time by which the clocks of servers are ahead: 3 s. */
  private static final Duration AHEAD = Duration.ofSeconds(3);

  private static final DateTimeFormatter SECOND =
      DateTimeFormatter.ofPattern("uuuuMMddHHmmss", Locale.ROOT).withZone(ZoneOffset.UTC);

  private final InstantSource wallClock;
  private String newest = "";
  private long newestNanos;

  /**
   * Makes it without any state.
   *
   * @param wallClock the wall clock, by which servers set their clocks
   */
  public TimestampOrder(InstantSource wallClock) {
    this.wallClock = wallClock;
  }

  /**
   * Returns a CSN that stands for a state. The last state of a second follows all others of that
   * second.
   *
   * @param changed the time of the change as the server shows it
   * @param content a value that is equal for equal content
   * @param sent a time at or before the sending of the read
   * @return null if {@code changed} is no time to the second
   */
  public @Nullable Csn state(byte[] changed, Csn content, long sent, long now) {
    String text = new String(changed, StandardCharsets.ISO_8859_1);
    if (!FORM.matcher(text).matches()) {
      return null;
    }
    String second = text.substring(0, DIGITS);
    return new Csn(
        isOver(second, sent, now)
            ? second + FINAL_SUFFIX
            : second + INTERIM_SUFFIX + content.text().substring(DIGITS + INTERIM_SUFFIX.length()));
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
    return second.compareTo(SECOND.format(wallClock.instant().plus(AHEAD))) > 0;
  }

  /** True if the order of two different states is unknown, since both are of one second. */
  public static boolean haveUnknownOrder(@Nullable Csn one, @Nullable Csn other) {
    return one != null
        && other != null
        && isInterim(one)
        && one.text().regionMatches(0, other.text(), 0, DIGITS + INTERIM_SUFFIX.length());
  }

  private static boolean isInterim(Csn state) {
    return state.text().startsWith(INTERIM_SUFFIX, DIGITS);
  }
}
