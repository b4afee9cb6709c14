// SPDX-License-Identifier: Apache-2.0
package io.stoa.coherence.invalidation;

/** How a realm stands with its feed. Immutable. */
public enum RealmState {
  /** The feed has not begun: nothing rests on it. */
  COLD,
  /** The feed tells of changes as they happen. */
  LIVE,
  /** The feed is cut off. What rests on it is kept, and used again when it goes on. */
  SUSPENDED,
  /** What has changed is not known: all is void, and the feed begins anew. */
  FLUSHED;

  /** Whether the one may follow the other. */
  boolean mayBecome(RealmState next) {
    return switch (this) {
      case COLD -> next == LIVE;
      case LIVE -> next == SUSPENDED || next == FLUSHED;
      case SUSPENDED -> next == LIVE || next == FLUSHED;
      case FLUSHED -> next == COLD;
    };
  }
}
