// SPDX-License-Identifier: Apache-2.0
package io.stoa.client.limit;

import static io.stoa.net.transport.InvalidConfigException.requireAtLeast;
import static io.stoa.net.transport.InvalidConfigException.requireNotNegative;

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
    requireAtLeast("sizeLimit", sizeLimit, 0);
    requireAtLeast("pagedSearches", pagedSearches, 0);
    requireAtLeast("pageSize", pageSize, 0);
    requireAtLeast("sortKeys", sortKeys, 0);
    requireNotNegative("timeLimit", timeLimit);
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
  boolean followsPages() {
    return sizeLimit > 0 || pagedSearches > 0;
  }
}
