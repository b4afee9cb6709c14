// SPDX-License-Identifier: Apache-2.0
package io.stoa.replication;

import java.util.HashMap;
import java.util.Map;

/**
 * Sessions that may have seen whatever had begun before a time, in ticks. Confined to the lock of
 * {@link UnreplicatedWrites}.
 */
final class ReadWatermarks {
  /** Beyond, all sessions count as having seen what one of them may have. */
  private static final int MOST = 10_000;

  private final Map<Object, Long> until = new HashMap<>();
  private long everybody;

  void seen(Object session, long tick) {
    if (until.size() >= MOST && !until.containsKey(session)) {
      everybody = tick;
      until.clear();
    }
    until.put(session, tick);
  }

  /** Until when it may have seen all. */
  long until(Object session) {
    return Math.max(everybody, until.getOrDefault(session, 0L));
  }

  /** There is nothing left that anybody could have seen. */
  void clear() {
    until.clear();
    everybody = 0;
  }
}
