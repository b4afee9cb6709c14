// SPDX-License-Identifier: Apache-2.0
package io.stoa.client.quota;

import java.util.concurrent.atomic.AtomicLong;

/**
 * A token bucket in one number, as the generic cell rate algorithm has it (ITU-T I.371): the time
 * at which the bucket would be full again. The rate may change between calls.
 *
 * <p>Threading: thread-safe.
 */
final class Rate {
  private final AtomicLong fullAt;

  /** Creates a full bucket. */
  Rate(long now) {
    fullAt = new AtomicLong(now);
  }

  /**
   * Takes a token; false if there is none.
   *
   * @param interval nanoseconds until a token is added
   * @param size number of tokens in a full bucket
   */
  boolean take(long now, long interval, int size) {
    while (true) {
      long present = fullAt.get();
      long next = Math.max(present - now, 0) + interval;
      if (next > interval * size) {
        return false;
      }
      if (fullAt.compareAndSet(present, now + next)) {
        return true;
      }
    }
  }

  /** Counts an event, and returns by how many the events exceed the bucket; at most {@code max}. */
  int exceed(long now, long interval, int size, int max) {
    while (true) {
      long present = fullAt.get();
      long next = Math.min(Math.max(present - now, 0) + interval, interval * (size + max));
      if (fullAt.compareAndSet(present, now + next)) {
        return (int) Math.max(0, (next - 1) / interval + 1 - size);
      }
    }
  }

  /** True if the bucket is empty. */
  boolean isEmpty(long now, long interval, int size) {
    return fullAt.get() - now + interval > interval * size;
  }

  /** Fills the bucket. */
  void reset(long now) {
    fullAt.set(now);
  }
}
