// SPDX-License-Identifier: Apache-2.0
package io.stoa.feed.syncrepl;

import io.stoa.feed.connection.FeedServer;
import io.stoa.net.transport.Backoff;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * How a feed goes on when what was begun has ended: from where it was or anew, at which server,
 * after what pause, and how long that may say nothing of what happened meanwhile. Confined to the
 * thread of the feed.
 */
final class ReconnectPolicy {
  /** If servers were silent so often, none is asked any more what has happened since. */
  private static final int SILENCES = 2;

  /** So many times as long as at first a server may be silent at most. */
  private static final int LONGEST = 16;

  private static final long LONGEST_PAUSE_MILLIS = 5_000;

  private final Backoff pause = new Backoff(LONGEST_PAUSE_MILLIS);
  private final long most;
  private long patience;
  private @Nullable Cookie resume;
  private int next;
  private int refusals;
  private int silences;

  /**
   * Begins anew at the first server.
   *
   * @param patience how long a server may say nothing at first
   */
  ReconnectPolicy(Duration patience) {
    this.patience = patience.toNanos();
    this.most = LONGEST * this.patience;
  }

  /** From where it goes on; null if it begins anew. */
  @Nullable Cookie resume() {
    return resume;
  }

  /** The server to try now. */
  FeedServer server(List<FeedServer> all) {
    return all.get(next % all.size());
  }

  /** Whether no other server is left to ask, should this one know less than the feed. */
  boolean isLast(List<FeedServer> all) {
    return refusals >= all.size() - 1;
  }

  /** How long to wait before that. */
  long pauseMillis() {
    return pause.next();
  }

  /** What was told before does not count any more. */
  void anew() {
    resume = null;
  }

  /** Nothing could be begun at that server. */
  void notBegun() {
    next++;
  }

  /** Whether a server that has said nothing for so long is waited for no more. */
  boolean isTooLong(long silentNanos) {
    return silentNanos > patience;
  }

  /**
   * A server is waited for no more. Whoever looks at each entry for what has changed would say
   * nothing the next time either: it is waited for longer then.
   *
   * @return whether it has happened too often, so that the feed is to begin anew
   */
  boolean givesUp() {
    silences++;
    if (silences < SILENCES) {
      return false;
    }
    silences = 0;
    patience = Math.min(most, 2 * patience);
    return true;
  }

  /** The feed is live. */
  void live() {
    refusals = 0;
    silences = 0;
  }

  /**
   * What was begun has ended.
   *
   * @param live whether it was
   * @param steady whether it was for long
   */
  void over(SyncReplSession session, boolean live, boolean steady) {
    resume = session.state() == SyncReplSession.State.BROKEN ? null : session.cookie();
    refusals += session.refused() ? 1 : 0;
    if (steady) {
      pause.reset();
    }
    next += live ? 0 : 1;
  }
}
