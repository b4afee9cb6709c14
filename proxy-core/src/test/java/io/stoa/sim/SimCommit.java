// SPDX-License-Identifier: Apache-2.0
package io.stoa.sim;

import com.unboundid.ldap.sdk.Entry;
import org.jspecify.annotations.Nullable;

/**
 * A change as servers tell each other of it. Immutable.
 *
 * @param csn its number
 * @param state the state that it makes, or would have made
 * @param undone whether its transaction was aborted, after it was announced
 * @param before the entry as it was; null if there was none
 * @param after the entry as it is, perhaps at another place; null if it is gone
 */
record SimCommit(
    int csn,
    SimChange change,
    int state,
    boolean undone,
    @Nullable Entry before,
    @Nullable Entry after) {

  String uuid() {
    Entry known = after == null ? before : after;
    if (known == null) {
      throw new IllegalStateException("a change of nothing: " + change);
    }
    return known.getAttributeValue(SimTree.UUID);
  }
}
