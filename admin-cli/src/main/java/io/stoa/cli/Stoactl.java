// SPDX-License-Identifier: Apache-2.0
package io.stoa.cli;

import io.stoa.cli.client.AdminConnector;
import io.stoa.cli.client.AdminCredentials;
import io.stoa.cli.client.StoaClient;
import io.stoa.cli.client.StoaException;
import io.stoa.cli.client.StoactlExitCode;
import io.stoa.cli.client.Watch;
import io.stoa.cli.output.Printable;
import io.stoa.cli.output.Report;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.IVersionProvider;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ScopeType;
import picocli.CommandLine.Spec;
import picocli.CommandLine.UnmatchedArgumentException;

/** The command {@code stoactl}. Threading: one instance for each run. */
@Command(
    name = "stoactl",
    description = "Shows and controls a Stoa, over LDAP.",
    mixinStandardHelpOptions = true,
    versionProvider = Stoactl.Version.class,
    scope = ScopeType.INHERIT)
public final class Stoactl {
  private static final String JSON = "--json";

  /**
   * Maximum wait for a ready Stoa, as a multiple of the timeout: 6. A start takes several seconds.
   */
  static final int READY_TIMEOUTS = 6;

  private final Environment environment;

  @Spec
  @SuppressWarnings("NullAway.Init")
  private CommandSpec spec;

  @Mixin private ConnectionOptions connection = new ConnectionOptions();

  @Option(names = JSON, scope = ScopeType.INHERIT, description = "Print JSON, for failures too.")
  private boolean json;

  Stoactl(Environment environment) {
    this.environment = environment;
  }

  /** Work of a command on a connection. Returns the report to print. */
  @FunctionalInterface
  interface Work {
    Report on(StoaClient client) throws StoaException;
  }

  /** The product and its version. Threading: immutable. */
  static final class Version implements IVersionProvider {
    @Override
    public String[] getVersion() {
      String version = Stoactl.class.getPackage().getImplementationVersion();
      return new String[] {"stoactl " + (version == null ? "development" : version)};
    }
  }

  /** Runs the command and ends the process with its exit code. */
  public static void main(String[] args) {
    PrintWriter out = new PrintWriter(System.out, false, StandardCharsets.UTF_8);
    PrintWriter err = new PrintWriter(System.err, true, StandardCharsets.UTF_8);
    System.exit(run(Environment.ofProcess(), out, err, args));
  }

  /** Runs the command and returns its exit code. */
  public static int run(Environment environment, PrintWriter out, PrintWriter err, String... args) {
    CommandLine command = commandLine(environment, args).setOut(out).setErr(err);
    return withOutputCheck(command, command.execute(args));
  }

  /**
   * Returns the exit code, or a failure if standard output could not be written, for example on a
   * full disk.
   */
  private static int withOutputCheck(CommandLine command, int code) {
    if (code != StoactlExitCode.DONE.code() || !command.getOut().checkError()) {
      return code;
    }
    command.getErr().println("stoactl: cannot write to standard output");
    return StoactlExitCode.REFUSED.code();
  }

  /** Creates the commands that these words name, or all of them. */
  public static CommandLine commandLine(Environment environment, String... args) {
    CommandLine root = new CommandLine(new Stoactl(environment));
    Commands.addTo(root, new HashSet<>(List.of(args)));
    CommandLine command =
        root.setCaseInsensitiveEnumValuesAllowed(true)
            .setExpandAtFiles(false) // an argument with @ may name an object class (RFC 4529)
            .setParameterExceptionHandler(Stoactl::wrongUsage)
            .setExecutionExceptionHandler((failure, failed, parsed) -> failed(failure, failed));
    describeExitCodes(command);
    return command;
  }

  private static void describeExitCodes(CommandLine command) {
    Map<String, String> codes = new LinkedHashMap<>();
    for (StoactlExitCode exit : StoactlExitCode.values()) {
      codes.put(Integer.toString(exit.code()), exit.meaning());
    }
    command
        .getCommandSpec()
        .usageMessage()
        .exitCodeListHeading("%nExit codes:%n")
        .exitCodeList(codes);
  }

  // Services for commands

  /** Connects, binds, runs the work and prints its report. */
  int run(Work work) throws StoaException {
    try (StoaClient client = connect(credentials())) {
      print(work.on(client));
    }
    return StoactlExitCode.DONE.code();
  }

  /** Returns a bound connection. */
  private StoaClient connect(AdminCredentials credentials) throws StoaException {
    AdminConnector connector = connector();
    StoaClient client =
        connection.waitsForReady()
            ? connector.connectWhenReady(
                connector.timeout().multipliedBy(READY_TIMEOUTS),
                reason -> remark("waiting: " + reason))
            : connector.connect();
    if (!client.isProtected()) {
      warn("the password is sent unencrypted to " + client.endpoint() + ": use -ZZ or ldaps://");
    }
    client.bind(credentials);
    return client;
  }

  /** Returns a watch, which reads Stoa repeatedly. */
  Watch watch() throws StoaException {
    AdminCredentials reusable = credentials().reusable();
    return new Watch(connect(reusable), connector(), reusable);
  }

  /** True if the command would have to ask for a password on the terminal. */
  boolean asksForPassword() {
    return connection.asksForPassword(connector().endpoint(), environment);
  }

  private AdminCredentials credentials() {
    return connection.credentials(connector().endpoint(), environment);
  }

  private void warn(String message) {
    remark("warning: " + message);
  }

  private AdminConnector connector() {
    try {
      return connection.connector(environment);
    } catch (IllegalArgumentException e) {
      throw usageError(e.getMessage());
    }
  }

  /** Returns the maximum wait for an answer. */
  Duration timeout() {
    return connector().timeout();
  }

  void print(Report report) {
    PrintWriter out = out();
    out.println(report.print(json));
    out.flush();
  }

  /**
   * Prints progress to standard error, if standard output is a terminal and the output is not JSON.
   */
  void printProgress(String line) {
    if (environment.interactive() && !json) {
      remark(line);
    }
  }

  /** Prints a remark for users to standard error. */
  void remark(String line) {
    spec.commandLine().getErr().println("stoactl: " + line);
  }

  PrintWriter out() {
    return spec.commandLine().getOut();
  }

  boolean isJson() {
    return json;
  }

  Environment environment() {
    return environment;
  }

  ParameterException usageError(@Nullable String message) {
    return new ParameterException(spec.commandLine(), String.valueOf(message));
  }

  // Failures

  private static int wrongUsage(ParameterException wrong, String[] args) {
    CommandLine command = wrong.getCommandLine();
    String message =
        wrong instanceof UnmatchedArgumentException unmatched
            ? unknown(unmatched.getUnmatched().get(0))
            : String.valueOf(wrong.getMessage());
    boolean asJson = List.of(args).contains(JSON);
    printFailure(command, StoactlExitCode.USAGE, message, null, asJson);
    if (!asJson) {
      command.getErr().println("Try '" + command.getCommandSpec().qualifiedName() + " --help'.");
    }
    return StoactlExitCode.USAGE.code();
  }

  /**
   * Returns the message for an unknown argument, without a value attached to it. Other tools take
   * passwords that way.
   */
  private static String unknown(String argument) {
    if (!argument.startsWith("-")) {
      return "Unmatched argument: '" + argument + "'";
    }
    int value = argument.startsWith("--") ? argument.indexOf('=') : 2;
    boolean bare = value < 0 || value >= argument.length();
    return "Unknown option: '" + (bare ? argument : argument.substring(0, value)) + "'";
  }

  private static int failed(Exception failure, CommandLine command) {
    StoaException exception =
        failure instanceof StoaException expected
            ? expected
            : StoaException.refused("internal error of stoactl; STOACTL_DEBUG=1 shows details");
    Object root = command.getCommandSpec().root().userObject();
    if (exception != failure && root instanceof Stoactl stoactl && stoactl.isDebugged()) {
      command.getErr().println(failure);
      Arrays.stream(failure.getStackTrace()).forEach(command.getErr()::println);
    }
    boolean asJson = root instanceof Stoactl stoactl && stoactl.json;
    String message = String.valueOf(exception.getMessage());
    printFailure(command, exception.code(), message, exception.resultCode(), asJson);
    return exception.code().code();
  }

  private boolean isDebugged() {
    return environment.variable(Environment.DEBUG) != null;
  }

  private static void printFailure(
      CommandLine command,
      StoactlExitCode code,
      String message,
      @Nullable Integer result,
      boolean asJson) {
    command.getErr().println("stoactl: " + Printable.of(message));
    if (asJson) {
      command.getOut().println(Report.failure(code.code(), code.word(), message, result));
      command.getOut().flush();
    }
  }
}
