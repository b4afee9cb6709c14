// SPDX-License-Identifier: Apache-2.0
package io.stoa.proxy.advice;

import io.stoa.cache.ghost.CurveStatus;
import io.stoa.cache.ghost.LargeAnswers;
import io.stoa.cache.result.CacheConfig;
import io.stoa.cache.result.CacheStats;
import io.stoa.cache.sharing.EqualAnswers;
import io.stoa.feed.event.FeedAbsence;
import io.stoa.operation.FailedBindCounters;
import io.stoa.operation.digest.DigestStatus;
import io.stoa.operation.digest.ShortConnections;
import java.util.List;

/**
 * The statistics from which advice is derived.
 *
 * <p>Threading: immutable.
 *
 * @param config settings of the caches
 * @param cache state of the caches
 * @param maxHeap maximum size of the heap in octets
 * @param byResults hit ratios by the maximum number of results
 * @param byEntries hit ratios by the maximum number of entries
 * @param largeAnswers answers that were too large to be stored
 * @param comparisons comparisons of the answers to different identities
 * @param digests statistics of each pattern
 * @param withoutFeed naming contexts without a feed
 * @param failedBinds failed binds by network
 * @param connections client connections that have ended
 */
public record TrafficStatus(
    CacheConfig config,
    CacheStats cache,
    long maxHeap,
    CurveStatus byResults,
    CurveStatus byEntries,
    List<LargeAnswers.Sizes> largeAnswers,
    List<EqualAnswers.Comparisons> comparisons,
    List<DigestStatus> digests,
    List<FeedAbsence> withoutFeed,
    List<FailedBindCounters.OfNetwork> failedBinds,
    ShortConnections.Status connections) {
  public TrafficStatus {
    largeAnswers = List.copyOf(largeAnswers);
    comparisons = List.copyOf(comparisons);
    digests = List.copyOf(digests);
    withoutFeed = List.copyOf(withoutFeed);
    failedBinds = List.copyOf(failedBinds);
  }
}
