// SPDX-License-Identifier: Apache-2.0
package io.stoa.upstream.balancing;

import io.stoa.upstream.server.Backend;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
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
   * @param up whether it must be up, and not only usable
   * @return null if the tier has none of these
   */
  @Nullable Backend choose(Predicate<Backend> eligible, boolean up, LoadBalancingContext demand) {
    List<Backend> usable = usable(eligible, up);
    if (usable.size() <= 1) {
      return usable.isEmpty() ? null : usable.get(0);
    }
    List<Backend> taking = taking(usable);
    return taking.isEmpty()
        ? Collections.min(usable, Comparator.comparingDouble(full -> full.places().crowd()))
        : strategy.choose(taking, demand, System.nanoTime());
  }

  /**
   * Those that take one more now. The next tier is not asked for an operation that only has to wait
   * (lloadd.conf(5), "tier", has it so, too): it is there for an outage, and may be far away.
   */
  private static List<Backend> taking(List<Backend> usable) {
    for (Backend backend : usable) {
      if (backend.places().full()) {
        return usable.stream().filter(other -> !other.places().full()).toList();
      }
    }
    return usable;
  }

  /** The server for all that has one key, by the weights of the configuration; null if none is. */
  @Nullable Backend home(Predicate<Backend> eligible, boolean up, long key) {
    List<Backend> usable = usable(eligible, up);
    return usable.isEmpty() ? null : Rendezvous.first(usable, key, Backend::fullWeight);
  }

  /** This is done for each read: where all may be asked, as mostly, nothing is copied. */
  private List<Backend> usable(Predicate<Backend> eligible, boolean up) {
    int count = 0;
    while (count < backends.size() && serves(backends.get(count), eligible, up)) {
      count++;
    }
    if (count == backends.size()) {
      return backends;
    }
    List<Backend> usable = new ArrayList<>(backends.subList(0, count));
    for (Backend backend : backends.subList(count + 1, backends.size())) {
      if (serves(backend, eligible, up)) {
        usable.add(backend);
      }
    }
    return usable;
  }

  private static boolean serves(Backend backend, Predicate<Backend> eligible, boolean up) {
    return (up ? backend.up() : backend.usable()) && eligible.test(backend);
  }
}
