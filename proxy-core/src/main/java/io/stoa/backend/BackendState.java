// SPDX-License-Identifier: Apache-2.0
package io.stoa.backend;

import java.util.EnumSet;
import java.util.Set;

/** Whether a directory server may be sent operations. Moved only by {@link Backend}. */
public enum BackendState {
  /** Not reachable; the next attempt waits for its backoff. */
  DOWN,
  /** An attempt to reach it is under way. */
  PROBING,
  /** Takes operations. */
  UP;

  /** The states that may follow this one. */
  Set<BackendState> next() {
    return switch (this) {
      case DOWN -> EnumSet.of(PROBING);
      case PROBING -> EnumSet.of(UP, DOWN);
      case UP -> EnumSet.of(DOWN);
    };
  }
}
