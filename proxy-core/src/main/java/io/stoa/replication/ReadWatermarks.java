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
   * Maximum number of sessions with their own watermark: 10,000. Of one more, the lower half of the
   * watermarks is evicted, and the highest of these holds for all sessions.
   */
  static final int MAX = 10_000;

  private final Map<Object, Long> bySession = new HashMap<>();
  private long ofAllSessions;

  /** Raises the watermark of a session, unless it is higher already. */
  void raise(Object session, long tick) {
    if (tick > watermark(session)) {
      bySession.put(session, tick);
    }
    if (bySession.size() > MAX) {
      evictLowerHalf();
    }
  }

  /** Evicts the lower half. Each evicted session has no lower a watermark afterwards. */
  private void evictLowerHalf() {
    long[] ticks = bySession.values().stream().mapToLong(Long::longValue).sorted().toArray();
    ofAllSessions = ticks[ticks.length / 2];
    bySession.values().removeIf(tick -> tick <= ofAllSessions);
  }

  /** Returns the tick up to which a session may have seen all writes. */
  long watermark(Object session) {
    return Math.max(ofAllSessions, bySession.getOrDefault(session, 0L));
  }

  /** Removes all watermarks. Called when no unreplicated write is left. */
  void clear() {
    bySession.clear();
    ofAllSessions = 0;
  }
}
