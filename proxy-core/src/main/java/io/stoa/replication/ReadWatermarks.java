// SPDX-License-Identifier: Apache-2.0
package io.stoa.replication;

import java.util.HashMap;
import java.util.Map;

/**
 * The read watermark of each session: it may have seen all writes that began by this tick.
 *
 * <p>Threading: guarded by the lock of {@link UnreplicatedWrites}.
 */
final class ReadWatermarks {
  /**
   * Maximum number of sessions with their own watermark. Beyond it, the highest one holds for all.
   */
  private static final int MAX = 10_000;

  private final Map<Object, Long> bySession = new HashMap<>();
  private long ofAllSessions;

  /** Raises the watermark of a session, unless it is higher already. */
  void raise(Object session, long tick) {
    if (tick <= watermark(session)) {
      return;
    }
    if (bySession.size() >= MAX && !bySession.containsKey(session)) {
      bySession.values().forEach(seen -> ofAllSessions = Math.max(ofAllSessions, seen));
      bySession.clear();
    }
    bySession.put(session, tick);
  }

  /** Returns the tick up to which a session may have seen all writes. */
  long watermark(Object session) {
    return Math.max(ofAllSessions, bySession.getOrDefault(session, 0L));
  }

  /** Removes all watermarks. Called when no remembered write is left. */
  void clear() {
    bySession.clear();
    ofAllSessions = 0;
  }
}
