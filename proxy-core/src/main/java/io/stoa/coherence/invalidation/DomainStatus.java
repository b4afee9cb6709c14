// SPDX-License-Identifier: Apache-2.0
package io.stoa.coherence.invalidation;

import io.stoa.coherence.index.IndexStats;
import io.stoa.coherence.view.InvalidationCause;
import io.stoa.ldap.csn.Position;
import java.util.Map;

/**
 * Counters of a domain since it was made, and its present state.
 *
 * <p>Threading: immutable.
 *
 * @param covered the position up to which changes have been applied
 * @param changes number of changes applied
 * @param duplicates number of changes that had been applied before
 * @param gaps number of epochs that have ended, each with a flush
 * @param fills number of answers that have become views
 * @param refusals number of answers that have not, by cause
 * @param invalidations number of views invalidated by changes, by cause
 * @param ringSize number of changes kept
 * @param ringOctets estimated memory of these, in octets
 * @param ringNanos age of the oldest of them, in nanoseconds
 * @param index the number of registered views, by kind of index key
 * @param unverified number of views that were not proved visible to the feed
 * @param missedChanges number of changes that the server had counted and the feed has left out
 * @param updates number of in-place updates of results
 * @param abortedChanges number of reported changes that never took effect
 * @param entriesRead number of entries read to prove that the feed sees them as they are shown
 * @param evaluations number of evaluations of a query for a changed entry
 * @param unknown number of evaluations without a definite result
 * @param mismatches number of views that differed from the directory when they were compared
 */
public record DomainStatus(
    DomainState state,
    Position covered,
    long changes,
    long duplicates,
    long gaps,
    long fills,
    Map<Refusal, Long> refusals,
    Map<InvalidationCause, Long> invalidations,
    int ringSize,
    long ringOctets,
    long ringNanos,
    IndexStats index,
    long unverified,
    long missedChanges,
    long updates,
    long abortedChanges,
    long entriesRead,
    long evaluations,
    long unknown,
    long mismatches) {
  /** Returns the number of registered views. */
  public int views() {
    return (int) index.views();
  }
}
