// SPDX-License-Identifier: Apache-2.0
package io.stoa.coherence.invalidation;

/**
 * State of a domain's feed.
 *
 * <p>Threading: immutable.
 */
public enum DomainState {
  /** The feed has not begun: it holds no result. */
  COLD,
  /** The feed reports changes as they happen. */
  LIVE,
  /** The feed is interrupted. Results are kept, and are used again when it resumes. */
  SUSPENDED,
  /** Changes may have been missed: all results are invalid, and the feed begins anew. */
  GAP;

  /** True if the next state may follow this one. */
  boolean mayBecome(DomainState next) {
    return switch (this) {
      case COLD -> next == LIVE;
      case LIVE -> next == SUSPENDED || next == GAP;
      case SUSPENDED -> next == LIVE || next == GAP;
      case GAP -> next == COLD;
    };
  }
}
