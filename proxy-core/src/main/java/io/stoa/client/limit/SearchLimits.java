// SPDX-License-Identifier: Apache-2.0
package io.stoa.client.limit;

import java.time.Duration;
import java.util.List;

/**
 * Limits of a client's searches.
 *
 * <p>Threading: immutable.
 *
 * @param sizeLimit maximum number of entries of a result, over all its pages; 0 means the
 *     directory's limit
 * @param timeLimit maximum time of a search; zero means the directory's limit
 * @param pagedResults true if paged results are allowed
 * @param pagedSearches maximum number of unfinished paged searches of all clients; 0 means no limit
 * @param pageSize maximum number of entries of a page; 0 means no limit
 * @param sorting true if sorting is allowed
 * @param sortKeys maximum number of sort keys; 0 means no limit
 * @param exempt DNs of clients without limits
 */
public record SearchLimits(
    int sizeLimit,
    Duration timeLimit,
    boolean pagedResults,
    int pagedSearches,
    int pageSize,
    boolean sorting,
    int sortKeys,
    List<String> exempt) {
  /** No limits except those of the directory. */
  public static final SearchLimits OFF =
      new SearchLimits(0, Duration.ZERO, true, 0, 0, true, 0, List.of());

  public SearchLimits {
    exempt = List.copyOf(exempt);
    notNegative("sizeLimit", sizeLimit);
    notNegative("pagedSearches", pagedSearches);
    notNegative("pageSize", pageSize);
    notNegative("sortKeys", sortKeys);
    if (timeLimit.isNegative()) {
      throw new IllegalArgumentException("timeLimit must not be negative; 0 disables it");
    }
  }

  private static void notNegative(String name, int value) {
    if (value < 0) {
      throw new IllegalArgumentException(name + " " + value + " is below 0");
    }
  }

  /** True if no limit is set. */
  boolean isOff() {
    return sizeLimit == 0
        && timeLimit.isZero()
        && pagedResults
        && pagedSearches == 0
        && pageSize == 0
        && sorting
        && sortKeys == 0;
  }

  /** True if the pages of a search must be counted together. */
  boolean followPages() {
    return sizeLimit > 0 || pagedSearches > 0;
  }
}
