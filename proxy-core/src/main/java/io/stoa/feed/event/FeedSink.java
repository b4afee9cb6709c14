// SPDX-License-Identifier: Apache-2.0
package io.stoa.feed.event;

import io.stoa.ldap.csn.Position;

/**
 * Receives the events of a feed, in the order of the feed.
 *
 * <p>A call to {@link #change} or {@link #covered} may block until earlier events have been applied
 * (back-pressure).
 *
 * <p>Threading: called on one thread of the feed.
 */
public interface FeedSink {
  /** Called for each change. The cookie of the change is covered when this method returns. */
  void change(Change change);

  /** Called when all changes up to {@code position} have been delivered. */
  void covered(Position position);

  /** Called when changes may have been missed: everything known from the feed is void. */
  void gap(FeedGap why);

  /**
   * Called when all changes up to {@code position} have been delivered; from now on changes arrive
   * as they happen. After a {@link #lost} without a {@link #gap}, no change was missed in between.
   */
  void live(Position position);

  /**
   * Called when the feed is disconnected. {@link #live} follows when it resumes, or {@link #gap}
   * and then {@link #live}.
   */
  void lost(String why);
}
