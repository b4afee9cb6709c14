// SPDX-License-Identifier: Apache-2.0
package io.stoa.server;

import io.stoa.client.listener.AccessConfig;
import io.stoa.client.listener.InheritedSockets;
import io.stoa.client.listener.ListenerConfig;
import io.stoa.metrics.ProxyStatus;
import io.stoa.net.tls.TlsConfig;
import io.stoa.net.transport.FailureText;
import io.stoa.net.transport.InvalidConfigException;
import io.stoa.server.config.ConfigException;
import io.stoa.server.config.ManagementAddress;
import io.stoa.server.config.ManagementConfig;
import io.stoa.server.config.ServerConfig;
import io.stoa.server.reconfigure.RuntimeConfiguration;
import io.stoa.server.systemd.SystemdNotifier;
import io.stoa.upstream.server.ServerAddress;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code stoa run}. Threading: one instance for each run. */
@Command(
    name = "run",
    description = "Runs Stoa in front of directory servers until SIGTERM or SIGINT.")
final class RunCommand implements Callable<Integer> {
  private static final Logger LOG = LoggerFactory.getLogger(RunCommand.class);

  @Spec
  @SuppressWarnings("NullAway.Init")
  private CommandSpec spec;

  @Option(
      names = "--config",
      paramLabel = "FILE",
      description = "Configuration file; 'stoa print-defaults' shows its keys.")
  private @Nullable Path config;

  @Option(
      names = "--upstream",
      paramLabel = "URL",
      description =
          "Directory server: ldap://HOST:PORT, ldaps://HOST:PORT or ldapi://%%2FPATH; "
              + "may be repeated. The first is the primary.")
  private List<ServerAddress> upstreams = new ArrayList<>();

  @Option(
      names = "--listen",
      paramLabel = "ADDRESS:PORT",
      description =
          "Listener for clients: ADDRESS:PORT, ldaps://ADDRESS:PORT, ldapi://%%2FPATH "
              + "or passthrough://ADDRESS:PORT; may be repeated. Default: 127.0.0.1:1389.")
  private List<ListenerConfig> listeners = new ArrayList<>();

  @Option(
      names = "--certificate",
      paramLabel = "FILE",
      description = "PEM file of Stoa's certificate, for ldaps:// and StartTLS; requires --key.")
  private @Nullable Path certificate;

  @Option(
      names = "--key",
      paramLabel = "FILE",
      description = "PEM file of the certificate's private key (PKCS #8).")
  private @Nullable Path key;

  @Option(
      names = "--management",
      paramLabel = "ADDRESS:PORT",
      description =
          "Management listener for metrics and health, on a loopback address, or 'none'. "
              + "Default: 127.0.0.1:9389, or a free port.")
  private @Nullable ManagementAddress management;

  @Override
  public Integer call() throws ConfigException, StartException, InterruptedException {
    Optional<RuntimeConfiguration> runtime = tuning();
    ServerConfig configured = runtime.isPresent() ? runtime.get().config() : configuration();
    StoaServer server =
        StoaServer.start(configured, runtime.orElse(null), inheritedSockets(configured));
    SystemdNotifier systemd =
        SystemdNotifier.of(
            System.getenv(), () -> state(server.proxy().status()), server.proxy()::loopsAnswered);
    runtime.ifPresent(one -> one.onReload(systemd::reloading, systemd::reloaded));
    server.onShutdown(Lifetime::exit);
    Lifetime.onHangUp(onHangUp(server, runtime));
    Lifetime.onSignal(
        () -> {
          systemd.stopping(server.drainTimeout());
          server.drain();
          server.close();
          systemd.close();
        });
    systemd.ready();
    Lifetime.awaitSignal();
    return ExitCode.OK.code();
  }

  /** Returns the sockets that systemd has passed; each of them must have its listener. */
  private static InheritedSockets inheritedSockets(ServerConfig config) throws ConfigException {
    List<ListenerConfig> all = new ArrayList<>(config.proxy().access().listeners());
    if (config.management().listener() != null) {
      all.add(config.management().listener());
    }
    try {
      InheritedSockets sockets = InheritedSockets.of(System.getenv());
      sockets.requireListeners(all);
      return sockets;
    } catch (IOException e) {
      throw ConfigException.unreadable("LISTEN_FDS", FailureText.of(e));
    }
  }

  private static String state(ProxyStatus status) {
    return status.ready() ? "ready" : "not ready: " + status.reason();
  }

  private Runnable onHangUp(StoaServer server, Optional<RuntimeConfiguration> runtime) {
    if (config == null || runtime.isEmpty()) {
      return () -> LOG.warn("SIGHUP ignored: Stoa runs without a configuration file");
    }
    Reload reload = new Reload(runtime.get());
    return () -> {
      server.logs().reopen();
      reload.run();
    };
  }

  private Optional<RuntimeConfiguration> tuning() throws ConfigException {
    boolean tls = certificate != null || key != null;
    boolean options = !upstreams.isEmpty() || !listeners.isEmpty() || management != null || tls;
    if (config != null && options) {
      throw usageError("--config cannot be combined with other options");
    }
    return config == null ? Optional.empty() : Optional.of(RuntimeConfiguration.of(config));
  }

  private ServerConfig configuration() {
    if (upstreams.isEmpty()) {
      throw usageError("--upstream URL or --config FILE is required");
    }
    try {
      return fromOptions();
    } catch (InvalidConfigException e) {
      throw usageError(e.message(name -> name.equals("servers") ? "--upstream" : "--" + name));
    }
  }

  private ServerConfig fromOptions() {
    List<ListenerConfig> listen =
        listeners.isEmpty() ? List.of(ServerConfig.DEFAULT_LISTENER) : listeners;
    boolean tls = certificate != null || key != null;
    AccessConfig access =
        new AccessConfig(
            listen,
            tls ? TlsConfig.DEFAULTS.identity(certificate, key) : null,
            false,
            false,
            List.of(),
            AccessConfig.SOCKET_MODE);
    ServerConfig defaults = ServerConfig.of(access, upstreams);
    if (management == null) {
      return defaults;
    }
    if (!management.isLocal()) {
      throw usageError(
          "--management: "
              + management
              + " is not a loopback address; use --config with management.certificate, "
              + "management.key and management.tokenFile");
    }
    return defaults.withManagement(new ManagementConfig(management, null, null));
  }

  private ParameterException usageError(@Nullable String message) {
    return new ParameterException(spec.commandLine(), message);
  }
}
