// SPDX-License-Identifier: Apache-2.0
package io.stoa.coherence.invalidation;

/** Why an answer may not rest on the feed. */
public enum Refusal {
  /** No feed tells of what is asked for: aliases are followed, or it is a compare, or the like. */
  UNTOLD,
  /** The feed has not begun, or has begun anew since the search was sent. */
  NO_FEED,
  /** The answer does not show which state of its entries it is. */
  UNREADABLE,
  /** Its server may lack changes that are no longer known. */
  TOO_FAR_BEHIND,
  /** It is older than a change that has been applied. */
  STALE,
  /** Whether it is older than a change that has been applied cannot be told. */
  UNSURE,
  /** Something in it has changed while it was compared. */
  CHANGED
}
