// SPDX-License-Identifier: Apache-2.0
package io.stoa.sim;

import io.stoa.sim.check.Claim;
import io.stoa.sim.check.Read;
import io.stoa.sim.check.Recording;
import io.stoa.sim.check.Violation;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;

/**
 * What came of one history. Immutable.
 *
 * @param hits how many of its reads were answered from memory
 */
record Outcome(Recording recording, List<Violation> violations, long hits) {
  /** The same with more that is wrong. */
  Outcome and(List<Violation> more) {
    return new Outcome(recording, Stream.concat(violations.stream(), more.stream()).toList(), hits);
  }

  /** How many are told of as being in memory; of the others it was not asked. */
  long told() {
    return claims().filter(claim -> !claim.equals(Claim.NONE)).count();
  }

  /** How many of these rest on a feed. */
  long leased() {
    return claims().filter(Claim::leased).count();
  }

  private Stream<Claim> claims() {
    return recording.reads().stream().map(Read::claim).filter(Objects::nonNull);
  }
}
