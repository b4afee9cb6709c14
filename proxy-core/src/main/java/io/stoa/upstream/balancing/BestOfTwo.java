// SPDX-License-Identifier: Apache-2.0
package io.stoa.upstream.balancing;

import io.stoa.upstream.server.Backend;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;

/**
 * Of two servers, taken at random, the one that is likely to answer sooner: latency, times what is
 * outstanding there and this operation, over its weight. Two choices are nearly as good as all, and
 * do not send everybody to the same one (Mitzenmacher, The Power of Two Choices in Randomized Load
 * Balancing, 2001); the latency is as in Finagle's {@code peak EWMA}. Thread-safe.
 */
final class BestOfTwo implements TierStrategy {
  /** Of a server of which nothing is known but that it has not answered yet: 1 s. */
  private static final double UNKNOWN_NANOS = 1e9;

  @Override
  public Backend choose(List<Backend> usable, LoadBalancingContext demand, long now) {
    int size = usable.size();
    if (size == 1) {
      return usable.get(0);
    }
    ThreadLocalRandom random = ThreadLocalRandom.current();
    int first = random.nextInt(size);
    int second = (first + 1 + random.nextInt(size - 1)) % size;
    Backend one = usable.get(first);
    Backend other = usable.get(second);
    return cost(one, demand, now) <= cost(other, demand, now) ? one : other;
  }

  private static double cost(Backend backend, LoadBalancingContext demand, long now) {
    int outstanding = backend.outstanding() + demand.handicap(backend);
    double latency = backend.latency().nanos(now);
    double expected = latency == 0 && outstanding > 0 ? UNKNOWN_NANOS : latency;
    return expected * (outstanding + 1) / backend.weight(now);
  }
}
