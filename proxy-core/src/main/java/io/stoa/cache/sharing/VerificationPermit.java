// SPDX-License-Identifier: Apache-2.0
package io.stoa.cache.sharing;

import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * Permit for one verification, released exactly once however the verification ends.
 *
 * <p>Threading: thread-safe.
 *
 * @param free number of free permits
 * @param taken true until the permit is released
 */
record VerificationPermit(AtomicInteger free, AtomicBoolean taken) {
  /** Acquires a permit; returns null if none is free. */
  static @Nullable VerificationPermit of(AtomicInteger free) {
    return free.getAndUpdate(left -> Math.max(0, left - 1)) > 0
        ? new VerificationPermit(free, new AtomicBoolean(true))
        : null;
  }

  /** Releases the permit. Returns false if it was released already. */
  boolean release() {
    boolean first = taken.compareAndSet(true, false);
    if (first) {
      free.incrementAndGet();
    }
    return first;
  }
}
