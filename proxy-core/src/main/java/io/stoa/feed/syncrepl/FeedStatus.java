// SPDX-License-Identifier: Apache-2.0
package io.stoa.feed.syncrepl;

import io.stoa.ldap.csn.Position;

/**
 * A feed as it is now. Immutable.
 *
 * @param context the naming context that it covers
 * @param phase where it stands
 * @param server where it comes from; empty if nowhere
 * @param position how far it has come
 * @param why the reason of what it is, if it is not live
 * @param changes how many it has told of
 * @param gaps how often it could not say what had changed
 * @param connects how often a connection was tried
 */
public record FeedStatus(
    String context,
    Phase phase,
    String server,
    Position position,
    String why,
    long changes,
    long gaps,
    long connects) {
  /** Where a feed stands. */
  public enum Phase {
    /** Nobody wants it. */
    STOPPED,
    /** A connection is being made, or will be. */
    CONNECTING,
    /** The server tells what happened meanwhile. */
    REFRESHING,
    /** The server tells what happens. */
    LIVE
  }
}
