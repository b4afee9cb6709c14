// SPDX-License-Identifier: Apache-2.0
package io.stoa.server;

import io.stoa.client.listener.ListenerConfig;
import io.stoa.net.transport.FailureText;
import io.stoa.server.config.ConfigException;
import io.stoa.server.config.ManagementAddress;
import io.stoa.upstream.server.ServerAddress;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.function.Function;
import org.slf4j.LoggerFactory;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ParseResult;
import picocli.CommandLine.Spec;
import picocli.CommandLine.TypeConversionException;

/** The command {@code stoa}. Threading: one instance for each run. */
@Command(
    name = "stoa",
    description = "A caching LDAP proxy.",
    mixinStandardHelpOptions = true,
    versionProvider = StoaVersion.class,
    addMethodSubcommands = false,
    scope = CommandLine.ScopeType.INHERIT)
public final class StoaCommand implements Callable<Integer> {
  /** Subcommands by name, in the order of the help. */
  private static final List<Subcommand> SUBCOMMANDS =
      List.of(
          new Subcommand("run", RunCommand.class),
          new Subcommand("check-config", CheckConfigCommand.class),
          new Subcommand("hash-password", HashPasswordCommand.class),
          new Subcommand("demo", DemoCommand.class),
          new Subcommand("print-defaults", PrintDefaultsCommand.class),
          new Subcommand("print-schema", PrintSchemaCommand.class),
          new Subcommand("class-archive", ClassArchiveCommand.class));

  @Spec
  @SuppressWarnings("NullAway.Init")
  private CommandSpec spec;

  StoaCommand() {}

  private record Subcommand(String name, Class<? extends Callable<Integer>> type) {}

  /** Runs the command and ends the process with its exit code. */
  public static void main(String[] args) {
    LogSettings.choose();
    MemoryBudget.failFast();
    CommandLine command = commandLine(args);
    int code = withOutputCheck(command, command.execute(args));
    LogSettings.flush();
    System.exit(code);
  }

  /**
   * Returns the exit code, or a failure if standard output could not be written, for example on a
   * full disk.
   */
  private static int withOutputCheck(CommandLine command, int code) {
    if (code != ExitCode.OK.code() || !command.getOut().checkError()) {
      return code;
    }
    command.getErr().println("stoa: cannot write to standard output: the output is incomplete");
    return ExitCode.FAILURE.code();
  }

  /**
   * Creates the command with the subcommand that the first argument names, or else with all of
   * them. Each subcommand that is created takes CPU at the start. Without arguments also used by
   * tests and by the generator of the manual pages.
   */
  public static CommandLine commandLine(String... args) {
    CommandLine command = new CommandLine(new StoaCommand());
    List<Subcommand> named =
        SUBCOMMANDS.stream().filter(one -> args.length > 0 && one.name.equals(args[0])).toList();
    for (Subcommand one : named.isEmpty() ? SUBCOMMANDS : named) {
      command.addSubcommand(one.name, one.type);
    }
    command
        .registerConverter(ServerAddress.class, converter(ServerAddress::parse))
        .registerConverter(ListenerConfig.class, converter(ListenerConfig::parse))
        .registerConverter(ManagementAddress.class, converter(ManagementAddress::parse))
        .setOut(new PrintWriter(System.out, true, StandardCharsets.UTF_8))
        .setParameterExceptionHandler(StoaCommand::onWrongUsage)
        .setExecutionExceptionHandler(StoaCommand::onFailure);
    describeExitCodes(command);
    command.getSubcommands().values().forEach(StoaCommand::describeExitCodes);
    return command;
  }

  @Override
  public Integer call() {
    throw new ParameterException(spec.commandLine(), "a command is required");
  }

  private static void describeExitCodes(CommandLine command) {
    Map<String, String> codes = new LinkedHashMap<>();
    for (ExitCode exit : ExitCode.values()) {
      codes.put(Integer.toString(exit.code()), exit.meaning());
    }
    command
        .getCommandSpec()
        .usageMessage()
        .exitCodeListHeading("%nExit codes:%n")
        .exitCodeList(codes);
  }

  private static <T> ITypeConverter<T> converter(Function<String, T> parser) {
    return text -> {
      try {
        return parser.apply(text);
      } catch (IllegalArgumentException e) {
        throw new TypeConversionException(e.getMessage());
      }
    };
  }

  private static int onWrongUsage(ParameterException wrong, String[] args) {
    CommandLine command = wrong.getCommandLine();
    String name = command.getCommandSpec().qualifiedName();
    command.getErr().println("stoa: " + wrong.getMessage());
    command.getErr().println("Try '" + name + " --help'.");
    return ExitCode.USAGE.code();
  }

  private static int onFailure(Exception failure, CommandLine command, ParseResult parsed) {
    if (failure instanceof ConfigException) {
      command.getErr().println(failure.getMessage());
      return ExitCode.CONFIGURATION.code();
    }
    if (failure instanceof StartException start) {
      command.getErr().println("stoa: " + failure.getMessage());
      return (start.isTlsFailure() ? ExitCode.CONFIGURATION : ExitCode.LISTEN).code();
    }
    String text = FailureText.known(failure);
    if (text == null) {
      LoggerFactory.getLogger(StoaCommand.class).error("internal error", failure);
    }
    command.getErr().println("stoa: " + (text == null ? "internal error; see the log" : text));
    return ExitCode.FAILURE.code();
  }
}
