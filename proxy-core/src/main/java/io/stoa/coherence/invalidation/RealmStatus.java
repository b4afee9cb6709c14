// SPDX-License-Identifier: Apache-2.0
package io.stoa.coherence.invalidation;

import io.stoa.coherence.index.IndexStats;
import io.stoa.coherence.view.InvalidationCause;
import io.stoa.ldap.csn.Position;
import java.util.Map;

/**
 * What a realm has done since it was made, and where it stands. Immutable.
 *
 * @param covered up to where changes have been applied
 * @param floor what a server must have if its answers are to be compared with changes
 * @param changes how many have been applied
 * @param duplicates how many had been applied before
 * @param gaps how often everything became void
 * @param fills answers that have become views
 * @param refusals answers that have not, by cause
 * @param kills views that have died of changes, by cause
 * @param ringSize changes that are kept
 * @param ringOctets memory that these take, estimated
 * @param ringNanos how long ago the oldest of them was told
 * @param index the views that are registered, and where they are filed
 * @param unproved views of which it could not be proved that the feed sees what they show
 * @param misses how often the feed has left out a change that the server had counted
 * @param amendments how often an answer was changed in place
 * @param phantoms changes that were told and never took effect
 * @param confirms entries of which it was asked whether the feed sees them as they are shown
 * @param evaluations how often it was looked whether an entry that changed matches an answer
 * @param unknown how often that could not be told
 * @param incoherent views that were compared with the directory, and wrong
 */
public record RealmStatus(
    RealmState state,
    Position covered,
    Position floor,
    long changes,
    long duplicates,
    long gaps,
    long fills,
    Map<Refusal, Long> refusals,
    Map<InvalidationCause, Long> kills,
    int ringSize,
    long ringOctets,
    long ringNanos,
    IndexStats index,
    long unproved,
    long misses,
    long amendments,
    long phantoms,
    long confirms,
    long evaluations,
    long unknown,
    long incoherent) {
  /** Views that are registered. */
  public int views() {
    return (int) index.views();
  }
}
