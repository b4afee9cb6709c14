// SPDX-License-Identifier: Apache-2.0
package io.stoa.upstream.balancing;

import io.stoa.upstream.server.Backend;
import io.stoa.upstream.server.ServerAddress;
import java.util.List;
import java.util.function.ToDoubleFunction;

/**
 * An order of servers for each key: highest random weight (Thaler and Ravishankar, 1998).
 *
 * <ol>
 *   <li>Each server comes first in proportion to its weight.
 *   <li>When a server goes, only the keys that had it first move.
 *   <li>All proxies with the same servers agree.
 * </ol>
 *
 * <p>Threading: thread-safe; no state.
 */
final class Rendezvous {
  private static final double UNIT = 0x1p-53;
  private static final int UNIT_SHIFT = 11;

  private Rendezvous() {}

  /**
   * Returns the first server in the order of the key.
   *
   * @param usable at least one server
   * @param weight 0 for servers to be passed over, unless all are
   */
  static Backend first(List<Backend> usable, long key, ToDoubleFunction<Backend> weight) {
    Backend best = usable.get(0);
    double highest = Double.NEGATIVE_INFINITY;
    for (Backend backend : usable) {
      double part = weight.applyAsDouble(backend);
      double score = part > 0 ? part / -Math.log(random(key, backend)) : Double.NEGATIVE_INFINITY;
      if (score > highest) {
        best = backend;
        highest = score;
      }
    }
    return best;
  }

  /** Returns a number between 0 and 1, both excluded; always the same for a key and a server. */
  private static double random(long key, Backend backend) {
    ServerAddress address = backend.address();
    long place = (long) address.host().hashCode() << Short.SIZE | address.port();
    long mixed = mix(key ^ mix(place));
    return ((mixed >>> UNIT_SHIFT) + 0.5) * UNIT;
  }

  /** Mixes all bits: the finalizer of SplitMix64 (Steele, Lea and Flood, 2014). */
  private static long mix(long value) {
    long z = (value ^ (value >>> 30)) * 0xBF58_476D_1CE4_E5B9L;
    z = (z ^ (z >>> 27)) * 0x94D0_49BB_1331_11EBL;
    return z ^ (z >>> 31);
  }
}
