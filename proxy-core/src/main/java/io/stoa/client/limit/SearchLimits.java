// SPDX-License-Identifier: Apache-2.0
package io.stoa.client.limit;

import java.time.Duration;
import java.util.List;

/**
 * What a search of a client may take. Immutable.
 *
 * @param sizeLimit most entries of a result, all its pages together; 0: what the directory allows
 * @param timeLimit how long a search may take; zero: as long as the directory allows
 * @param pagedResults whether results are given in pages
 * @param pagedSearches searches of all clients together whose pages are not at their end; 0: any
 * @param pageSize most entries of a page; 0: as many as the client wants
 * @param sorting whether results are given in an order
 * @param sortKeys most keys of an order; 0: any
 * @param exempt the names of those for whom there is no limit
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
  /** The directory alone limits what its clients may take. */
  public static final SearchLimits OFF =
      new SearchLimits(0, Duration.ZERO, true, 0, 0, true, 0, List.of());

  public SearchLimits {
    exempt = List.copyOf(exempt);
    notNegative("sizeLimit", sizeLimit);
    notNegative("pagedSearches", pagedSearches);
    notNegative("pageSize", pageSize);
    notNegative("sortKeys", sortKeys);
    if (timeLimit.isNegative()) {
      throw new IllegalArgumentException("timeLimit is negative; 0 switches it off");
    }
  }

  private static void notNegative(String name, int value) {
    if (value < 0) {
      throw new IllegalArgumentException(name + " " + value + " is below 0");
    }
  }

  /** Whether there is none. */
  boolean off() {
    return sizeLimit == 0
        && timeLimit.isZero()
        && pagedResults
        && pagedSearches == 0
        && pageSize == 0
        && sorting
        && sortKeys == 0;
  }

  /** Whether it matters which pages belong together. */
  boolean followPages() {
    return sizeLimit > 0 || pagedSearches > 0;
  }
}
