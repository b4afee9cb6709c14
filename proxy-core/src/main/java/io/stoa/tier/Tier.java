// SPDX-License-Identifier: Apache-2.0
package io.stoa.tier;

import io.stoa.backend.Backend;
import java.util.List;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** Directory servers among which operations are spread, by one strategy. Thread-safe. */
public final class Tier {
  private final List<Backend> backends;
  private final TierStrategy strategy;

  /** Makes a tier of servers, in the order of the configuration. */
  public Tier(List<Backend> backends, Balancing balancing) {
    this.backends = List.copyOf(backends);
    this.strategy = balancing.strategy();
  }

  /** All its servers. */
  public List<Backend> backends() {
    return backends;
  }

  /**
   * The server for an operation.
   *
   * @param eligible which servers may be asked
   * @return null if the tier has none of these
   */
  public @Nullable Backend choose(Predicate<Backend> eligible, Demand demand) {
    List<Backend> usable = backends.stream().filter(eligible).toList();
    if (usable.size() <= 1) {
      return usable.isEmpty() ? null : usable.get(0);
    }
    return strategy.choose(usable, demand, System.nanoTime());
  }

  /** The server for all that has one key, by the weights of the configuration; null if none is. */
  @Nullable Backend home(Predicate<Backend> eligible, long key) {
    List<Backend> usable = backends.stream().filter(eligible).toList();
    return usable.isEmpty() ? null : Rendezvous.first(usable, key, Backend::fullWeight);
  }
}
