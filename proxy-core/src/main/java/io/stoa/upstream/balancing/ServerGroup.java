// SPDX-License-Identifier: Apache-2.0
package io.stoa.upstream.balancing;

import io.stoa.upstream.balancing.BalanceConfig.Reads;
import io.stoa.upstream.server.Backend;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The servers that hold one part of the tree, in tiers: the next tier is asked only where the one
 * before has no server that can be used (lloadd.conf(5), "tier"). Thread-safe.
 */
public final class ServerGroup {
  private final BalanceConfig config;
  private final Function<ServerSpec, Backend> maker;
  private final Collection<Consumer<Backend>> joining = new CopyOnWriteArrayList<>();
  private final Collection<Consumer<Backend>> parting = new CopyOnWriteArrayList<>();
  private volatile Members members;

  /**
   * Makes it.
   *
   * @param servers at least one of which is a primary
   * @param maker makes what is known of a server
   */
  public ServerGroup(
      List<ServerSpec> servers, BalanceConfig config, Function<ServerSpec, Backend> maker) {
    this.config = config;
    this.maker = maker;
    this.members = arranged(new Members(List.of(), Map.of(), List.of()), servers);
  }

  /** The servers at one time, in the order of the configuration. Immutable. */
  private record Members(List<Backend> backends, Map<Integer, Tier> byTier, List<Tier> tiers) {
    /** The server of that address, if it has that role: another role is another server. */
    @Nullable Backend present(ServerSpec server) {
      return backends.stream()
          .filter(one -> one.address().equals(server.address()))
          .filter(one -> one.primary() == server.primary())
          .findFirst()
          .orElse(null);
    }

    /** Whoever is compared with its peers, or takes turns with them, goes on where they stay. */
    Tier tier(int number, List<Backend> own, BalanceConfig config) {
      Tier present = byTier.get(number);
      return present != null && present.backends().equals(own)
          ? present
          : new Tier(own, config.strategy(number));
    }
  }

  /**
   * From now on these are the servers. One whose address stays goes on, whatever changes of its
   * weight, its tier, or what else an administrator may change; one that has gone is sent nothing
   * more.
   *
   * @param servers at least one of which is a primary
   */
  public synchronized void replace(List<ServerSpec> servers) {
    Members before = members;
    Members now = arranged(before, servers);
    for (int i = 0; i < servers.size(); i++) {
      ServerChanges.change(now.backends.get(i), servers.get(i));
    }
    members = now;
    tell(before.backends, now.backends);
  }

  private Members arranged(Members before, List<ServerSpec> servers) {
    List<Backend> backends = new ArrayList<>();
    Map<Integer, List<Backend>> byTier = new TreeMap<>();
    for (ServerSpec server : servers) {
      Backend present = before.present(server);
      Backend backend = present == null ? maker.apply(server) : present;
      backends.add(backend);
      byTier.computeIfAbsent(server.tier(), none -> new ArrayList<>()).add(backend);
    }
    Map<Integer, Tier> tiers = new TreeMap<>();
    byTier.forEach((number, own) -> tiers.put(number, before.tier(number, own, config)));
    return new Members(List.copyOf(backends), tiers, List.copyOf(tiers.values()));
  }

  private void tell(List<Backend> before, List<Backend> now) {
    for (Backend backend : now) {
      if (!before.contains(backend)) {
        joining.forEach(listener -> listener.accept(backend));
      }
    }
    for (Backend backend : before) {
      if (!now.contains(backend)) {
        backend.health().drain();
        parting.forEach(listener -> listener.accept(backend));
      }
    }
  }

  /** Hears of each server that is there, and of each that comes later, on any thread. */
  public synchronized void onJoin(Consumer<Backend> listener) {
    joining.add(listener);
    members.backends.forEach(listener);
  }

  /** Hears of each server that has gone, on any thread. */
  public void onPart(Consumer<Backend> listener) {
    parting.add(listener);
  }

  /** All servers, in the order of the configuration. */
  public List<Backend> backends() {
    return members.backends;
  }

  /** The tiers, in the order in which they are used; the same list until a server comes or goes. */
  public List<Tier> tiers() {
    return members.tiers;
  }

  /** The tiers as they are now, in the order in which they are used. */
  public List<TierStatus> status() {
    return members.byTier.entrySet().stream()
        .map(
            entry ->
                new TierStatus(
                    entry.getKey(),
                    entry.getValue().backends().stream().map(Backend::status).toList()))
        .toList();
  }

  /** Something would be done better, or at all, if the servers were there that are down. */
  public void missAll() {
    members.backends.forEach(backend -> backend.health().missed());
  }

  /** The server that takes the writes: the first primary that can be used, else the first. */
  public Backend primary() {
    Backend best = null;
    for (Backend backend : members.backends) {
      if (backend.primary() && backend.up()) {
        return backend;
      }
      boolean better = best == null || (backend.usable() && !best.usable());
      best = backend.primary() && better ? backend : best;
    }
    return Objects.requireNonNull(best, "a primary");
  }

  /**
   * The server for what any server may answer.
   *
   * @param eligible which servers may be asked at all
   * @return null if none of them can be used
   */
  public @Nullable Backend choose(Predicate<Backend> eligible, LoadBalancingContext demand) {
    Way way = (tier, which, up) -> tier.choose(which, up, demand);
    Backend best = preferred(eligible, true, way);
    return best == null ? preferred(eligible, false, way) : best;
  }

  /** How one tier chooses of its servers that may be asked. */
  private interface Way {
    /** One that is up, or only usable; null if there is none. */
    @Nullable Backend in(Tier tier, Predicate<Backend> eligible, boolean up);
  }

  /**
   * The server for all that has one key, whatever is outstanding: while it is up it is the same
   * one, and when it goes, its keys alone move.
   *
   * @param eligible which servers may be asked at all
   * @return null if none of them can be used
   */
  public @Nullable Backend home(Predicate<Backend> eligible, long key) {
    Way way = (tier, which, up) -> tier.home(which, up, key);
    Backend best = preferred(eligible, true, way);
    return best == null ? preferred(eligible, false, way) : best;
  }

  private @Nullable Backend preferred(Predicate<Backend> eligible, boolean up, Way way) {
    boolean replicasFirst = config.reads() == Reads.REPLICAS;
    Backend replica =
        replicasFirst ? first(eligible.and(backend -> !backend.primary()), up, way) : null;
    return replica == null ? first(eligible, up, way) : replica;
  }

  private @Nullable Backend first(Predicate<Backend> eligible, boolean up, Way way) {
    for (Tier tier : members.tiers) {
      Backend chosen = way.in(tier, eligible, up);
      if (chosen != null) {
        return chosen;
      }
    }
    return null;
  }
}
