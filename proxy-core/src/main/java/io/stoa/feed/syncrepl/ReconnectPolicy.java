// SPDX-License-Identifier: Apache-2.0
package io.stoa.feed.syncrepl;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Decides how a feed continues when a session has ended: resume or begin anew, and with what
 * timeout for the refresh.
 *
 * <p>Threading: thread of the feed.
 */
final class ReconnectPolicy {
  /** Number of refresh timeouts after which the feed gives up resuming and begins anew: 2. */
  private static final int TIMEOUTS_BEFORE_RESTART = 2;

  /** Maximum refresh timeout, as a multiple of the initial one: 16. */
  private static final int MAX_PATIENCE_FACTOR = 16;

  private final long maxPatienceNanos;
  private long patience;
  private @Nullable Cookie resume;
  private int refusals;
  private int timeouts;

  /**
   * Creates a policy that begins anew.
   *
   * @param patience the initial refresh timeout
   */
  ReconnectPolicy(Duration patience) {
    this.patience = patience.toNanos();
    this.maxPatienceNanos = MAX_PATIENCE_FACTOR * this.patience;
  }

  /** Returns the cookie to resume at; null to begin anew. */
  @Nullable Cookie resume() {
    return resume;
  }

  /** True if all other servers lack changes of the feed, so that none is left to try. */
  boolean isLast(int candidates) {
    return refusals >= candidates - 1;
  }

  /** Discards the cookie: everything reported before is void. */
  void discardCookie() {
    resume = null;
  }

  /** True if the refresh has timed out. */
  boolean isTimedOut(long silentNanos) {
    return silentNanos > patience;
  }

  /**
   * Counts a refresh timeout. When the feed gives up resuming, the timeout doubles: a server that
   * scans every entry for changes would time out again.
   *
   * @return true if the feed must begin anew
   */
  boolean countTimeout() {
    timeouts++;
    if (timeouts < TIMEOUTS_BEFORE_RESTART) {
      return false;
    }
    timeouts = 0;
    patience = Math.min(maxPatienceNanos, 2 * patience);
    return true;
  }

  /** Called when the feed is live. */
  void onLive() {
    refusals = 0;
    timeouts = 0;
  }

  /** Called when a session has ended. */
  void onSessionEnded(SyncReplSession session) {
    resume = session.state() == SyncReplSession.Progress.BROKEN ? null : session.cookie();
    refusals += session.isRefused() ? 1 : 0;
  }
}
