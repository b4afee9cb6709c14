// SPDX-License-Identifier: Apache-2.0
package io.stoa.tier;

import io.stoa.backend.Backend;
import java.util.List;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The servers that hold one part of the tree, in tiers: the next tier is asked only where the one
 * before has no server that can be used (lloadd.conf(5), "tier"). Thread-safe.
 */
public final class Branch {
  private final List<Tier> tiers;
  private final List<Backend> backends;
  private final List<Backend> primaries;

  /**
   * Makes it.
   *
   * @throws IllegalArgumentException if there is no server that takes writes
   */
  public Branch(List<Tier> tiers) {
    this.tiers = List.copyOf(tiers);
    this.backends = tiers.stream().flatMap(tier -> tier.backends().stream()).toList();
    this.primaries = backends.stream().filter(Backend::primary).toList();
    if (primaries.isEmpty()) {
      throw new IllegalArgumentException("there is no primary server");
    }
  }

  /** All servers, in the order of the configuration. */
  public List<Backend> backends() {
    return backends;
  }

  /** The server that takes the writes: the first primary that can be used, else the first. */
  public Backend primary() {
    return primaries.stream().filter(Backend::up).findFirst().orElse(primaries.get(0));
  }

  /**
   * The server for an operation.
   *
   * @param eligible which servers may be asked at all
   * @return null if none of them can be used
   */
  public @Nullable Backend choose(Predicate<Backend> eligible, Demand demand) {
    for (Tier tier : tiers) {
      Backend chosen = tier.choose(eligible, demand);
      if (chosen != null) {
        return chosen;
      }
    }
    return null;
  }
}
