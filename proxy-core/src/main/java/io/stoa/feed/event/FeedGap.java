// SPDX-License-Identifier: Apache-2.0
package io.stoa.feed.event;

/** Why a feed cannot say what has changed since it was heard last. */
public enum FeedGap {
  /** The server wants everything to be read anew. */
  REFRESH_REQUIRED,
  /** The server's history is another one than that of the feed, as after a restore. */
  NEW_HISTORY,
  /** The server tells more of what is there than of what has changed. */
  TOO_MUCH_PRESENT,
  /** What the server keeps of its changes does not reach back far enough. */
  HISTORY_LOST,
  /** The server was asked what has changed, and did not say so in time. */
  SILENCE,
  /** What is there may have been put there as a whole: no server tells of that entry by entry. */
  FILLED_ANEW,
  /** A server that may answer was restarted: its database may have been edited meanwhile. */
  RESTARTED,
  /** The clock of a server was set back: changes that it counts then may not be told. */
  CLOCK_SET_BACK
}
