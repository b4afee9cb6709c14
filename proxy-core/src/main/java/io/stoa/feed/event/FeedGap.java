// SPDX-License-Identifier: Apache-2.0
package io.stoa.feed.event;

/** Reason why a feed may have missed changes since its last event. */
public enum FeedGap {
  /** The server requires a full refresh. */
  REFRESH_REQUIRED,
  /** The history of the server is not that of the feed, as after a restore. */
  NEW_HISTORY,
  /** The server reports too many present entries in place of the changes. */
  TOO_MANY_PRESENT,
  /** The change history that the server keeps does not reach back far enough. */
  HISTORY_LOST,
  /** The server did not report the missed changes in time. */
  TIMEOUT,
  /**
   * The database may have been imported or restored as a whole, which no server reports by entry.
   */
  DATABASE_REPLACED,
  /** A server that may answer was restarted: its database may have been edited offline. */
  RESTARTED,
  /**
   * The clock of a server was set back: changes with the CSNs it then assigns may not be reported.
   */
  CLOCK_SET_BACK
}
