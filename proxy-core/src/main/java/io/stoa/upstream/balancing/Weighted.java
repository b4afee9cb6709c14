// SPDX-License-Identifier: Apache-2.0
package io.stoa.upstream.balancing;

import io.stoa.upstream.server.Backend;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Chooses each server in proportion to its weight, and well mixed.
 *
 * <p>The fractional parts of multiples of the golden ratio are spread evenly between 0 and 1,
 * however many there are. Each server has a piece of that line as long as its weight. Source:
 * Knuth, The Art of Computer Programming, volume 3, section 6.4, theorem S.
 *
 * <p>Threading: thread-safe.
 */
final class Weighted implements TierStrategy {
  /** Golden ratio minus 1, as a fraction of 2 to the power of 64. */
  private static final long GOLDEN = 0x9E37_79B9_7F4A_7C15L;

  private static final double UNIT = 0x1p-53;
  private static final int UNIT_SHIFT = 11;

  private final AtomicLong position = new AtomicLong();

  @Override
  public Backend choose(List<Backend> usable, LoadBalancingContext context, long now) {
    double totalWeight = 0;
    for (Backend backend : usable) {
      totalWeight += backend.weight(now);
    }
    double remaining = (position.getAndAdd(GOLDEN) >>> UNIT_SHIFT) * UNIT * totalWeight;
    for (Backend backend : usable) {
      remaining -= backend.weight(now);
      if (remaining < 0) {
        return backend;
      }
    }
    return usable.get(usable.size() - 1);
  }
}
