// SPDX-License-Identifier: Apache-2.0
package io.stoa.proxy;

import io.netty.channel.EventLoop;
import io.netty.util.concurrent.EventExecutor;
import io.stoa.ldap.protocol.Oids;
import io.stoa.ldap.protocol.RequestDecoder;
import io.stoa.ldap.schema.ServerKind;
import io.stoa.ldap.schema.ServerProfile;
import io.stoa.proxy.discovery.DirectoryWatch;
import io.stoa.proxy.discovery.ServerList;
import io.stoa.proxy.discovery.ServerNames;
import io.stoa.replication.SessionGuarantees;
import io.stoa.routing.NamingContexts;
import io.stoa.routing.ReadEligibility;
import io.stoa.routing.RouteConfig;
import io.stoa.routing.RoutingStage;
import io.stoa.routing.WriteCoherence;
import io.stoa.routing.directory.DirectorySpec;
import io.stoa.upstream.balancing.ServerGroup;
import io.stoa.upstream.balancing.ServerSpec;
import io.stoa.upstream.connect.NamesConfig;
import io.stoa.upstream.pool.ConnectionInspector;
import io.stoa.upstream.pool.UpstreamConfig;
import io.stoa.upstream.pool.UpstreamLoop;
import io.stoa.upstream.pool.UpstreamPools;
import io.stoa.upstream.server.Backend;
import io.stoa.upstream.server.BackendConfig;
import io.stoa.upstream.server.ServerAddress;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * One directory behind the proxy: its servers, the routing stage of each event loop, and its
 * schema.
 *
 * <p>Threading: thread-safe.
 */
public final class Directory {
  private final ServerGroup group;
  private final ServerList servers;
  private final NamingContexts contexts;
  private final ReadEligibility eligibility;
  private final Map<EventExecutor, RoutingStage> routing = new LinkedHashMap<>();
  private volatile ServerProfile profile = ServerProfile.EXACT;
  private volatile @Nullable DirectoryWatch watch;
  private volatile List<ServerNames> names = List.of();

  private final Supplier<UpstreamConfig> current;

  /**
   * Creates a directory.
   *
   * @param current the current configuration of the servers
   */
  Directory(
      DirectorySpec spec,
      Supplier<UpstreamConfig> current,
      NamingContexts contexts,
      SessionGuarantees guarantees) {
    this.current = current;
    this.group =
        new ServerGroup(
            spec.servers(), current.get().balance(), server -> backend(server, current.get()));
    this.servers = new ServerList(spec, group);
    this.contexts = contexts;
    WriteCoherence coherence = new WriteCoherence(() -> current.get().writeCoherence(), contexts);
    this.eligibility = new ReadEligibility(group, guarantees, coherence);
    group.onRemoved(coherence::removeServer);
  }

  private static Backend backend(ServerSpec server, UpstreamConfig config) {
    return new Backend(
        server.address(),
        new BackendConfig(
            server.primary(),
            config.excludes(server.address()),
            config.maxConnections(),
            config.transport().maxConnecting(),
            server.weight(),
            config.balance().slowStart(),
            config.balance().maxInFlight()));
  }

  /** Returns its servers. */
  ServerGroup branch() {
    return group;
  }

  /**
   * Creates the routing stage of one event loop. All stages are created before the first is used.
   */
  RoutingStage route(EventLoop loop, UpstreamLoop upstream, RouteConfig config) {
    RoutingStage route =
        new RoutingStage(
            group,
            eligibility,
            contexts,
            config,
            unserved ->
                new UpstreamPools(
                    group, upstream, current, unserved, this::mayRequirePasswordChange));
    routing.put(loop, route);
    return route;
  }

  /**
   * True if the directory may require users to change their passwords, as far as its root DSE is
   * known.
   */
  private boolean mayRequirePasswordChange() {
    ServerProfile currentProfile = profile();
    return currentProfile.kind() == ServerKind.UNKNOWN
        || currentProfile.supports(Oids.PASSWORD_POLICY);
  }

  /** Returns the loop on which it is watched. */
  EventExecutor watchLoop() {
    return routing.keySet().iterator().next();
  }

  /**
   * Starts to watch its root DSE and its schema.
   *
   * @param changed runs when the schema has changed
   */
  void watch(RequestDecoder decoder, Runnable changed) {
    EventLoop loop = (EventLoop) watchLoop();
    RoutingStage chain = routing.values().iterator().next();
    DirectoryWatch directoryWatch =
        new DirectoryWatch(
            loop,
            chain,
            decoder,
            () ->
                group.backends().stream()
                    .map(backend -> backend.address().toString())
                    .collect(Collectors.joining(", ")),
            newProfile -> {
              profile = newProfile;
              changed.run();
            });
    watch = directoryWatch;
    group.onAdded(backend -> backend.health().onState(directoryWatch::onServerState));
    directoryWatch.start();
  }

  /** Starts to resolve its servers by DNS, if the configuration names domains. */
  void resolveServers(NamesConfig config) {
    names = ServerNames.watch(servers, config);
  }

  /**
   * Applies the current configuration to its servers.
   *
   * @return a line for administrators for each change
   */
  List<String> applyServers(List<ServerSpec> specs) {
    return servers.applyServers(specs);
  }

  /** Replaces all connections to a server; false if it is none of its servers. */
  boolean reconnect(ServerAddress server) {
    List<Backend> matching =
        group.backends().stream().filter(one -> one.address().equals(server)).toList();
    matching.forEach(Backend::reconnect);
    return !matching.isEmpty();
  }

  /** Asks each event loop about its connections to the servers. */
  <T> List<CompletableFuture<T>> ask(Function<ConnectionInspector, CompletableFuture<T>> request) {
    List<CompletableFuture<T>> answers = new ArrayList<>();
    routing.forEach(
        (loop, route) ->
            answers.add(
                CompletableFuture.supplyAsync(() -> request.apply(route.pools().inspector()), loop)
                    .thenCompose(Function.identity())));
    return answers;
  }

  /** Applies the current limits to each of its servers. */
  void applyLimits() {
    UpstreamConfig now = current.get();
    for (Backend backend : group.backends()) {
      backend.setLimits(
          now.maxConnections(),
          now.transport().maxConnecting(),
          now.balance().maxInFlight(),
          now.balance().slowStart());
    }
  }

  /** Returns the profile of the directory. */
  ServerProfile profile() {
    return profile;
  }

  /** True if its schema was read, or is known to be unreadable. */
  boolean isSchemaSettled() {
    DirectoryWatch directoryWatch = watch;
    return directoryWatch != null && directoryWatch.isSettled();
  }

  /** Closes all connections to its servers. */
  void close() {
    names.forEach(ServerNames::close);
    routing.forEach(
        (loop, route) -> loop.submit(() -> route.pools().close()).awaitUninterruptibly());
  }
}
