// SPDX-License-Identifier: Apache-2.0
package io.stoa.proxy;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;

import io.netty.channel.EventLoop;
import io.netty.channel.EventLoopGroup;
import io.stoa.cache.maintenance.CacheMaintenance;
import io.stoa.cache.paging.OversizedSearches;
import io.stoa.cache.paging.PageContext;
import io.stoa.cache.paging.PageStage;
import io.stoa.cache.result.CacheStage;
import io.stoa.cache.result.Caches;
import io.stoa.client.access.AccessControl;
import io.stoa.client.access.AccessStage;
import io.stoa.client.auth.ExternalBind;
import io.stoa.client.connection.EventLoopContext;
import io.stoa.client.connection.Frontend;
import io.stoa.client.connection.FrontendConfig;
import io.stoa.client.connection.WaitingResponses;
import io.stoa.client.limit.LimitStage;
import io.stoa.client.limit.PagedSearches;
import io.stoa.client.listener.ListenerConfig;
import io.stoa.client.quota.ClientQuotas;
import io.stoa.client.quota.QuotaStage;
import io.stoa.client.rootdse.AdaptConfig;
import io.stoa.client.rootdse.AdaptConfig.Referrals;
import io.stoa.client.rootdse.DirectoryCapabilities;
import io.stoa.client.rootdse.RootDseFilter;
import io.stoa.client.rootdse.RootDseStage;
import io.stoa.ldap.protocol.RequestDecoder;
import io.stoa.ldap.schema.ServerProfile;
import io.stoa.metrics.ProxyStatus;
import io.stoa.net.codec.FlushQueue;
import io.stoa.net.tls.TlsContext;
import io.stoa.net.tls.TlsContexts;
import io.stoa.net.tls.TlsException;
import io.stoa.net.transport.GuardedTask;
import io.stoa.net.transport.Transport;
import io.stoa.operation.Stage;
import io.stoa.operation.event.ClientChoice;
import io.stoa.operation.event.ClientStatus;
import io.stoa.operation.external.ExternalRules;
import io.stoa.proxy.feeds.ChangeFeeds;
import io.stoa.proxy.feeds.CoverageFile;
import io.stoa.proxy.position.ReplicaPositionMonitor;
import io.stoa.replication.SessionGuarantees;
import io.stoa.routing.NamingContexts;
import io.stoa.routing.RouteConfig;
import io.stoa.routing.RoutingStage;
import io.stoa.routing.directory.DirectorySpec;
import io.stoa.routing.directory.SuffixTable;
import io.stoa.routing.directory.TopologyStage;
import io.stoa.upstream.activedirectory.RangeStage;
import io.stoa.upstream.activedirectory.ReferencesStage;
import io.stoa.upstream.admission.QueueBound;
import io.stoa.upstream.auth.BindCoalescer;
import io.stoa.upstream.auth.NeverProxied;
import io.stoa.upstream.auth.ServiceAccount;
import io.stoa.upstream.balancing.OutlierWatch;
import io.stoa.upstream.balancing.ServerGroup;
import io.stoa.upstream.balancing.ServerSpec;
import io.stoa.upstream.connect.Dialer;
import io.stoa.upstream.connect.UpstreamTransport;
import io.stoa.upstream.health.Peers;
import io.stoa.upstream.health.Probes;
import io.stoa.upstream.health.StartupCheck;
import io.stoa.upstream.pool.UpstreamConfig;
import io.stoa.upstream.pool.UpstreamLoop;
import io.stoa.upstream.server.Backend;
import io.stoa.write.PendingWriteGate;
import io.stoa.write.WaitingReads;
import io.stoa.write.Windows;
import io.stoa.write.WriteContext;
import io.stoa.write.WriteStage;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The proxy: the only place where its parts meet.
 *
 * <p>Each event loop has a chain of its own: front, adapt, page, cache, write, route, in the order
 * in which an operation passes them.
 *
 * <p>Threading: thread-safe.
 */
public final class Proxy implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(Proxy.class);

  /** Interval in ms between checks of the proofs that directories are local: 100 ms. */
  private static final long PROOF_MILLIS = 100;

  private final ProxyConfig config;
  private final Transport transport = Transport.best();
  private final TlsContexts tlsContexts = new TlsContexts();
  private final @Nullable TlsContext upstreamTls;
  private final EventLoopGroup group;
  private final int loops;
  private final RequestDecoder decoder;
  private volatile ServerProfile profile = ServerProfile.EXACT;
  private final List<Directory> directories = new ArrayList<>();
  private final SuffixTable suffixes;
  private final QueueBound queueBound;
  private final BindCoalescer rebinds = new BindCoalescer();
  private final AtomicLong connectionNumbers = new AtomicLong();
  private final @Nullable ServiceAccount service;
  private final Caches caches;
  private final NamingContexts contexts;
  private final SessionGuarantees guarantees;
  private final ChangeFeeds feeds;
  private final LocalProofs proofs;
  private final CacheMaintenance maintenance;
  private final Windows windows;
  private final WriteContext writeContext;
  private final PageContext pageContext;
  private final PagedSearches pagedSearches = new PagedSearches();
  private final Probes probes;
  private final ExternalRules external;
  private final FrontendConfig frontendConfig;
  private final Frontend frontend;
  private final LiveConfig live;
  private volatile boolean watching;
  private volatile boolean draining;

  private Proxy(ProxyConfig config, Extensions extensions) throws IOException {
    this.config = config;
    this.service = ServiceAccount.of(config.upstream().identity());
    this.upstreamTls = upstreamTls(config.upstream());
    this.loops = config.loops();
    this.group = transport.eventLoops(loops, "stoa-loop");
    List<DirectorySpec> specs = DirectorySpec.of(config.upstream().servers());
    this.live = new LiveConfig(config, loops, specs.size());
    this.decoder = new RequestDecoder(live::decoding);
    this.pageContext = new PageContext(live::pages, () -> profile, new OversizedSearches());
    this.probes = new Probes(live::upstream, decoder);
    this.queueBound = new QueueBound(() -> live.upstream().queueLimit());
    this.contexts = new NamingContexts(() -> profile);
    this.guarantees = consistency();
    specs.forEach(spec -> directories.add(directory(spec)));
    applyServers(config.upstream().servers()).forEach(change -> LOG.info("upstream {}", change));
    this.suffixes = new SuffixTable(specs.stream().map(DirectorySpec::suffixes).toList());
    this.caches = caches(new Availability(directories, suffixes));
    this.feeds = changeFeeds(new CoverageFile(extensions.feedState()));
    this.proofs = new LocalProofs(directories, feeds);
    this.maintenance = new CacheMaintenance(caches, decoder, config.coherence().maxStaleness());
    this.windows = new Windows(config.windows(), feeds.changes(), () -> profile);
    this.writeContext = newWriteContext();
    this.external = config.upstream().identity().externalRules(service);
    this.frontendConfig = clientConnections(extensions);
    this.frontend =
        new Frontend(
            transport,
            group,
            frontendConfig,
            extensions.sockets(),
            loop -> context(loop, extensions));
  }

  private FrontendConfig clientConnections(Extensions extensions) {
    return new FrontendConfig(
        live::limits,
        decoder,
        extensions.counters(),
        name -> config.upstream().keepPasswords() && !rebinds.isOneTime(name),
        extensions.binds(),
        new ExternalBind(external, NeverProxied::same),
        config.refusesCleartextSasl(),
        new WaitingResponses(),
        config.upstream().transport().proxyProtocol(),
        new AccessControl(live::rules, () -> profile),
        new ClientQuotas(
            () -> live.limits().quotas(),
            () -> live.limits().connections(),
            () -> profile,
            extensions.counters()),
        extensions.access());
  }

  private ChangeFeeds changeFeeds(CoverageFile coverageFile) {
    Duration maxAge = config.cache().maxAge();
    return new ChangeFeeds(config.coherence(), caches, maxAge, upstreamTls, coverageFile);
  }

  private @Nullable TlsContext upstreamTls(UpstreamConfig upstream) throws TlsException {
    UpstreamTransport transportConfig = upstream.transport();
    return upstream.usesTls()
        ? tlsContexts.client(transportConfig.tls(), transportConfig.verifyHost())
        : null;
  }

  private Caches caches(Availability outages) {
    return new Caches(
        config.cache(),
        () -> live.upstream().writeCoherence(),
        outages,
        Caches.ClockAndRandom.SYSTEM);
  }

  private SessionGuarantees consistency() {
    return new SessionGuarantees(
        config.upstream().replication(),
        () -> live.upstream().writeCoherence(),
        live::maxWriteDuration,
        () -> profile,
        System::nanoTime);
  }

  private WriteContext newWriteContext() {
    return new WriteContext(
        windows,
        feeds.changes(),
        guarantees.waiting(),
        live::disconnects,
        () -> live.upstream().operationTimeout(),
        System::nanoTime);
  }

  private Directory directory(DirectorySpec spec) {
    return new Directory(spec, live::upstream, contexts, guarantees);
  }

  /**
   * Connects to the directory servers and listens. Clients can connect, but none is accepted before
   * {@link #accept}.
   *
   * @throws IOException if a listener's address or a TLS file cannot be used; in
   *     proxied-authorization mode also if the service account's password cannot be read, or a
   *     server does not honour the control
   */
  public static Proxy open(ProxyConfig config, Extensions extensions) throws IOException {
    Proxy proxy = new Proxy(config, extensions);
    try {
      ServerGroup first = proxy.directories.get(proxy.suffixes.fallback()).branch();
      new ClientAccess(config, proxy.transport, first, proxy.tlsContexts).open(proxy.frontend);
      if (proxy.service != null) {
        proxy.watch();
        StartupCheck.await(proxy.probes.all(), config.upstream().connectTimeout());
      }
    } catch (IOException | RuntimeException e) {
      proxy.close();
      throw e;
    }
    extensions.opened().accept(proxy.listeners());
    if (proxy.service == null) {
      proxy.watch(); // not before the listeners are known to be open
    }
    TransportWarnings.of(config).forEach(LOG::warn);
    return proxy;
  }

  /** Starts to accept clients. */
  public void accept() {
    frontend.accept();
  }

  /** Creates the chain of one event loop. */
  private EventLoopContext context(EventLoop loop, Extensions extensions) {
    FlushQueue flushes = new FlushQueue(loop);
    UpstreamLoop upstream =
        new UpstreamLoop(
            loop,
            settings -> new Dialer(loop, transport, upstreamTls, settings)::dial,
            flushes,
            queueBound,
            rebinds,
            service,
            connectionNumbers::incrementAndGet);
    RouteConfig routeConfig = live.route(queueBound);
    boolean firstLoop = probes.isEmpty();
    List<RoutingStage> routes = new ArrayList<>();
    for (Directory directory : directories) {
      routes.add(directory.route(loop, upstream, routeConfig));
      if (firstLoop) {
        probe(directory.branch(), upstream);
      }
    }
    WaitingReads reads = new WaitingReads(writeContext.timeout(), System::nanoTime);
    WriteStage write =
        new WriteStage(
            writeContext, loop, reads, new CredentialLender(routes.get(0).pools()), joined(routes));
    CacheStage cache = new CacheStage(caches, guarantees, adapted(write));
    maintenance.addEventLoop(loop, cache, () -> frontend.sessions(loop));
    Stage paged = new PageStage(pageContext, cache);
    RootDseFilter.Config offered =
        new RootDseFilter.Config(
            config.refusesCleartextSasl(), config.access().requireTls(), service != null);
    RootDseStage rootDse =
        new RootDseStage(new RootDseFilter(external, offered, joined()), gated(reads, paged));
    Stage limited =
        new LimitStage(() -> live.limits().search(), () -> profile, pagedSearches, rootDse);
    Stage accessed = new AccessStage(frontendConfig.accessControl(), limited);
    Stage first = new QuotaStage(frontendConfig.quotas(), extensions.front().apply(accessed));
    return new EventLoopContext(first, flushes, cache.hits());
  }

  private void probe(ServerGroup group, UpstreamLoop loop) {
    Peers peers = new Peers(group::backends, () -> live.upstream().probe().mismatch());
    group.onAdded(backend -> probes.add(backend, loop, peers));
    group.onRemoved(probes::remove);
    group.onRemoved(peers::forget);
  }

  /** Adds the gate for reads behind pending writes, if there are write windows. */
  private Stage gated(WaitingReads reads, Stage next) {
    return windows.isEmpty() ? next : new PendingWriteGate(guarantees.waiting(), reads, next);
  }

  /**
   * Returns the stage for all directories. A single directory needs no routing between directories.
   */
  private Stage joined(List<RoutingStage> routes) {
    return routes.size() == 1
        ? routes.get(0)
        : new TopologyStage(suffixes, routes, routes.get(0).pools().proxied());
  }

  /** Returns the capabilities that hold for all directories, to be shown in the one root DSE. */
  private DirectoryCapabilities joined() {
    if (directories.size() == 1) {
      return DirectoryCapabilities.ALONE;
    }
    return new DirectoryCapabilities(
        context -> suffixes.of(context.getBytes(ISO_8859_1)) == suffixes.fallback(),
        suffixes.otherSuffixes(suffixes.fallback()).stream()
            .map(text -> new String(text.getBytes(UTF_8), ISO_8859_1))
            .toList(),
        this::isSupportedEverywhere);
  }

  /** True if all directories support the OID. Until all are known, nothing is hidden. */
  private boolean isSupportedEverywhere(String oid) {
    ServerProfile current = profile;
    return current.equals(ServerProfile.EXACT) || current.supports(oid);
  }

  /** Adds the stages that change answers before they are cached. */
  private Stage adapted(Stage next) {
    AdaptConfig adaptConfig = config.adapt();
    Stage ranges = adaptConfig.mergeRanges() ? new RangeStage(next, live.heldShare()) : next;
    return adaptConfig.referrals() == Referrals.HIDE ? new ReferencesStage(ranges) : ranges;
  }

  private void watch() {
    directories.forEach(directory -> directory.watch(decoder, this::onDirectoryChange));
    directories.forEach(
        one -> one.branch().onAdded(it -> it.health().onState(state -> caches.onServerChange())));
    directories.forEach(this::watchPositions);
    List<ServerGroup> branches = directories.stream().map(Directory::branch).toList();
    feeds.begin(suffixes, branches, live::upstream, probes, directories.get(0).watchLoop());
    watching = true;
    probes.start();
    directories.forEach(directory -> directory.resolveServers(config.upstream().names()));
    EventLoop loop = (EventLoop) directories.get(0).watchLoop();
    loop.scheduleAtFixedRate(
        new GuardedTask("proofs of local databases", this::checkLocalProofs),
        PROOF_MILLIS,
        PROOF_MILLIS,
        TimeUnit.MILLISECONDS);
    directories.forEach(
        one -> OutlierWatch.start(one.branch(), () -> live.upstream().balance().ejection(), loop));
  }

  private void watchPositions(Directory directory) {
    new ReplicaPositionMonitor(
            guarantees, config.upstream().replication(), directory.branch(), probes)
        .start((EventLoop) directory.watchLoop());
  }

  /** Checks whether the proof of a directory was gained or lost. */
  private void checkLocalProofs() {
    if (proofs.check()) {
      onDirectoryChange();
    }
  }

  /** Called when a directory has changed. All watches run on one loop. */
  private void onDirectoryChange() {
    ServerProfile newProfile = proofs.profile();
    profile = newProfile;
    caches.setProfile(newProfile);
    feeds.onSchemaChange(directories.stream().map(Directory::profile).toList());
  }

  /**
   * Applies the configuration of servers: drained or not, weight, or new connections. Other
   * differences have no effect. No operation fails.
   *
   * @return a line for administrators for each change
   */
  public List<String> applyServers(List<ServerSpec> servers) {
    return directories.stream()
        .flatMap(directory -> directory.applyServers(servers).stream())
        .toList();
  }

  /**
   * Applies a new configuration, as far as settings can change at run time: caches, client limits,
   * connections to servers, closing times of windows, and all of {@link #applyServers}.
   *
   * @return a line for administrators for each change of a server or a window
   */
  public synchronized List<String> reconfigure(ProxyConfig now) {
    caches.configure(now.cache());
    live.apply(now);
    directories.forEach(Directory::applyLimits);
    List<String> changes = new ArrayList<>(applyServers(now.upstream().servers()));
    changes.addAll(windows.reconfigure(now.windows()));
    return changes;
  }

  /** Returns the TCP addresses on which clients are accepted, in the order of the configuration. */
  public List<InetSocketAddress> addresses() {
    return frontend.addresses();
  }

  /** Returns all listeners, in the order of the configuration, with the ports that were chosen. */
  public List<ListenerConfig> listeners() {
    return frontend.listeners();
  }

  /** Switches all caching on or off. */
  public void setCachingEnabled(boolean enabled) {
    caches.setEnabled(enabled);
  }

  /** Returns why the proxy is not ready; empty if it is. */
  public String reasonNotReady() {
    if (draining) {
      return "shutting down";
    }
    if (backends().noneMatch(Backend::isUsable)) {
      return "no directory server is usable";
    }
    boolean attempted = watching && directories.stream().allMatch(Directory::isSchemaSettled);
    return attempted ? "" : "the directory's schema is being read";
  }

  private Stream<Backend> backends() {
    return directories.stream().flatMap(directory -> directory.branch().backends().stream());
  }

  /** Returns the write windows, for inspection and control. */
  public Windows windows() {
    return windows;
  }

  /** Returns the administrator's commands. */
  public AdminCommands adminCommands() {
    Explainer explainer = new Explainer(pageContext, caches, guarantees, decoder);
    return new AdminCommands(frontend, caches, maintenance, directories, explainer);
  }

  /** Returns the current status of the proxy. */
  public ProxyStatus status() {
    String notReady = reasonNotReady();
    return new ProxyStatus(
        notReady.isEmpty(),
        notReady,
        frontend.connections(),
        live.limits().connections(),
        frontend.operationsInFlight(),
        queueBound.waiting(),
        caches.fillsInFlight(),
        guarantees.unreplicatedWrites(),
        frontend.readWaiters(),
        frontend.writeWaiters(),
        frontend.requestMemory(),
        loops,
        caches.stats(),
        tlsContexts.status(),
        backends().map(Backend::status).toList(),
        live.upstream().queueLimit(),
        queueBound.longest(),
        frontend.full(),
        listeners(),
        frontend.accepted(),
        profile.contextNames(),
        directories.stream().map(directory -> directory.branch().status()).toList(),
        windows.status(),
        feeds.status(),
        feeds.absent(),
        maintenance.status());
  }

  /** Completes when each event loop has run a task; a loop that stalls delays it. */
  public CompletableFuture<Void> loopsAnswered() {
    List<CompletableFuture<Void>> answers = new ArrayList<>();
    group.forEach(loop -> answers.add(CompletableFuture.runAsync(() -> {}, loop)));
    return CompletableFuture.allOf(answers.toArray(CompletableFuture[]::new));
  }

  /**
   * Counts anew the client figures of {@link #status}, which may lag for a moment.
   *
   * @param choice the clients to return
   */
  public CompletableFuture<List<ClientStatus>> survey(ClientChoice choice) {
    return frontend.survey(choice);
  }

  /**
   * Accepts no more clients, and waits until the connected ones have been answered, or for the
   * grace period. Logs how many connections have ended, and how many have not.
   */
  public void drain(Duration grace) {
    draining = true;
    windows.drain();
    int connected = frontend.connections();
    frontend.drain().awaitUninterruptibly(grace.toMillis());
    int left = frontend.connections();
    LOG.info(
        "drained: client connections ended when idle={}, ended by drainTimeout={}",
        Math.max(0, connected - left),
        left);
  }

  /** Closes all connections and threads. */
  @Override
  public void close() {
    draining = true;
    frontend.close();
    probes.stop();
    maintenance.close();
    feeds.close();
    directories.forEach(Directory::close);
    Transport.shutDown(group);
    probes.close();
    if (service != null) {
      service.close();
    }
    tlsContexts.close();
  }
}
