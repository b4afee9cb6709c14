// SPDX-License-Identifier: Apache-2.0
package io.stoa.upstream.balancing;

import io.stoa.upstream.server.Backend;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Each server as often as its weight says, and well mixed: the multiples of the golden ratio,
 * without their whole parts, fall evenly on the line from 0 to 1 however many there are (Knuth, The
 * Art of Computer Programming, volume 3, section 6.4, theorem S), and each server has a piece of
 * that line as long as its weight. Thread-safe.
 */
final class Weighted implements TierStrategy {
  /** The golden ratio less 1, as a fraction of 2 to the power of 64. */
  private static final long GOLDEN = 0x9E37_79B9_7F4A_7C15L;

  private static final double UNIT = 0x1p-53;
  private static final int UNIT_SHIFT = 11;

  private final AtomicLong position = new AtomicLong();

  @Override
  public Backend choose(List<Backend> usable, LoadBalancingContext demand, long now) {
    double all = 0;
    for (Backend backend : usable) {
      all += backend.weight(now);
    }
    double left = (position.getAndAdd(GOLDEN) >>> UNIT_SHIFT) * UNIT * all;
    for (Backend backend : usable) {
      left -= backend.weight(now);
      if (left < 0) {
        return backend;
      }
    }
    return usable.get(usable.size() - 1);
  }
}
