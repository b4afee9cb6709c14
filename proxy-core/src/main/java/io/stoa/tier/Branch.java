// SPDX-License-Identifier: Apache-2.0
package io.stoa.tier;

import io.stoa.backend.Backend;
import io.stoa.tier.BalanceConfig.Reads;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.BiFunction;
import java.util.function.Function;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The servers that hold one part of the tree, in tiers: the next tier is asked only where the one
 * before has no server that can be used (lloadd.conf(5), "tier"). Thread-safe.
 */
public final class Branch {
  private final List<Backend> backends = new ArrayList<>();
  private final List<Tier> tiers = new ArrayList<>();
  private final List<Backend> primaries;
  private final boolean replicasFirst;

  /**
   * Makes it.
   *
   * @param servers at least one of which is a primary
   * @param maker makes what is known of a server
   */
  public Branch(
      List<ServerSpec> servers, BalanceConfig config, Function<ServerSpec, Backend> maker) {
    Map<Integer, List<Backend>> byTier = new TreeMap<>();
    for (ServerSpec server : servers) {
      Backend backend = maker.apply(server);
      backends.add(backend);
      byTier.computeIfAbsent(server.tier(), none -> new ArrayList<>()).add(backend);
    }
    byTier.forEach((tier, members) -> tiers.add(new Tier(members, config.strategy(tier))));
    this.primaries = backends.stream().filter(Backend::primary).toList();
    this.replicasFirst = config.reads() == Reads.REPLICAS;
  }

  /** All servers, in the order of the configuration. */
  public List<Backend> backends() {
    return List.copyOf(backends);
  }

  /** The tiers, in the order in which they are used. */
  public List<Tier> tiers() {
    return List.copyOf(tiers);
  }

  /** The server that takes the writes: the first primary that can be used, else the first. */
  public Backend primary() {
    return primary(Backend::up)
        .or(() -> primary(Backend::usable))
        .orElseGet(() -> primaries.get(0));
  }

  private Optional<Backend> primary(Predicate<Backend> condition) {
    return primaries.stream().filter(condition).findFirst();
  }

  /**
   * The server for what any server may answer.
   *
   * @param eligible which servers may be asked at all
   * @return null if none of them can be used
   */
  public @Nullable Backend choose(Predicate<Backend> eligible, Demand demand) {
    Backend best = preferred(eligible.and(Backend::up), demand);
    return best == null ? preferred(eligible.and(Backend::usable), demand) : best;
  }

  private @Nullable Backend preferred(Predicate<Backend> eligible, Demand demand) {
    return preferred(eligible, (tier, which) -> tier.choose(which, demand));
  }

  /**
   * The server for all that has one key, whatever is outstanding: while it is up it is the same
   * one, and when it goes, its keys alone move.
   *
   * @param eligible which servers may be asked at all
   * @return null if none of them can be used
   */
  public @Nullable Backend home(Predicate<Backend> eligible, long key) {
    BiFunction<Tier, Predicate<Backend>, @Nullable Backend> way =
        (tier, which) -> tier.home(which, key);
    Backend best = preferred(eligible.and(Backend::up), way);
    return best == null ? preferred(eligible.and(Backend::usable), way) : best;
  }

  private @Nullable Backend preferred(
      Predicate<Backend> eligible, BiFunction<Tier, Predicate<Backend>, @Nullable Backend> way) {
    Backend replica =
        replicasFirst ? first(eligible.and(backend -> !backend.primary()), way) : null;
    return replica == null ? first(eligible, way) : replica;
  }

  private @Nullable Backend first(
      Predicate<Backend> eligible, BiFunction<Tier, Predicate<Backend>, @Nullable Backend> way) {
    for (Tier tier : tiers) {
      Backend chosen = way.apply(tier, eligible);
      if (chosen != null) {
        return chosen;
      }
    }
    return null;
  }
}
