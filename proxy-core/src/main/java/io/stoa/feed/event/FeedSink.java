// SPDX-License-Identifier: Apache-2.0
package io.stoa.feed.event;

import io.stoa.ldap.csn.Position;

/**
 * Receives the events of a feed, in the order of the feed.
 *
 * <p>A call to {@link #onChange} or {@link #onCovered} may block until earlier events have been
 * applied (back-pressure).
 *
 * <p>Threading: called on one thread of the feed.
 */
public interface FeedSink {
  /** Called for each change. The cookie of the change is covered when this method returns. */
  void onChange(Change change);

  /** Called when all changes up to {@code position} have been delivered. */
  void onCovered(Position position);

  /** Called when changes may have been missed: everything known from the feed is void. */
  void onGap(FeedGap why);

  /**
   * Called when all changes up to {@code position} have been delivered; from now on changes arrive
   * as they happen. After a {@link #onLost} without a {@link #onGap}, no change was missed in
   * between.
   */
  void onLive(Position position);

  /**
   * Called when the feed is disconnected. {@link #onLive} follows when it resumes, or {@link
   * #onGap} and then {@link #onLive}.
   */
  void onLost(String why);
}
