// SPDX-License-Identifier: Apache-2.0
package io.stoa.upstream.server;

import java.util.EnumSet;
import java.util.Set;

/** Availability of one directory server. Changed only by {@link Health}. */
public enum BackendState {
  /** Not reachable; the next attempt waits for its back-off. */
  DOWN(0),
  /** A connection attempt or health check is in progress. */
  PROBING(1),
  /** Takes operations. */
  UP(2),
  /** Silent at present, or ejected as an outlier. Used only while no other server is up. */
  SUSPECT(3),
  /** Drained by the administrator: operations in flight end, and no new ones are sent. */
  DRAINED(4);

  private final int code;

  BackendState(int code) {
    this.code = code;
  }

  /** Returns the number of the state in metrics. */
  public int code() {
    return code;
  }

  /** Returns the states that health checks may set from this one. */
  Set<BackendState> next() {
    return switch (this) {
      case DOWN -> EnumSet.of(PROBING, DRAINED);
      case PROBING -> EnumSet.of(UP, DOWN, DRAINED);
      case UP -> EnumSet.of(SUSPECT, DOWN, DRAINED);
      case SUSPECT -> EnumSet.of(UP, DOWN, DRAINED);
      case DRAINED -> EnumSet.noneOf(BackendState.class); // only the administrator ends it
    };
  }
}
