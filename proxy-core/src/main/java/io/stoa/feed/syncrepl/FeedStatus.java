// SPDX-License-Identifier: Apache-2.0
package io.stoa.feed.syncrepl;

import io.stoa.ldap.csn.Position;

/**
 * The status of a feed.
 *
 * <p>Threading: immutable.
 *
 * @param context the naming context of the feed
 * @param phase the phase of the feed
 * @param server the server that the feed is connected to; empty if none
 * @param position how far the feed has come
 * @param why the reason of the phase, if the feed is not live
 * @param changes the number of changes reported
 * @param gaps the number of gaps reported
 * @param connects the number of connection attempts
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
  /** Phase of a feed. */
  public enum Phase {
    /** The feed has not been started, or was closed. */
    STOPPED,
    /** A connection is being made, or will be. */
    CONNECTING,
    /** The server reports the changes since the last cookie. */
    REFRESHING,
    /** The server reports changes as they happen. */
    LIVE
  }
}
