// SPDX-License-Identifier: Apache-2.0
package io.stoa.cache.maintenance;

import java.util.List;

/**
 * Counters of the maintenance of the caches, since the start.
 *
 * <p>Threading: immutable.
 *
 * @param refills refresh-ahead searches
 * @param refillsDropped refreshes not sent because of the rate limit
 * @param refillsWithoutClient refreshes for which no client of the identity was connected
 * @param verified audited results that equal the directory's answer
 * @param unverifiable results not audited because no client that may see them was connected
 * @param undecided audits without a verdict, because of changes meanwhile or a missing answer
 * @param incoherent results that were wrong for longer than the staleness bound
 * @param staleness number of audited results by the time that they were behind: see {@link
 *     #STALENESS}
 * @param fullAudit the latest comparison of all results
 */
public record MaintenanceStatus(
    long refills,
    long refillsDropped,
    long refillsWithoutClient,
    long verified,
    long unverifiable,
    long undecided,
    long incoherent,
    List<Long> staleness,
    FullAuditStatus fullAudit) {
  /** Upper bounds in ms of the time behind, one for each bucket. A last bucket has no bound. */
  public static final List<Long> STALENESS = List.of(0L, 20L, 50L, 100L, 250L, 500L, 1000L);

  /** Status before any maintenance. */
  public static final MaintenanceStatus NONE =
      new MaintenanceStatus(
          0, 0, 0, 0, 0, 0, 0, List.of(0L, 0L, 0L, 0L, 0L, 0L, 0L, 0L), FullAuditStatus.NEVER);

  public MaintenanceStatus {
    staleness = List.copyOf(staleness);
  }

  /** State of a comparison of all results. */
  public enum FullAuditState {
    /** There was none yet. */
    NEVER,
    /** The comparison is running. */
    RUNNING,
    /** The comparison has ended. */
    DONE
  }

  /**
   * A comparison of all results that a feed holds.
   *
   * <p>Threading: immutable.
   *
   * @param number sequence number since the start
   * @param results results whose comparison has begun
   * @param verified results that equal the directory's answer
   * @param differing results that differed and were dropped
   * @param unverifiable results that could not be compared
   * @param withoutClient the part of {@code unverifiable} for which no client was connected
   */
  public record FullAuditStatus(
      FullAuditState state,
      long number,
      long results,
      long verified,
      long differing,
      long unverifiable,
      long withoutClient) {
    /** There was none yet. */
    public static final FullAuditStatus NEVER =
        new FullAuditStatus(FullAuditState.NEVER, 0, 0, 0, 0, 0, 0);
  }
}
