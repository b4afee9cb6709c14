// SPDX-License-Identifier: Apache-2.0
package io.stoa.feed.event;

import io.stoa.ldap.csn.Position;

/**
 * Hears what a feed says: called on one thread of the feed, in the order in which things are said.
 * A change, or a position, may be held up until what was told before has been applied.
 */
public interface FeedSink {
  /** Something has changed. What its cookie covers is covered when this has been heard. */
  void change(Change change);

  /** All changes up to there have been said. */
  void covered(Position position);

  /** What has changed since the last change is not known: all that was known is void. */
  void gap(FeedGap why);

  /**
   * From now on, changes are said as they happen, and all up to there have been. After a {@link
   * #lost} without a {@link #gap}, none has been left out in between.
   */
  void live(Position position);

  /** The feed is cut off; it may come back with {@link #live}, or with {@link #gap} and that. */
  void lost(String why);
}
