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
 * @param updatesInPlace how often what is in memory was changed in place
 */
record Outcome(Recording recording, List<Violation> violations, long hits, long updatesInPlace) {
  /** The same with what has become of what rests on the feed. */
  Outcome and(SimDomain realm) {
    List<Violation> all = Stream.concat(violations.stream(), realm.leaks().stream()).toList();
    return new Outcome(recording, all, hits, realm.updates());
  }

  /** How many are told of as being in memory; of the others it was not asked. */
  long claimedHits() {
    return claims().filter(claim -> !claim.equals(Claim.NONE)).count();
  }

  /** How many of these rest on a feed. */
  long leasedHits() {
    return claims().filter(Claim::leased).count();
  }

  private Stream<Claim> claims() {
    return recording.reads().stream().map(Read::claim).filter(Objects::nonNull);
  }
}
