// SPDX-License-Identifier: Apache-2.0
package io.stoa.feed.syncrepl;

import io.stoa.feed.connection.FeedServer;
import io.stoa.net.transport.Backoff;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Decides how a feed continues when a session has ended: resume or begin anew, at which server,
 * after what pause, and with what timeout for the refresh.
 *
 * <p>Threading: thread of the feed.
 */
final class ReconnectPolicy {
  /** Number of refresh timeouts after which the feed gives up resuming and begins anew: 2. */
  private static final int TIMEOUTS_BEFORE_RESTART = 2;

  /** Maximum refresh timeout, as a multiple of the initial one: 16. */
  private static final int MAX_PATIENCE_FACTOR = 16;

  private static final long LONGEST_PAUSE_MILLIS = 5_000;

  private final Backoff pause = new Backoff(LONGEST_PAUSE_MILLIS);
  private final long maxPatienceNanos;
  private long patience;
  private @Nullable Cookie resume;
  private int next;
  private int refusals;
  private int timeouts;

  /**
   * Creates a policy that begins anew at the first server.
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

  /** Returns the server to try now. */
  FeedServer server(List<FeedServer> all) {
    return all.get(next % all.size());
  }

  /** True if all other servers lack changes of the feed, so that none is left to try. */
  boolean isLast(List<FeedServer> all) {
    return refusals >= all.size() - 1;
  }

  /** Returns the pause before the next attempt, in ms. */
  long pauseMillis() {
    return pause.next();
  }

  /** Discards the cookie: everything reported before is void. */
  void discardCookie() {
    resume = null;
  }

  /** Called when no session could begin at the server. */
  void onConnectFailed() {
    next++;
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

  /**
   * Called when a session has ended.
   *
   * @param live true if the session was live
   * @param steady true if the session was live for long
   */
  void onSessionEnded(SyncReplSession session, boolean live, boolean steady) {
    resume = session.state() == SyncReplSession.Progress.BROKEN ? null : session.cookie();
    refusals += session.refused() ? 1 : 0;
    if (steady) {
      pause.reset();
    }
    next += live ? 0 : 1;
  }
}
