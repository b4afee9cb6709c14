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
 * The servers that hold one part of the tree, in tiers. A tier is used only while the one before
 * has no usable server (lloadd.conf(5), "tier").
 *
 * <p>Threading: thread-safe.
 */
public final class ServerGroup {
  private final BalanceConfig config;
  private final Function<ServerSpec, Backend> factory;
  private final Collection<Consumer<Backend>> addListeners = new CopyOnWriteArrayList<>();
  private final Collection<Consumer<Backend>> removeListeners = new CopyOnWriteArrayList<>();
  private volatile GroupMembers members;

  /**
   * Creates the group.
   *
   * @param servers servers, with at least one primary
   * @param factory creates the state of a server
   */
  public ServerGroup(
      List<ServerSpec> servers, BalanceConfig config, Function<ServerSpec, Backend> factory) {
    this.config = config;
    this.factory = factory;
    this.members = arrange(new GroupMembers(List.of(), Map.of(), List.of()), servers);
  }

  /**
   * The servers at one time, in the order of the configuration.
   *
   * <p>Threading: immutable.
   */
  private record GroupMembers(List<Backend> backends, Map<Integer, Tier> byTier, List<Tier> tiers) {
    /**
     * Returns the server with that address and role; null if there is none. A change of role makes
     * it another server.
     */
    @Nullable Backend present(ServerSpec server) {
      return backends.stream()
          .filter(one -> one.address().equals(server.address()))
          .filter(one -> one.isPrimary() == server.primary())
          .findFirst()
          .orElse(null);
    }

    /**
     * Returns the present tier if its servers are unchanged, so that its statistics and turns go
     * on.
     */
    Tier tier(int number, List<Backend> servers, BalanceConfig config) {
      Tier present = byTier.get(number);
      return present != null && present.backends().equals(servers)
          ? present
          : new Tier(servers, config.strategy(number));
    }
  }

  /**
   * Replaces the servers. A server whose address and role stay is kept, with its new weight, tier
   * and overrides. A removed one is drained.
   *
   * @param servers servers, with at least one primary
   */
  public synchronized void replace(List<ServerSpec> servers) {
    GroupMembers previous = members;
    GroupMembers now = arrange(previous, servers);
    for (int i = 0; i < servers.size(); i++) {
      ServerChanges.change(now.backends.get(i), servers.get(i));
    }
    members = now;
    notifyListeners(previous.backends, now.backends);
  }

  private GroupMembers arrange(GroupMembers previous, List<ServerSpec> servers) {
    List<Backend> backends = new ArrayList<>();
    Map<Integer, List<Backend>> byTier = new TreeMap<>();
    for (ServerSpec server : servers) {
      Backend present = previous.present(server);
      Backend backend = present == null ? factory.apply(server) : present;
      backends.add(backend);
      byTier.computeIfAbsent(server.tier(), none -> new ArrayList<>()).add(backend);
    }
    Map<Integer, Tier> tiers = new TreeMap<>();
    byTier.forEach((number, own) -> tiers.put(number, previous.tier(number, own, config)));
    return new GroupMembers(List.copyOf(backends), tiers, List.copyOf(tiers.values()));
  }

  private void notifyListeners(List<Backend> before, List<Backend> now) {
    for (Backend backend : now) {
      if (!before.contains(backend)) {
        addListeners.forEach(listener -> listener.accept(backend));
      }
    }
    for (Backend backend : before) {
      if (!now.contains(backend)) {
        backend.health().drain();
        removeListeners.forEach(listener -> listener.accept(backend));
      }
    }
  }

  /** Adds a listener for present and future servers; called on any thread. */
  public synchronized void onAdded(Consumer<Backend> listener) {
    addListeners.add(listener);
    members.backends.forEach(listener);
  }

  /** Adds a listener for removed servers; called on any thread. */
  public void onRemoved(Consumer<Backend> listener) {
    removeListeners.add(listener);
  }

  /** Returns all servers in the order of the configuration. */
  public List<Backend> backends() {
    return members.backends;
  }

  /** Returns the tiers in order of preference; the same list until a server is added or removed. */
  public List<Tier> tiers() {
    return members.tiers;
  }

  /** Returns snapshots of the tiers in order of preference. */
  public List<TierStatus> status() {
    return members.byTier.entrySet().stream()
        .map(
            entry ->
                new TierStatus(
                    entry.getKey(),
                    entry.getValue().backends().stream().map(Backend::status).toList()))
        .toList();
  }

  /** Requests a health check of each server that is down, since it is missed. */
  public void requestReconnects() {
    members.backends.forEach(backend -> backend.health().requestReconnect());
  }

  /**
   * Returns the server for writes: the first primary that is up, else the first usable one, else
   * the first.
   */
  public Backend primary() {
    Backend best = null;
    for (Backend backend : members.backends) {
      if (backend.isPrimary() && backend.isUp()) {
        return backend;
      }
      boolean better = best == null || (backend.isUsable() && !best.isUsable());
      best = backend.isPrimary() && better ? backend : best;
    }
    return Objects.requireNonNull(best, "a primary");
  }

  /**
   * Chooses a server for an operation that any server may answer.
   *
   * @param eligible true for servers that may be used
   * @return the server; null if none is usable
   */
  public @Nullable Backend choose(Predicate<Backend> eligible, LoadBalancingContext context) {
    TierChoice choice = (tier, which, up) -> tier.choose(which, up, context);
    Backend best = preferred(eligible, true, choice);
    return best == null ? preferred(eligible, false, choice) : best;
  }

  /** Chooses a server of one tier. */
  private interface TierChoice {
    /**
     * Returns a server that is up, or only usable if {@code up} is false; null if there is none.
     */
    @Nullable Backend in(Tier tier, Predicate<Backend> eligible, boolean up);
  }

  /**
   * Returns the server for all operations with one key, whatever the load. While it is up it stays
   * the same, and when it goes, only its keys move.
   *
   * @param eligible true for servers that may be used
   * @return the server; null if none is usable
   */
  public @Nullable Backend serverForKey(Predicate<Backend> eligible, long key) {
    TierChoice choice = (tier, which, up) -> tier.serverForKey(which, up, key);
    Backend best = preferred(eligible, true, choice);
    return best == null ? preferred(eligible, false, choice) : best;
  }

  private @Nullable Backend preferred(Predicate<Backend> eligible, boolean up, TierChoice choice) {
    boolean replicasFirst = config.reads() == Reads.REPLICAS;
    Backend replica =
        replicasFirst ? first(eligible.and(backend -> !backend.isPrimary()), up, choice) : null;
    return replica == null ? first(eligible, up, choice) : replica;
  }

  private @Nullable Backend first(Predicate<Backend> eligible, boolean up, TierChoice choice) {
    for (Tier tier : members.tiers) {
      Backend chosen = choice.in(tier, eligible, up);
      if (chosen != null) {
        return chosen;
      }
    }
    return null;
  }
}
