// SPDX-License-Identifier: Apache-2.0
package io.stoa.realm;

import io.stoa.change.RingRecord;
import java.time.Duration;

/**
 * A server may say that something has changed, and count it, a little before reads show it. Only
 * what was sent a while after that is sure to have been answered with it. Immutable.
 */
record Settle(Duration time) {
  /**
   * Whether a read that was sent then may not show what the server had.
   *
   * @param sentNanos not when it was answered: that may have been long after it was done
   */
  boolean isYoung(RingRecord change, long sentNanos) {
    return change.appendedNanos() - settled(sentNanos) >= 0;
  }

  /** What was said before then is shown by a read that was sent at that time. */
  long settled(long sentNanos) {
    return sentNanos - time.toNanos();
  }
}
