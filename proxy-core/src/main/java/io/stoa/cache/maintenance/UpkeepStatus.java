// SPDX-License-Identifier: Apache-2.0
package io.stoa.cache.maintenance;

import java.util.List;

/**
 * What was done to look after the caches. Immutable.
 *
 * @param refills searches for what is used a lot, which no client had asked for
 * @param refillsDropped how often there were too many of them
 * @param refillsAlone how often nobody was connected as whom it could have been asked
 * @param verified results that were found to be what the directory answers
 * @param unverifiable results that could not be compared, since nobody is connected who may see
 *     them
 * @param undecided results that were compared in vain, since they changed meanwhile or there was no
 *     answer
 * @param incoherent results that were wrong for longer than they may be
 * @param staleness how many results were found to be behind the directory, by how long they were at
 *     most: see {@link #STALENESS}
 * @param verification the last comparison of everything
 */
public record UpkeepStatus(
    long refills,
    long refillsDropped,
    long refillsAlone,
    long verified,
    long unverifiable,
    long undecided,
    long incoherent,
    List<Long> staleness,
    Verification verification) {
  /** In milliseconds: for how long results were behind at most; the last has no bound. */
  public static final List<Long> STALENESS = List.of(0L, 20L, 50L, 100L, 250L, 500L, 1000L);

  /** Nothing was done. */
  public static final UpkeepStatus NONE =
      new UpkeepStatus(
          0, 0, 0, 0, 0, 0, 0, List.of(0L, 0L, 0L, 0L, 0L, 0L, 0L, 0L), Verification.NEVER);

  public UpkeepStatus {
    staleness = List.copyOf(staleness);
  }

  /** Where a comparison of everything stands. */
  public enum State {
    /** There was none. */
    NEVER,
    /** It is under way. */
    RUNNING,
    /** It has ended. */
    DONE
  }

  /**
   * A comparison of everything that rests on a feed. Immutable.
   *
   * @param number which it is, since the start
   * @param results how many there were when it began
   * @param verified those that are what the directory answers
   * @param differing those that are not, and were dropped
   * @param unverifiable those that could not be compared
   * @param alone of these, those for which nobody was connected as whom to ask
   */
  public record Verification(
      State state,
      long number,
      long results,
      long verified,
      long differing,
      long unverifiable,
      long alone) {
    /** There was none. */
    public static final Verification NEVER = new Verification(State.NEVER, 0, 0, 0, 0, 0, 0);
  }
}
