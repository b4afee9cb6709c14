// SPDX-License-Identifier: Apache-2.0
package io.stoa.cache.sharing;

import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * The right to ask one hit again, which is given back once, however that ends. Thread-safe.
 *
 * @param free how many there are left
 * @param taken whether it was not given back yet
 */
record VerificationPermit(AtomicInteger free, AtomicBoolean taken) {
  /** Takes one; null if there is none. */
  static @Nullable VerificationPermit of(AtomicInteger free) {
    return free.getAndUpdate(left -> Math.max(0, left - 1)) > 0
        ? new VerificationPermit(free, new AtomicBoolean(true))
        : null;
  }

  /** Whether it was not given back before. */
  boolean release() {
    boolean first = taken.compareAndSet(true, false);
    if (first) {
      free.incrementAndGet();
    }
    return first;
  }
}
