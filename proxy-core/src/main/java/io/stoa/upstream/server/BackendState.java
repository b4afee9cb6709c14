// SPDX-License-Identifier: Apache-2.0
package io.stoa.upstream.server;

import java.util.EnumSet;
import java.util.Set;

/** Whether a directory server may be sent operations. Moved only by {@link Health}. */
public enum BackendState {
  /** Not reachable; the next attempt waits for its backoff. */
  DOWN(0),
  /** An attempt to reach it is under way. */
  PROBING(1),
  /** Takes operations. */
  UP(2),
  /** Does not answer at present, or differs from others: asked only while no other server is up. */
  SUSPECT(3),
  /** Taken out of use by the administrator: what is under way ends, nothing new comes. */
  DRAINED(4);

  private final int code;

  BackendState(int code) {
    this.code = code;
  }

  /** The number by which metrics know it. */
  public int code() {
    return code;
  }

  /** The states that may follow this one, whatever is found of the server. */
  Set<BackendState> next() {
    return switch (this) {
      case DOWN -> EnumSet.of(PROBING, DRAINED);
      case PROBING -> EnumSet.of(UP, DOWN, DRAINED);
      case UP -> EnumSet.of(SUSPECT, DOWN, DRAINED);
      case SUSPECT -> EnumSet.of(UP, DOWN, DRAINED);
      case DRAINED -> EnumSet.noneOf(BackendState.class); // until the administrator resumes it
    };
  }
}
