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
 * @param directory the directory
 * @param maxAge the maximum age of cached results
 */
record AgeOnlyTracking(Feeds.DirectoryDescriptor directory, Duration maxAge) {
  /** Returns an absence for each naming context, or for the directory if none is known. */
  List<FeedAbsence> all(ServerProfile profile, String reason) {
    List<String> contexts = directory.contexts(profile);
    return contexts.isEmpty() ? List.of(absence(directory.title(), reason)) : of(contexts, reason);
  }

  /** Returns an absence for each of the given naming contexts. */
  List<FeedAbsence> of(List<String> contexts, String reason) {
    return contexts.stream()
        .map(context -> absence(directory.displayName(context), reason))
        .toList();
  }

  private FeedAbsence absence(String name, String reason) {
    return new FeedAbsence(name, reason, maxAge);
  }
}
