// SPDX-License-Identifier: Apache-2.0
package io.stoa;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;

import io.netty.channel.EventLoop;
import io.netty.channel.EventLoopGroup;
import io.stoa.adapt.AdaptConfig;
import io.stoa.adapt.AdaptConfig.Referrals;
import io.stoa.adapt.Joined;
import io.stoa.adapt.Offer;
import io.stoa.adapt.RangeStage;
import io.stoa.adapt.ReferencesStage;
import io.stoa.adapt.RootDseStage;
import io.stoa.backend.Backend;
import io.stoa.cache.CacheStage;
import io.stoa.cache.Caches;
import io.stoa.codec.FlushQueue;
import io.stoa.codec.GuardedTask;
import io.stoa.codec.TlsContext;
import io.stoa.codec.TlsContexts;
import io.stoa.codec.TlsException;
import io.stoa.codec.Transport;
import io.stoa.coherence.Consistency;
import io.stoa.dial.UpstreamTransport;
import io.stoa.external.ExternalRules;
import io.stoa.frontend.ClientLimits;
import io.stoa.frontend.Frontend;
import io.stoa.frontend.FrontendConfig;
import io.stoa.frontend.LoopContext;
import io.stoa.identity.ExternalBind;
import io.stoa.identity.Rebinds;
import io.stoa.identity.ServiceAccount;
import io.stoa.ldap.RequestDecoder;
import io.stoa.listen.ListenerConfig;
import io.stoa.match.ServerProfile;
import io.stoa.operation.Stage;
import io.stoa.origin.ClientStatus;
import io.stoa.page.PageStage;
import io.stoa.page.PageStage.PageConfig;
import io.stoa.probe.Probes;
import io.stoa.queue.QueueBound;
import io.stoa.replay.ReplayLimits;
import io.stoa.route.Contexts;
import io.stoa.route.RouteConfig;
import io.stoa.route.RoutingStage;
import io.stoa.tier.Branch;
import io.stoa.tier.ServerSpec;
import io.stoa.topology.DirectorySpec;
import io.stoa.topology.Suffixes;
import io.stoa.topology.TopologyStage;
import io.stoa.upstream.ReplayConfig;
import io.stoa.upstream.UpstreamConfig;
import io.stoa.upstream.UpstreamLoop;
import io.stoa.write.ReadGate;
import io.stoa.write.WaitingReads;
import io.stoa.write.Windows;
import io.stoa.write.WriteStage;
import io.stoa.write.WriteTerms;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The proxy: the only place where its parts meet. Thread-safe.
 *
 * <p>Each event loop has a chain of its own: front, adapt, page, cache, write, route, in the order
 * in which an operation meets them.
 */
public final class Proxy implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(Proxy.class);

  /** What clients page through may take so little of the heap, and large groups as much. */
  private static final int HELD_SHARE = 16;

  private final ProxyConfig config;
  private final Transport transport = Transport.best();
  private final TlsContexts tlsContexts = new TlsContexts();
  private final @Nullable TlsContext upstreamTls;
  private final EventLoopGroup group;
  private final int loops;
  private final RequestDecoder decoder;
  private volatile ServerProfile profile = ServerProfile.EXACT;
  private final List<Directory> directories = new ArrayList<>();
  private final Suffixes suffixes;
  private final QueueBound queueBound;
  private final Rebinds rebinds = new Rebinds();
  private final @Nullable ServiceAccount service;
  private final Caches caches;
  private final Contexts contexts;
  private final Consistency consistency;
  private final Windows windows;
  private final WriteTerms writeTerms;
  private final Probes probes;
  private final ExternalRules external;
  private final FrontendConfig frontendConfig;
  private final Frontend frontend;
  private volatile ClientLimits limits;
  private volatile boolean watching;
  private volatile boolean draining;

  private Proxy(ProxyConfig config, Extensions extensions) throws IOException {
    this.config = config;
    this.limits = config.limits();
    this.service = ServiceAccount.of(config.upstream().identity());
    this.upstreamTls = upstreamTls(config.upstream());
    this.loops = config.eventLoops() > 0 ? config.eventLoops() : defaultLoops();
    this.group = transport.eventLoops(loops, "stoa-loop");
    this.decoder = new RequestDecoder(config.limits().decoding());
    this.probes = new Probes(config.upstream(), decoder);
    this.queueBound = new QueueBound(config.upstream().queueLimit());
    this.contexts = new Contexts(() -> profile);
    this.consistency = consistency(config.upstream());
    List<DirectorySpec> specs = DirectorySpec.of(config.upstream().servers());
    specs.forEach(spec -> directories.add(directory(spec)));
    operate(config.upstream().servers()).forEach(change -> LOG.info("upstream {}", change));
    this.suffixes = new Suffixes(specs.stream().map(DirectorySpec::suffixes).toList());
    Outages outages = new Outages(directories, suffixes);
    this.caches = new Caches(config.cache(), config.upstream().writeCoherence(), outages);
    this.windows = new Windows(config.windows(), caches.changes(), () -> profile);
    this.writeTerms =
        new WriteTerms(
            windows,
            caches.changes(),
            consistency.waiting(),
            config.upstream().replay().disconnects(),
            config.upstream().operationTimeout());
    this.external = config.upstream().identity().externalRules(service);
    this.frontendConfig =
        new FrontendConfig(
            () -> limits,
            decoder,
            extensions.listener(),
            config.upstream().keepPasswords(),
            extensions.binds(),
            new ExternalBind(external),
            config.unexposed(),
            config.upstream().transport().proxyProtocol());
    this.frontend =
        new Frontend(transport, group, frontendConfig, loop -> context(loop, extensions));
  }

  /** Whoever has one processor still wants two loops: one connection cannot then stop another. */
  private static int defaultLoops() {
    return Math.max(2, Runtime.getRuntime().availableProcessors());
  }

  private @Nullable TlsContext upstreamTls(UpstreamConfig upstream) throws TlsException {
    UpstreamTransport how = upstream.transport();
    return upstream.tls() ? tlsContexts.client(how.tls(), how.verifyHost()) : null;
  }

  private Consistency consistency(UpstreamConfig upstream) {
    Duration longest = upstream.operationTimeout().multipliedBy(2).plus(upstream.queueTimeout());
    return new Consistency(
        upstream.replication(),
        upstream.writeCoherence(),
        longest, // it may be referred to another server
        () -> profile,
        System::nanoTime);
  }

  private Directory directory(DirectorySpec spec) {
    return new Directory(spec, config.upstream(), contexts, consistency);
  }

  /**
   * Starts to reach for the directory servers and to accept clients.
   *
   * @throws IOException if a listener's address cannot be listened on, or a file of TLS be used; in
   *     proxied-authorization mode also if the service account's password cannot be read, or a
   *     server does not honour the control
   */
  public static Proxy start(ProxyConfig config, Extensions extensions) throws IOException {
    Proxy proxy = new Proxy(config, extensions);
    try {
      if (proxy.service != null) {
        proxy.watch();
        FirstContact.await(proxy.probes.all(), config.upstream().connectTimeout());
      }
      Branch first = proxy.directories.get(proxy.suffixes.fallback()).branch();
      new ClientAccess(config, proxy.transport, first, proxy.tlsContexts).open(proxy.frontend);
    } catch (IOException e) {
      proxy.close();
      throw e;
    }
    extensions.opened().accept(proxy.listeners());
    if (proxy.service == null) {
      proxy.watch(); // not before it is known that clients can come
    }
    TransportWarnings.of(config).forEach(LOG::warn);
    return proxy;
  }

  /** The chain of one event loop. */
  private LoopContext context(EventLoop loop, Extensions extensions) {
    FlushQueue flushes = new FlushQueue(loop);
    UpstreamLoop upstream =
        new UpstreamLoop(loop, transport, flushes, queueBound, rebinds, service, upstreamTls);
    RouteConfig terms = routeConfig();
    boolean first = probes.isEmpty();
    List<RoutingStage> routes = new ArrayList<>();
    for (Directory directory : directories) {
      routes.add(directory.route(loop, upstream, config.upstream(), terms));
      if (first) {
        directory.branch().onJoin(backend -> probes.add(backend, upstream));
        directory.branch().onPart(probes::remove);
      }
    }
    WaitingReads reads = new WaitingReads(writeTerms.operationTimeout());
    WriteStage write =
        new WriteStage(
            writeTerms, loop, reads, new PoolLender(routes.get(0).pools()), joined(routes));
    CacheStage cache = new CacheStage(caches, consistency, adapted(write));
    Offer.Terms offered =
        new Offer.Terms(config.unexposed(), config.access().requireTls(), service != null);
    RootDseStage rootDse =
        new RootDseStage(new Offer(external, offered, joined()), gated(reads, paging(cache)));
    return new LoopContext(extensions.front().apply(rootDse), flushes);
  }

  /** Where nothing ever waits for a window, no read waits for that. */
  private Stage gated(WaitingReads reads, Stage next) {
    return windows.isEmpty() ? next : new ReadGate(consistency.waiting(), reads, next);
  }

  private RouteConfig routeConfig() {
    ReplayConfig replay = config.upstream().replay();
    ReplayLimits limits =
        new ReplayLimits(
            config.upstream().operationTimeout(),
            replay.hedge(),
            config.cache().bypassLimit(),
            config.cache().maxResultBytes(),
            heldShare() / directories.size());
    boolean follow = config.adapt().referrals() == Referrals.FOLLOW;
    return new RouteConfig(follow, replay.bindAffinity(), limits, queueBound);
  }

  /** One directory needs nothing before it. */
  private Stage joined(List<RoutingStage> routes) {
    return routes.size() == 1
        ? routes.get(0)
        : new TopologyStage(suffixes, routes, routes.get(0).pools().proxied());
  }

  /** What of the root DSE of the one directory that is asked for it holds for all. */
  private Joined joined() {
    if (directories.size() == 1) {
      return Joined.ALONE;
    }
    return new Joined(
        context -> suffixes.of(context.getBytes(ISO_8859_1)) == suffixes.fallback(),
        suffixes.besides(suffixes.fallback()).stream().map(Proxy::octets).toList(),
        this::everywhere);
  }

  /** Until all directories are known, nothing is hidden. */
  private boolean everywhere(String oid) {
    ServerProfile known = profile;
    return known.equals(ServerProfile.EXACT) || known.supports(oid);
  }

  private static String octets(String text) {
    return new String(text.getBytes(UTF_8), ISO_8859_1);
  }

  /** What is changed of answers before they are cached. */
  private Stage adapted(Stage next) {
    AdaptConfig wanted = config.adapt();
    Stage ranges = wanted.mergeRanges() ? new RangeStage(next, heldShare()) : next;
    return wanted.referrals() == Referrals.HIDE ? new ReferencesStage(ranges) : ranges;
  }

  /** Pages from memory, if that is wanted. */
  private Stage paging(CacheStage cache) {
    if (!config.cache().paging()) {
      return cache;
    }
    PageConfig pages = new PageConfig(config.cache().bypassLimit(), heldShare());
    return new PageStage(pages, () -> profile, new PageMemory(cache), cache);
  }

  /** Octets that may be held on each loop for one of these purposes. */
  private long heldShare() {
    return Runtime.getRuntime().maxMemory() / HELD_SHARE / loops;
  }

  private void watch() {
    directories.forEach(directory -> directory.watch(decoder, this::known));
    directories.forEach(directory -> directory.branch().onJoin(this::tellCaches));
    directories.forEach(this::watchPositions);
    watching = true;
    probes.start();
    directories.forEach(directory -> directory.find(config.upstream().names()));
    EventLoop loop = (EventLoop) directories.get(0).first();
    directories.forEach(
        one -> OutlierWatch.start(one.branch(), config.upstream().balance().ejection(), loop));
    long sweep = Math.max(1_000, config.cache().maxAge().toMillis());
    loop.scheduleAtFixedRate(new GuardedTask(caches::sweep), sweep, sweep, TimeUnit.MILLISECONDS);
  }

  private void tellCaches(Backend backend) {
    backend.health().onState(state -> caches.serverMoved());
  }

  private void watchPositions(Directory directory) {
    new PositionWatch(consistency, config.upstream().replication(), directory.branch(), probes)
        .start((EventLoop) directory.first());
  }

  /** All watches run on one loop. */
  private void known() {
    ServerProfile known =
        directories.stream().map(Directory::profile).reduce(ServerProfile::and).orElseThrow();
    profile = known;
    consistency.renamed();
    caches.profile(known);
  }

  /**
   * Makes the servers what they are configured to be now: drained or not, of another weight, or
   * with new connections. What else differs has no effect; no operation fails for any of it.
   *
   * @return a line for people for each change
   */
  public List<String> operate(List<ServerSpec> servers) {
    return directories.stream().flatMap(directory -> directory.operate(servers).stream()).toList();
  }

  /**
   * Makes it what it is configured to be now, as far as that can change while it runs: the caches,
   * the limits of clients, the servers' connections, and what {@link #operate} changes.
   *
   * @return a line for people for each change of a server
   */
  public synchronized List<String> reconfigure(ProxyConfig now) {
    caches.configure(now.cache());
    limits = now.limits();
    int most = now.upstream().maxConnections();
    directories.forEach(directory -> directory.maxConnections(most));
    return operate(now.upstream().servers());
  }

  /** The TCP addresses on which clients are accepted, in the order of the configuration. */
  public List<InetSocketAddress> addresses() {
    return frontend.addresses();
  }

  /** All listeners, in the order of the configuration, with the ports that were chosen. */
  public List<ListenerConfig> listeners() {
    return frontend.listeners();
  }

  /** Switches all caching on or off. */
  public void cachingEnabled(boolean enabled) {
    caches.enabled(enabled);
  }

  /** Why it is not ready; empty if it is. */
  private String notReady() {
    if (draining) {
      return "shutting down";
    }
    if (backends().noneMatch(Backend::usable)) {
      return "no directory server can be used";
    }
    boolean tried = watching && directories.stream().allMatch(Directory::tried);
    return tried ? "" : "the directory's schema is being read";
  }

  private Stream<Backend> backends() {
    return directories.stream().flatMap(directory -> directory.branch().backends().stream());
  }

  /** In which writes wait, to be looked at and steered. */
  public Windows windows() {
    return windows;
  }

  /** What it can be told to do. */
  public Steering steering() {
    Explainer explainer =
        new Explainer(config.cache(), caches, consistency, decoder, () -> profile);
    return new Steering(frontend, caches, directories, explainer);
  }

  /** The proxy as it is now. */
  public ProxyStatus status() {
    String notReady = notReady();
    return new ProxyStatus(
        notReady.isEmpty(),
        notReady,
        frontend.connections(),
        limits.connections(),
        frontend.operationsInFlight(),
        queueBound.waiting(),
        caches.fillsInFlight(),
        consistency.remembered(),
        frontend.readWaiters(),
        frontend.writeWaiters(),
        loops,
        caches.stats(),
        tlsContexts.status(),
        backends().map(Backend::status).toList(),
        config.upstream().queueLimit(),
        queueBound.longest(),
        frontend.full(),
        listeners(),
        profile.contextNames(),
        directories.stream().map(directory -> directory.branch().status()).toList(),
        windows.status());
  }

  /**
   * Has counted again what {@link #status} tells of clients as it was a moment ago.
   *
   * @param named whether the clients are wanted, too
   */
  public CompletableFuture<List<ClientStatus>> survey(boolean named) {
    return frontend.survey(named);
  }

  /** Accepts no more clients, and waits until those there are have been answered, or too long. */
  public void drain(Duration grace) {
    draining = true;
    windows.drain();
    frontend.drain().awaitUninterruptibly(grace.toMillis());
  }

  /** Ends all connections and threads. */
  @Override
  public void close() {
    draining = true;
    frontend.close();
    probes.stop();
    directories.forEach(Directory::close);
    Transport.end(group);
    probes.close();
    if (service != null) {
      service.close();
    }
    tlsContexts.close();
  }
}
