// SPDX-License-Identifier: Apache-2.0
package io.stoa.server;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import io.stoa.net.tls.TlsConfig;
import io.stoa.net.tls.TlsContexts;
import io.stoa.net.tls.TlsException;
import io.stoa.proxy.ProxyConfig;
import io.stoa.proxy.TransportWarnings;
import io.stoa.proxy.preflight.Preflight;
import io.stoa.proxy.preflight.PreflightFinding;
import io.stoa.proxy.preflight.PreflightFinding.CheckOutcome;
import io.stoa.server.config.ConfigException;
import io.stoa.server.config.ServerConfig;
import io.stoa.server.reconfigure.RuntimeConfiguration;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import org.slf4j.LoggerFactory;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code stoa check-config}. Threading: one instance for each run. */
@Command(
    name = "check-config",
    description =
        "Checks a configuration file and reports every mistake with its line and column. "
            + "With --probe, also connects to the directory servers.")
final class CheckConfigCommand implements Callable<Integer> {
  /** Maximum of --timeout: 600 s. */
  private static final int MAX_SECONDS = 600;

  @Spec
  @SuppressWarnings("NullAway.Init")
  private CommandSpec spec;

  @Parameters(paramLabel = "FILE", description = "The configuration file.")
  @SuppressWarnings("NullAway.Init")
  private Path file;

  @Option(
      names = "--probe",
      description =
          "Connect to the directory servers as Stoa would, and report names, TLS, accounts, "
              + "products, contents, feeds and limits. Exit code 5: a check failed.")
  private boolean probe;

  @Option(
      names = "--as",
      paramLabel = "DN",
      defaultValue = "",
      description =
          "Client for whom --probe tries proxied authorization. Default: any person found.")
  private String actsFor = "";

  @Option(
      names = "--timeout",
      paramLabel = "SECONDS",
      defaultValue = "30",
      description = "Maximum time of --probe. Default: 30.")
  private int timeout;

  @Option(names = "--json", description = "Print the report of --probe as JSON.")
  private boolean json;

  @Override
  public Integer call() throws ConfigException, StartException {
    requireUsage();
    RuntimeConfiguration runtime = RuntimeConfiguration.of(file);
    ServerConfig config = runtime.config();
    StoaServer.resolveListeners(config.proxy());
    String invalid = invalidCertificate(config.proxy());
    if (!invalid.isEmpty()) {
      throw ConfigException.unreadable(file.toString(), invalid);
    }
    PrintWriter out = spec.commandLine().getOut();
    List<String> warnings = new ArrayList<>(TransportWarnings.of(config.proxy()));
    warnings.addAll(runtime.warnings());
    if (probe) {
      return probe(config, warnings, out);
    }
    warnings.forEach(it -> out.println(file + ": warning: " + it));
    out.println(file + ": ok");
    return ExitCode.OK.code();
  }

  private void requireUsage() {
    boolean ofProbe = json || !actsFor.isEmpty();
    if (ofProbe && !probe) {
      throw new ParameterException(spec.commandLine(), "--json and --as require --probe");
    }
    if (timeout < 1 || timeout > MAX_SECONDS) {
      throw new ParameterException(
          spec.commandLine(), "--timeout must be between 1 and " + MAX_SECONDS);
    }
  }

  private int probe(ServerConfig config, List<String> warnings, PrintWriter out) {
    silenceLog();
    Preflight.PreflightOptions options =
        new Preflight.PreflightOptions(actsFor, Duration.ofSeconds(timeout));
    List<PreflightFinding> findings = new ArrayList<>();
    warnings.forEach(
        it ->
            findings.add(
                new PreflightFinding("configuration", "file", CheckOutcome.WARNING, it, "")));
    findings.addAll(Preflight.run(config.proxy(), options));
    findings.addAll(LimitCheck.of(config.proxy(), Budgets.ofProcess()));
    ProbeReport report = new ProbeReport(file.toString(), findings);
    (json ? List.of(report.json()) : report.lines()).forEach(out::println);
    return report.count(CheckOutcome.FAILED) == 0 ? ExitCode.OK.code() : ExitCode.PROBE.code();
  }

  /** Silences the log of the proxy that the probe runs, as the report says more. */
  private static void silenceLog() {
    if (LoggerFactory.getLogger("io.stoa") instanceof Logger logger) {
      logger.setLevel(Level.OFF);
    }
  }

  /**
   * Returns why a certificate is expired or not yet valid; empty if all are valid. On reload, a
   * running Stoa only warns of such a certificate.
   */
  private static String invalidCertificate(ProxyConfig config) {
    TlsConfig tls = config.access().tls();
    try {
      String ofListeners = tls == null ? "" : TlsContexts.invalidity(tls);
      return ofListeners.isEmpty()
          ? TlsContexts.invalidity(config.upstream().transport().tls())
          : ofListeners;
    } catch (TlsException e) {
      return String.valueOf(e.getMessage());
    }
  }
}
