// SPDX-License-Identifier: Apache-2.0
package io.stoa.client.access;

/** Result of a condition. A rule that denies applies from MAYBE on, one that allows only at YES. */
enum RuleMatch {
  NO,
  /** Stoa cannot tell, for example because a name is not a DN. */
  MAYBE,
  YES;

  static RuleMatch of(boolean matches) {
    return matches ? YES : NO;
  }

  /** Returns the weaker of two results: both conditions must match. */
  RuleMatch and(RuleMatch other) {
    return compareTo(other) <= 0 ? this : other;
  }

  /** Returns the stronger of two results: one condition must match. */
  RuleMatch or(RuleMatch other) {
    return compareTo(other) >= 0 ? this : other;
  }
}
