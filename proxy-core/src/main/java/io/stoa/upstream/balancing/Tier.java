// SPDX-License-Identifier: Apache-2.0
package io.stoa.upstream.balancing;

import io.stoa.upstream.server.Backend;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Directory servers that share the load by one strategy.
 *
 * <p>Threading: thread-safe.
 */
public final class Tier {
  private final List<Backend> backends;
  private final TierStrategy strategy;

  /** Creates a tier of servers, in the order of the configuration. */
  public Tier(List<Backend> backends, Balancing balancing) {
    this.backends = List.copyOf(backends);
    this.strategy = balancing.strategy();
  }

  /** Returns all servers of the tier. */
  public List<Backend> backends() {
    return backends;
  }

  /**
   * Chooses a server for an operation.
   *
   * @param eligible true for servers that may be used
   * @param up true if the server must be up, and not only usable
   * @return the server; null if the tier has none
   */
  @Nullable Backend choose(Predicate<Backend> eligible, boolean up, LoadBalancingContext context) {
    List<Backend> usable = usable(eligible, up);
    if (usable.size() <= 1) {
      return usable.isEmpty() ? null : usable.get(0);
    }
    List<Backend> taking = belowLimit(usable);
    return taking.isEmpty()
        ? Collections.min(usable, Comparator.comparingDouble(full -> full.limiter().relativeLoad()))
        : strategy.choose(taking, context, System.nanoTime());
  }

  /**
   * Returns the servers below their concurrency limit. An operation that only has to wait does not
   * go to the next tier, as in lloadd.conf(5), "tier": that is for outages and may be far away.
   */
  private static List<Backend> belowLimit(List<Backend> usable) {
    for (Backend backend : usable) {
      if (backend.limiter().isFull()) {
        return usable.stream().filter(other -> !other.limiter().isFull()).toList();
      }
    }
    return usable;
  }

  /**
   * Returns the server for all operations with one key, by configured weights; null if there is
   * none.
   */
  @Nullable Backend serverForKey(Predicate<Backend> eligible, boolean up, long key) {
    List<Backend> usable = usable(eligible, up);
    return usable.isEmpty() ? null : Rendezvous.first(usable, key, Backend::fullWeight);
  }

  /** Returns the usable servers. Called for each read, so nothing is copied if all are usable. */
  private List<Backend> usable(Predicate<Backend> eligible, boolean up) {
    int count = 0;
    while (count < backends.size() && isAvailable(backends.get(count), eligible, up)) {
      count++;
    }
    if (count == backends.size()) {
      return backends;
    }
    List<Backend> usable = new ArrayList<>(backends.subList(0, count));
    for (Backend backend : backends.subList(count + 1, backends.size())) {
      if (isAvailable(backend, eligible, up)) {
        usable.add(backend);
      }
    }
    return usable;
  }

  private static boolean isAvailable(Backend backend, Predicate<Backend> eligible, boolean up) {
    return (up ? backend.isUp() : backend.isUsable()) && eligible.test(backend);
  }
}
