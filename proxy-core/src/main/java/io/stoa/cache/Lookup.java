// SPDX-License-Identifier: Apache-2.0
package io.stoa.cache;

import io.stoa.ldap.Octets;
import io.stoa.match.AttributeSelection;

/**
 * What is looked for on behalf of one request, and by which rules. Immutable.
 *
 * @param generation by whose rules it was planned
 * @param plan the request
 * @param partition what the identity may see
 * @param key what its result is stored under
 * @param epoch the epoch, read before anything was looked up or sent
 * @param oldestNanos results that were asked for before are too old
 * @param now when the request was received
 */
record Lookup(
    Generation generation,
    Plan plan,
    Octets partition,
    QueryKey key,
    long epoch,
    long oldestNanos,
    long now) {

  /** The same with answers that are older. */
  Lookup forgiving(long nanos) {
    return new Lookup(generation, plan, partition, key, epoch, oldestNanos - nanos, now);
  }

  /** The attribute list; of searches only. */
  AttributeSelection selection() {
    AttributeSelection selection = plan.selection();
    if (selection == null) {
      throw new IllegalStateException("a compare has no attribute list");
    }
    return selection;
  }

  boolean isSearch() {
    return plan.selection() != null;
  }
}
