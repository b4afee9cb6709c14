// SPDX-License-Identifier: Apache-2.0
package io.stoa.proxy.feeds;

import io.stoa.feed.event.FeedAbsence;
import java.time.Duration;
import java.util.List;

/**
 * Says of a directory what rests on its age alone. Immutable.
 *
 * @param place the directory
 * @param maxAge how old answers may be
 */
record AgeOnlyTracking(Feeds.Place place, Duration maxAge) {
  /** All of it. */
  List<FeedAbsence> all(DirectorySchema known, String why) {
    List<String> contexts = place.contexts(known);
    return contexts.isEmpty() ? List.of(absence(place.title(), why)) : these(contexts, why);
  }

  /** Some of its naming contexts. */
  List<FeedAbsence> these(List<String> contexts, String why) {
    return contexts.stream().map(context -> absence(place.called(context), why)).toList();
  }

  private FeedAbsence absence(String name, String why) {
    return new FeedAbsence(name, why, maxAge);
  }
}
