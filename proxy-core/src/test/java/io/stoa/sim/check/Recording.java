// SPDX-License-Identifier: Apache-2.0
package io.stoa.sim.check;

import java.util.Comparator;
import java.util.List;

/**
 * What the clients of one history have asked and were told. Immutable.
 *
 * @param reads in the order in which they were asked
 * @param writes what has become of all writes
 */
public record Recording(List<Read> reads, List<Write> writes) {
  public Recording {
    reads =
        reads.stream()
            .sorted(Comparator.comparingLong(Read::invoked).thenComparingInt(Read::number))
            .toList();
    writes = List.copyOf(writes);
  }
}
