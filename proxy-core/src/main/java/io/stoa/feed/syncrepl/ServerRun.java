// SPDX-License-Identifier: Apache-2.0
package io.stoa.feed.syncrepl;

import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Judges from readings of a server whether it is still the process that it was, and whether its
 * clock was set back. An open connection proves the process. On a new connection an equal start
 * time proves it, because a later process has a later start time unless the clock was set back.
 * Confined to the thread of its watch.
 */
final class ServerRun {
  /**
   * A start time is in whole seconds: two processes may show the same one. A process that has run
   * for longer than this, by its clock or by that of Stoa, is told apart from a later one.
   */
  private static final long LEAST_UPTIME_SECONDS = 3;

  /** Clocks may drift, or be slewed, by one part in so many. */
  private static final long DRIFT = 1_000;

  private @Nullable ServerTime last;
  private long mark = Long.MIN_VALUE;
  private boolean known;
  private boolean clockKnown;
  private boolean behind;

  /** When the present process was seen first, by the clock of this process. */
  private long seenNanos;

  /** Bounds of what the clock of the server is ahead of that of this process, in nanoseconds. */
  private long least;

  private long most;

  /**
   * Judges one reading.
   *
   * @param now what the server shows; null if it answers and shows no time
   * @param sameConnection whether the reading before came on the connection of this one
   */
  Continuity judge(@Nullable ServerTime now, boolean sameConnection) {
    ServerTime before = last;
    boolean first = !known;
    boolean same = sameConnection || isSameProcess(before, now);
    known = true;
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
    behind |= !same && clock == Continuity.CLOCK_SET_BACK; // the next verdict tells that
    return same ? clock : Continuity.RESTARTED;
  }

  /** Whether the clock is behind, or was, and that has not been told yet. */
  boolean isClockBehind() {
    return behind;
  }

  /** Whether the server showed its clock when it was read last. */
  boolean isClockKnown() {
    return clockKnown;
  }

  private boolean isSameProcess(@Nullable ServerTime before, @Nullable ServerTime now) {
    return before != null
        && now != null
        && before.started() == now.started()
        && uptimeSeconds(before) >= LEAST_UPTIME_SECONDS;
  }

  /** By the clock of the server, or by ours if that of the server was set back. */
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

  /** A second that is shown bounds the clock from both sides; more readings make that narrower. */
  private boolean isSetBack(ServerTime before, ServerTime now) {
    long drift = Math.max(0, now.heardNanos() - before.sentNanos()) / DRIFT;
    long lower = lower(now);
    long upper = upper(now);
    if (upper < least - drift) {
      reset(now);
      return true;
    }
    if (lower > most + drift) {
      reset(now); // a clock that was set forward
      return false;
    }
    least = Math.max(least - drift, lower);
    most = Math.min(most + drift, upper);
    return false;
  }

  private void reset(ServerTime now) {
    least = lower(now);
    most = upper(now);
  }

  private static long lower(ServerTime now) {
    return TimeUnit.SECONDS.toNanos(now.second()) - now.heardNanos();
  }

  private static long upper(ServerTime now) {
    return TimeUnit.SECONDS.toNanos(now.second() + 1) - now.sentNanos();
  }
}
