// SPDX-License-Identifier: Apache-2.0
package io.stoa.sim;

import io.stoa.cache.CacheStage;
import io.stoa.cache.Explanation;
import io.stoa.ldap.LdapProtocolException;
import io.stoa.operation.Operation;
import io.stoa.sim.check.Claim;

/** The chain of one loop. Event-loop confined. */
record SimChain(CacheStage first) {
  /** What Stoa tells of an answer that it has in memory. */
  Claim claim(Operation operation) {
    try {
      Explanation explanation = first.explain(operation);
      if (explanation.answer() != Explanation.Answer.HIT) {
        return Claim.NONE;
      }
      long age = explanation.ageMillis().orElse(0) * Faults.MILLIS;
      return new Claim(operation.receivedNanos() - age, false);
    } catch (LdapProtocolException e) {
      throw new AssertionError("what the simulator asks is refused", e);
    }
  }
}
