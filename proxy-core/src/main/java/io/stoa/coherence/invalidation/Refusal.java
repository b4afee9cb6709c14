// SPDX-License-Identifier: Apache-2.0
package io.stoa.coherence.invalidation;

/** Reason why the feed cannot hold an answer. */
public enum Refusal {
  /**
   * No feed reports the changes of such a request: it follows aliases, is a compare, or the like.
   */
  NOT_REPORTED,
  /** The feed has not begun, or has begun anew since the search was sent. */
  NO_FEED,
  /** The answer does not show the state of an entry. */
  NO_STATE,
  /** The server may lack changes that the ring has forgotten. */
  OUT_OF_RANGE,
  /** The answer is older than an applied change. */
  STALE,
  /** The answer cannot be compared with an applied change. */
  NOT_COMPARABLE,
  /** An entry of the answer has changed while it was compared. */
  CHANGED
}
