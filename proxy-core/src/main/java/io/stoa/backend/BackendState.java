// SPDX-License-Identifier: Apache-2.0
package io.stoa.backend;

import java.util.EnumSet;
import java.util.Set;

/** Whether a directory server may be sent operations. Moved only by {@link Health}. */
public enum BackendState {
  /** Not reachable; the next attempt waits for its backoff. */
  DOWN,
  /** An attempt to reach it is under way. */
  PROBING,
  /** Takes operations. */
  UP,
  /** Does not answer at present, or differs from others: asked only while no other server is up. */
  SUSPECT,
  /** Taken out of use by the administrator: what is under way ends, nothing new comes. */
  DRAINED;

  /** The states that may follow this one. */
  Set<BackendState> next() {
    return switch (this) {
      case DOWN -> EnumSet.of(PROBING, DRAINED);
      case PROBING -> EnumSet.of(UP, DOWN, DRAINED);
      case UP -> EnumSet.of(SUSPECT, DOWN, DRAINED);
      case SUSPECT -> EnumSet.of(UP, DOWN, DRAINED);
      case DRAINED -> EnumSet.of(DOWN);
    };
  }
}
