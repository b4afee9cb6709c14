// SPDX-License-Identifier: Apache-2.0
package io.stoa.server;

import io.stoa.client.auth.LocalBinds;
import io.stoa.client.listener.AccessConfig;
import io.stoa.client.listener.InheritedSockets;
import io.stoa.client.listener.ListenerConfig;
import io.stoa.client.listener.ListenerConfig.Protocol;
import io.stoa.ldap.protocol.OpType;
import io.stoa.net.transport.FailureText;
import io.stoa.operation.ClientIdentity;
import io.stoa.operation.Operation;
import io.stoa.operation.OperationCounters;
import io.stoa.operation.Stage;
import io.stoa.operation.event.ClientEvent;
import io.stoa.operation.external.ExternalRule;
import io.stoa.operation.external.ExternalRules;
import io.stoa.proxy.Extensions;
import io.stoa.proxy.Proxy;
import io.stoa.proxy.ProxyConfig;
import io.stoa.server.accesslog.AccessLogs;
import io.stoa.server.admin.action.Action;
import io.stoa.server.admin.action.Actions;
import io.stoa.server.admin.auth.AdministratorBinds;
import io.stoa.server.admin.auth.AdministratorGate;
import io.stoa.server.admin.auth.OwnTrees;
import io.stoa.server.admin.monitor.Audience;
import io.stoa.server.admin.monitor.ExplainStage;
import io.stoa.server.admin.monitor.MalformedSearches;
import io.stoa.server.admin.monitor.MonitorDocument;
import io.stoa.server.admin.monitor.MonitorSource;
import io.stoa.server.admin.monitor.MonitorStage;
import io.stoa.server.admin.monitor.TimeForm;
import io.stoa.server.admin.trace.TraceStage;
import io.stoa.server.admin.trace.Traces;
import io.stoa.server.config.ManagementConfig;
import io.stoa.server.config.ServerConfig;
import io.stoa.server.localtree.AnswerQueue;
import io.stoa.server.management.ManagementProtection;
import io.stoa.server.management.ManagementServer;
import io.stoa.server.management.ManagementSource;
import io.stoa.server.reconfigure.ConfigurationStage;
import io.stoa.server.reconfigure.ConfigurationStage.ProcessActions;
import io.stoa.server.reconfigure.OwnRootDse;
import io.stoa.server.reconfigure.RuntimeConfiguration;
import io.stoa.upstream.balancing.ServerSpec;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The proxy with its own trees and its management listener. Threading: thread-safe. */
public final class StoaServer implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(StoaServer.class);

  private final ServerConfig config;
  private final OperationCounters counters = new OperationCounters();
  private final @Nullable RuntimeConfiguration runtime;
  private final AdministratorBinds administrators;
  private final ProxyHandle handle = new ProxyHandle();
  private final Actions actions = new Actions();
  private final AnswerQueue answers = new AnswerQueue();
  private final AccessLogs logs;
  private final Traces traces;
  private final InheritedSockets sockets;
  private final LogLevels levels = new LogLevels();
  private final RecentWarnings warnings;
  private final AdministratorActions operator;
  private volatile ServerConfig liveConfig;
  private final MonitorSource monitor;
  private final Proxy proxy;
  private final @Nullable ManagementServer management;
  private final ReadinessLog readiness;

  private StoaServer(
      ServerConfig config,
      @Nullable RuntimeConfiguration runtime,
      InheritedSockets sockets,
      RecentWarnings warnings)
      throws StartException {
    this.warnings = warnings;
    this.sockets = sockets;
    this.config = config;
    this.runtime = runtime;
    this.liveConfig = config;
    this.administrators = administrators();
    levels.configure(config.logLevels());
    this.logs = openLogs(config);
    this.traces = new Traces(logs);
    List<ServerSpec> servers = config.proxy().upstream().servers();
    this.operator =
        new AdministratorActions(handle, new ServerOverrides(runtime, servers, handle), runtime);
    this.monitor = monitorSource();
    this.proxy = startProxy(config.proxy());
    try {
      this.management = startManagement(config.management());
    } catch (StartException e) {
      proxy.close();
      logs.close();
      throw e;
    }
    proxy.accept();
    if (runtime != null) {
      runtime.attach(this::reconfigure);
      runtime.warnings().forEach(LOG::warn);
    }
    levels.start();
    this.readiness = new ReadinessLog(proxy::reasonNotReady).start();
  }

  /**
   * Starts the server. Returns when all listeners listen; directory servers may be down. No client
   * is accepted before all listeners listen, including the management listener.
   *
   * @throws StartException if an address cannot be listened on
   */
  public static StoaServer start(ServerConfig config) throws StartException {
    return start(config, null, InheritedSockets.NONE);
  }

  /** Starts a server that binds all listeners itself. */
  static StoaServer start(ServerConfig config, @Nullable RuntimeConfiguration runtime)
      throws StartException {
    return start(config, runtime, InheritedSockets.NONE);
  }

  /**
   * Starts a server whose configuration can change while it runs.
   *
   * @param runtime holds the configuration; closed with the server
   * @param sockets sockets of listeners that the service manager has opened
   */
  static StoaServer start(
      ServerConfig config, @Nullable RuntimeConfiguration runtime, InheritedSockets sockets)
      throws StartException {
    RecentWarnings warnings = new RecentWarnings();
    try {
      return new StoaServer(config, runtime, sockets, warnings);
    } catch (StartException | RuntimeException e) {
      warnings.close();
      throw e;
    }
  }

  private AccessLogs openLogs(ServerConfig config) throws StartException {
    try {
      return new AccessLogs(config.logs(), counters);
    } catch (IOException e) {
      throw new StartException(String.valueOf(e.getMessage()), e);
    }
  }

  /** Returns the access log and the audit log. */
  public AccessLogs logs() {
    return logs;
  }

  private List<String> reconfigure(ServerConfig changed) {
    List<String> changes = new ArrayList<>(logs.configure(changed.logs()).stream().toList());
    levels.configure(changed.logLevels());
    ProxyConfig before = liveConfig.proxy();
    liveConfig = changed;
    Budgets budgets = Budgets.ofProcess();
    ProxyConfig within = budgets.within(changed.proxy());
    if (!Budgets.haveEqualLimits(before, changed.proxy())) {
      budgets.warn(changed.proxy(), within);
    }
    changes.addAll(proxy.reconfigure(within));
    return changes;
  }

  private Proxy startProxy(ProxyConfig proxyConfig) throws StartException {
    resolveListeners(proxyConfig);
    try {
      Extensions extensions =
          new Extensions(
              this::firstStage,
              counters,
              ownTrees().configuration() ? administrators : LocalBinds.NONE,
              listeners -> logStart(proxyConfig, listeners),
              runtime == null ? null : runtime.feedState(),
              traces,
              sockets);
      Budgets budgets = Budgets.ofProcess();
      ProxyConfig within = budgets.within(proxyConfig);
      Proxy started = Proxy.open(within, extensions);
      budgets.warn(proxyConfig, within);
      handle.attach(started);
      return started;
    } catch (IOException e) {
      throw new StartException(FailureText.of(e), e);
    }
  }

  private AdministratorBinds administrators() {
    List<ExternalRule> rules = config.proxy().upstream().identity().external();
    return new AdministratorBinds(
        () -> liveConfig.administrator(), new ExternalRules(rules, authzId -> false)::matches);
  }

  private Stage firstStage(Stage next) {
    Stage gate =
        new AdministratorGate(
            () -> liveConfig.administrator(),
            this::administratorStage,
            this::trees,
            next,
            this::countOwnSearch);
    return new MalformedSearches(gate, counters);
  }

  /** Returns the stage for requests of the administrator that concern no tree. */
  private Stage administratorStage(Stage refusal) {
    Stage rootDse =
        new OwnRootDse(refusal, this::countOwnSearch, StoaVersion.product(), ownTrees().monitor());
    return new ExplainStage(rootDse, this::countOwnSearch, handle::explain, answers);
  }

  private Stage trees(Stage end) {
    Stage shown = ownTrees().monitor() ? traced(new MonitorStage(end, monitor)) : end;
    return ownTrees().configuration()
        ? new ConfigurationStage(
            shown,
            counters,
            runtime,
            new ProcessActions(processActions(), actions, levels::lines),
            answers)
        : shown;
  }

  private Stage traced(Stage monitor) {
    return new TraceStage(monitor, this::countOwnSearch, traces, () -> liveConfig.logs());
  }

  private List<Action> processActions() {
    return Stream.concat(operator.processActions().stream(), levels.actions().stream()).toList();
  }

  private OwnTrees ownTrees() {
    return config.administrator().trees();
  }

  private void countOwnSearch(Operation operation) {
    if (operation.type() == OpType.SEARCH_REQUEST) {
      counters.events().increment(ClientEvent.OWN_SEARCH);
    }
  }

  /** Logs the first lines, once the listeners are open: version, listeners and servers. */
  private static void logStart(ProxyConfig config, List<ListenerConfig> listeners) {
    LOG.info("{}, Java {}", StoaVersion.product(), Runtime.version());
    logListeners(config.access(), listeners);
    LOG.info("directory servers: {}", config.upstream().addresses());
  }

  private static void logListeners(AccessConfig access, List<ListenerConfig> listeners) {
    String secrets = access.requireTls() ? ", passwords require TLS" : "";
    String startTls = access.tls() == null ? "" : " (StartTLS" + secrets + ")";
    for (ListenerConfig listener : listeners) {
      LOG.info("listening on {}{}", listener, listener.kind() == Protocol.LDAP ? startTls : "");
    }
  }

  /**
   * Resolves the hosts of all client listeners.
   *
   * @throws StartException if a host is unknown
   */
  static void resolveListeners(ProxyConfig config) throws StartException {
    for (ListenerConfig listener : config.access().listeners()) {
      if (listener.isTcp()) {
        resolve(listener);
      }
    }
  }

  private static InetSocketAddress resolve(ListenerConfig listener) throws StartException {
    InetSocketAddress address = new InetSocketAddress(listener.host(), listener.port());
    if (address.isUnresolved()) {
      throw StartException.cannotListen(listener, "unknown host", null);
    }
    return address;
  }

  private MonitorSource monitorSource() {
    Clock clock = Clock.systemUTC();
    return new MonitorSource(
        counters,
        handle::status,
        handle::survey,
        handle::connections,
        handle::digests,
        () -> handle.advice(counters),
        warnings::lines,
        session -> audience(session.identity()),
        StoaVersion.product(),
        config.ibmTimes() ? TimeForm.IBM : TimeForm.GENERALIZED,
        clock,
        clock.instant(),
        operator,
        actions,
        answers,
        ownTrees().configuration());
  }

  private Audience audience(ClientIdentity client) {
    if (client.isAdministrator()) {
      return Audience.ADMINISTRATOR;
    }
    return liveConfig.administrator().isReader(client) ? Audience.READER : Audience.ANY_CLIENT;
  }

  private @Nullable ManagementServer startManagement(ManagementConfig managementConfig)
      throws StartException {
    ListenerConfig listener = managementConfig.listener();
    if (listener == null) {
      return null;
    }
    ManagementProtection protection = protection(managementConfig);
    try {
      return listen(listener, managementConfig, protection);
    } catch (StartException e) {
      protection.close();
      throw e;
    }
  }

  private ManagementServer listen(
      ListenerConfig listener, ManagementConfig managementConfig, ManagementProtection protection)
      throws StartException {
    try {
      return listen(listener, protection);
    } catch (StartException e) {
      if (!managementConfig.address().anyPort()) {
        throw e;
      }
      LOG.warn("{}; using a free port (set management.listen to choose one)", e.getMessage());
      return listen(new ListenerConfig(listener.host(), 0), protection);
    }
  }

  private static ManagementProtection protection(ManagementConfig config) throws StartException {
    try {
      return new ManagementProtection(config.tls(), config.tokenFile());
    } catch (IOException e) {
      throw new StartException("management listener: " + FailureText.of(e), e);
    }
  }

  private ManagementServer listen(ListenerConfig listener, ManagementProtection protection)
      throws StartException {
    ManagementSource source =
        new ManagementSource(
            counters,
            proxy::status,
            number -> proxy.adminCommands().caches().digests().costliest(number),
            config.proxy().upstream().addresses(),
            proxy::setCachingEnabled,
            new MonitorDocument(monitor)::read);
    try {
      ManagementServer server =
          ManagementServer.start(resolve(listener), protection, source, sockets.of(listener));
      LOG.info("management listening on {}", AddressText.of(server.address()));
      return server;
    } catch (IOException e) {
      throw StartException.cannotListen(listener, FailureText.of(e), e);
    }
  }

  /** Returns the addresses of the client listeners, in the order of the configuration. */
  public List<InetSocketAddress> addresses() {
    return proxy.addresses();
  }

  /** Returns the address of the management listener; null if there is none. */
  public @Nullable InetSocketAddress managementAddress() {
    return management == null ? null : management.address();
  }

  /** Returns the proxy. */
  public Proxy proxy() {
    return proxy;
  }

  /** Returns the counters of operations. */
  public OperationCounters counters() {
    return counters;
  }

  /**
   * Sets the action by which the administrator shuts the process down. Without it, the action
   * {@code shutdown} is refused.
   */
  public void onShutdown(Runnable end) {
    operator.onShutdown(end);
  }

  /** Returns the maximum time that {@link #drain} waits. */
  Duration drainTimeout() {
    return liveConfig.drainTimeout();
  }

  /**
   * Drains: takes no new requests, and waits for those in flight for at most {@code drainTimeout}.
   */
  public void drain() throws InterruptedException {
    if (management != null) {
      management.drain();
    }
    proxy.drain(drainTimeout());
  }

  /** Closes everything at once. Returns when the threads of the proxy have ended. */
  @Override
  public void close() {
    readiness.close();
    if (runtime != null) {
      runtime.close();
    }
    proxy.close();
    administrators.close();
    actions.close();
    answers.close();
    traces.close();
    logs.close();
    levels.close();
    warnings.close();
    if (management != null) {
      management.close();
    }
  }
}
