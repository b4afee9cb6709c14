// SPDX-License-Identifier: Apache-2.0
package io.stoa.feed.syncrepl;

import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Judges from successive readings of a server whether it is still the same process, and whether its
 * clock was set back.
 *
 * <p>An open connection proves the process. On a new connection an equal start time proves it: a
 * later process has a later start time unless the clock was set back.
 *
 * <p>Threading: thread of its watch.
 */
final class ServerRun {
  /**
   * Minimum uptime in s of a process that is identified by its start time: 3 s. Start times are in
   * whole seconds, so two short-lived processes may show the same one. The uptime is measured by
   * the server's clock or by Stoa's.
   */
  private static final long MIN_UPTIME_SECONDS = 3;

  /** Clocks may drift, or be slewed, by one part in this number. */
  private static final long DRIFT = 1_000;

  private @Nullable ServerTime last;
  private long mark = Long.MIN_VALUE;
  private boolean hasReading;
  private boolean clockKnown;
  private boolean behind;

  /** The time when the present process was first seen, by the clock of this process. */
  private long seenNanos;

  /** Bounds of the server clock's offset from the monotonic clock of this process, in ns. */
  private long minOffset;

  private long maxOffset;

  /**
   * Judges one reading.
   *
   * @param now the times that the server shows; null if it answers without them
   * @param sameConnection true if the previous reading used the same connection
   */
  Continuity judge(@Nullable ServerTime now, boolean sameConnection) {
    ServerTime before = last;
    boolean first = !hasReading;
    boolean same = sameConnection || isSameProcess(before, now);
    hasReading = true;
    clockKnown = now != null;
    last = now != null ? now : same ? before : null;
    if (now == null) {
      return first ? Continuity.FIRST : same ? Continuity.SAME : Continuity.RESTARTED;
    }
    seenNanos = same && before != null ? seenNanos : now.heardNanos();
    Continuity clock = clock(before, now);
    if (first) {
      return Continuity.FIRST;
    }
    behind |= !same && clock == Continuity.CLOCK_SET_BACK; // the next verdict reports it
    return same ? clock : Continuity.RESTARTED;
  }

  /** True if the clock is behind, or was behind and no verdict has reported it yet. */
  boolean isClockBehind() {
    return behind;
  }

  /** True if the server showed its clock in the last reading. */
  boolean isClockKnown() {
    return clockKnown;
  }

  private boolean isSameProcess(@Nullable ServerTime before, @Nullable ServerTime now) {
    return before != null
        && now != null
        && before.started() == now.started()
        && uptimeSeconds(before) >= MIN_UPTIME_SECONDS;
  }

  /** Returns the uptime by the server's clock, or by Stoa's clock if the server's was set back. */
  private long uptimeSeconds(ServerTime shown) {
    long seen = TimeUnit.NANOSECONDS.toSeconds(shown.heardNanos() - seenNanos);
    return Math.max(shown.second() - shown.started(), seen);
  }

  private Continuity clock(@Nullable ServerTime before, ServerTime now) {
    boolean setBack = before != null && isSetBack(before, now);
    if (before == null) {
      reset(now);
    }
    if (now.second() < mark) {
      behind = true;
      return Continuity.CLOCK_BEHIND;
    }
    mark = now.second();
    setBack |= behind;
    behind = false;
    return setBack ? Continuity.CLOCK_SET_BACK : Continuity.SAME;
  }

  /**
   * True if the clock was set back. Each reading in whole seconds bounds the offset of the clock
   * from both sides; further readings narrow the bounds.
   */
  private boolean isSetBack(ServerTime before, ServerTime now) {
    long drift = Math.max(0, now.heardNanos() - before.sentNanos()) / DRIFT;
    long lower = lower(now);
    long upper = upper(now);
    if (upper < minOffset - drift) {
      reset(now);
      return true;
    }
    if (lower > maxOffset + drift) {
      reset(now); // the clock was set forward
      return false;
    }
    minOffset = Math.max(minOffset - drift, lower);
    maxOffset = Math.min(maxOffset + drift, upper);
    return false;
  }

  private void reset(ServerTime now) {
    minOffset = lower(now);
    maxOffset = upper(now);
  }

  private static long lower(ServerTime now) {
    return TimeUnit.SECONDS.toNanos(now.second()) - now.heardNanos();
  }

  private static long upper(ServerTime now) {
    return TimeUnit.SECONDS.toNanos(now.second() + 1) - now.sentNanos();
  }
}
