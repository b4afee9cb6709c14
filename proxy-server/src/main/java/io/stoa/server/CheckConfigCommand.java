// SPDX-License-Identifier: Apache-2.0
package io.stoa.server;

import io.stoa.net.tls.TlsConfig;
import io.stoa.net.tls.TlsContexts;
import io.stoa.net.tls.TlsException;
import io.stoa.proxy.ProxyConfig;
import io.stoa.proxy.TransportWarnings;
import io.stoa.server.config.ConfigException;
import io.stoa.server.config.ServerConfig;
import io.stoa.server.reconfigure.RuntimeConfiguration;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code stoa check-config}. Threading: one instance for each run. */
@Command(
    name = "check-config",
    description = "Checks a configuration file and reports every mistake with its line and column.")
final class CheckConfigCommand implements Callable<Integer> {
  @Spec
  @SuppressWarnings("NullAway.Init")
  private CommandSpec spec;

  @Parameters(paramLabel = "FILE", description = "The configuration file.")
  @SuppressWarnings("NullAway.Init")
  private Path file;

  @Override
  public Integer call() throws ConfigException, StartException {
    RuntimeConfiguration runtime = RuntimeConfiguration.of(file);
    ServerConfig config = runtime.config();
    StoaServer.resolveListeners(config.proxy());
    String invalid = invalidCertificate(config.proxy());
    if (!invalid.isEmpty()) {
      throw ConfigException.unreadable(file.toString(), invalid);
    }
    PrintWriter out = spec.commandLine().getOut();
    TransportWarnings.of(config.proxy()).forEach(it -> out.println(file + ": warning: " + it));
    runtime.warnings().forEach(it -> out.println(file + ": warning: " + it));
    out.println(file + ": ok");
    return ExitCode.OK.code();
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
