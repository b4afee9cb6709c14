// SPDX-License-Identifier: Apache-2.0
package io.stoa.proxy.feeds;

import io.stoa.feed.event.FeedAbsence;
import io.stoa.ldap.schema.ServerProfile;
import java.time.Duration;
import java.util.List;

/**
 * Lists the naming contexts of a directory without a feed. Their cached results expire by age.
 *
 * <p>Threading: immutable.
 *
 * @param place the directory
 * @param maxAge the maximum age of cached results
 */
record AgeOnlyTracking(Feeds.DirectoryDescriptor place, Duration maxAge) {
  /** Returns an absence for each naming context, or for the directory if none is known. */
  List<FeedAbsence> all(ServerProfile known, String why) {
    List<String> contexts = place.contexts(known);
    return contexts.isEmpty() ? List.of(absence(place.title(), why)) : of(contexts, why);
  }

  /** Returns an absence for each of the given naming contexts. */
  List<FeedAbsence> of(List<String> contexts, String why) {
    return contexts.stream().map(context -> absence(place.displayName(context), why)).toList();
  }

  private FeedAbsence absence(String name, String why) {
    return new FeedAbsence(name, why, maxAge);
  }
}
