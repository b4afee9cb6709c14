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
import io.stoa.upstream.server.BackendTerms;
import io.stoa.upstream.server.ServerAddress;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * One directory behind the proxy: its servers, the routing stage of each event loop, and its
 * schema.
 *
 * <p>Threading: thread-safe.
 */
public final class Directory {
  private final ServerGroup branch;
  private final ServerList servers;
  private final NamingContexts contexts;
  private final ReadEligibility freshness;
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
      SessionGuarantees consistency) {
    this.current = current;
    this.branch =
        new ServerGroup(
            spec.servers(), current.get().balance(), server -> backend(server, current.get()));
    this.servers = new ServerList(spec, branch);
    this.contexts = contexts;
    WriteCoherence coherence = new WriteCoherence(() -> current.get().writeCoherence(), contexts);
    this.freshness = new ReadEligibility(branch, consistency, coherence);
    branch.onRemoved(coherence::removeServer);
  }

  private static Backend backend(ServerSpec server, UpstreamConfig config) {
    return new Backend(
        server.address(),
        new BackendTerms(
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
    return branch;
  }

  /**
   * Creates the routing stage of one event loop. All stages are created before the first is used.
   */
  RoutingStage route(EventLoop loop, UpstreamLoop upstream, RouteConfig terms) {
    RoutingStage route =
        new RoutingStage(
            branch,
            freshness,
            contexts,
            terms,
            unserved ->
                new UpstreamPools(
                    branch, upstream, current, unserved, this::mayRequirePasswordChange));
    routing.put(loop, route);
    return route;
  }

  /**
   * True if the directory may require users to change their passwords, as far as its root DSE is
   * known.
   */
  private boolean mayRequirePasswordChange() {
    ServerProfile known = profile();
    return known.kind() == ServerKind.UNKNOWN || known.supports(Oids.PASSWORD_POLICY);
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
    DirectoryWatch own =
        new DirectoryWatch(
            loop,
            chain,
            decoder,
            known -> {
              profile = known;
              changed.run();
            });
    watch = own;
    branch.onAdded(backend -> backend.health().onState(own::onServerState));
    own.start();
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
  List<String> applyServers(List<ServerSpec> wanted) {
    return servers.applyServers(wanted);
  }

  /** Replaces all connections to a server; false if it is none of its servers. */
  boolean reconnect(ServerAddress server) {
    List<Backend> named =
        branch.backends().stream().filter(one -> one.address().equals(server)).toList();
    named.forEach(Backend::reconnect);
    return !named.isEmpty();
  }

  /** Asks each event loop about its connections to the servers. */
  <T> List<CompletableFuture<T>> ask(Function<ConnectionInspector, CompletableFuture<T>> question) {
    List<CompletableFuture<T>> each = new ArrayList<>();
    routing.forEach(
        (loop, route) ->
            each.add(
                CompletableFuture.supplyAsync(() -> question.apply(route.pools().inspector()), loop)
                    .thenCompose(Function.identity())));
    return each;
  }

  /** Applies the current limits to each of its servers. */
  void applyLimits() {
    UpstreamConfig now = current.get();
    for (Backend backend : branch.backends()) {
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
    DirectoryWatch own = watch;
    return own != null && own.isSettled();
  }

  /** Closes all connections to its servers. */
  void close() {
    names.forEach(ServerNames::close);
    routing.forEach(
        (loop, route) -> loop.submit(() -> route.pools().close()).awaitUninterruptibly());
  }
}
