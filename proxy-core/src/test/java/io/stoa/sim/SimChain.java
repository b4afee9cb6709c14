// SPDX-License-Identifier: Apache-2.0
package io.stoa.sim;

import io.stoa.cache.result.CacheStage;
import io.stoa.cache.result.Explanation;
import io.stoa.operation.Operation;
import io.stoa.sim.check.Claim;
import org.jspecify.annotations.Nullable;

/**
 * The chain of one loop. Event-loop confined.
 *
 * @param domain what answers rest on; null if there is no feed
 */
record SimChain(CacheStage first, @Nullable SimDomain domain) {
  /** What Stoa tells of an answer that it has in memory. */
  Claim claim(Operation operation) {
    Explanation explanation = first.explain(operation);
    if (explanation.answer() != Explanation.Answer.HIT) {
      return Claim.NONE;
    }
    if (domain != null && explanation.isHeldByFeed()) {
      return new Claim(domain.asOf(), true);
    }
    long age = explanation.ageMillis().orElse(0) * Faults.MILLIS;
    return new Claim(operation.receivedNanos() - age, false);
  }
}
