// SPDX-License-Identifier: Apache-2.0
package io.stoa.upstream.balancing;

import io.stoa.upstream.server.Backend;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;

/**
 * Chooses the one of two random servers that is likely to respond sooner: by latency, times the
 * operations in flight plus one, over the weight.
 *
 * <p>Two choices are nearly as good as all, and do not send all clients to the same server. Source:
 * Mitzenmacher, The Power of Two Choices in Randomized Load Balancing, 2001. The latency is as in
 * Finagle's {@code peak EWMA}.
 *
 * <p>Threading: thread-safe.
 */
final class BestOfTwo implements TierStrategy {
  /** Assumed latency of a server with operations in flight and no response yet: 1 s. */
  private static final double UNKNOWN_NANOS = 1e9;

  @Override
  public Backend choose(List<Backend> usable, LoadBalancingContext context, long now) {
    int size = usable.size();
    if (size == 1) {
      return usable.get(0);
    }
    ThreadLocalRandom random = ThreadLocalRandom.current();
    int first = random.nextInt(size);
    int second = (first + 1 + random.nextInt(size - 1)) % size;
    Backend one = usable.get(first);
    Backend other = usable.get(second);
    return cost(one, context, now) <= cost(other, context, now) ? one : other;
  }

  private static double cost(Backend backend, LoadBalancingContext context, long now) {
    int outstanding = backend.outstanding() + context.handicap(backend);
    double latency = backend.latency().nanos(now);
    double expected = latency == 0 && outstanding > 0 ? UNKNOWN_NANOS : latency;
    return expected * (outstanding + 1) / backend.weight(now);
  }
}
