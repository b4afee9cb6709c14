// SPDX-License-Identifier: Apache-2.0
package io.stoa.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.unboundid.util.json.JSONObject;
import io.stoa.cli.client.StoactlExitCode;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import picocli.CommandLine;

/** What is said of a command line before anything is connected to. */
class CommandLineTest {
  private static List<CommandLine> all() {
    List<CommandLine> all = new ArrayList<>();
    add(Stoactl.commandLine(new Environment(Map.of(), false)), all);
    return all;
  }

  private static void add(CommandLine command, List<CommandLine> all) {
    all.add(command);
    command.getSubcommands().values().forEach(one -> add(one, all));
  }

  @TestFactory
  Stream<DynamicTest> everyCommandHelpsAndTakesTheCommonOptions() {
    return all().stream()
        .map(command -> command.getCommandSpec().qualifiedName())
        .map(name -> DynamicTest.dynamicTest(name, () -> helps(name)));
  }

  private static void helps(String name) {
    List<String> words = new ArrayList<>(List.of(name.split(" ")));
    words.remove(0);
    words.add("--help");
    CommandLineRun help = CommandLineRun.of(words.toArray(String[]::new));
    assertThat(help.code()).isZero();
    assertThat(help.out())
        .contains("--json", "--uri", "--bind-dn", "--password-file", "-Z", "--ca", "--timeout")
        .doesNotContain("--password=", "--password ");
  }

  @Test
  void helpNamesTheExitCodes() {
    CommandLineRun help = CommandLineRun.of("--help");
    for (StoactlExitCode code : StoactlExitCode.values()) {
      assertThat(help.out().replaceAll("\\s+", " ")).contains(code.code() + " " + code.meaning());
    }
    assertThat(CommandLineRun.of("--version").out()).startsWith("stoactl ");
  }

  @Test
  void anInternalErrorShowsItsStackTraceOnRequestOnly() {
    String line = "stoactl: internal error of stoactl; STOACTL_DEBUG=1 shows details";
    assertThat(internalError(Map.of())).isEqualTo(line + "\n");
    assertThat(internalError(Map.of(Environment.DEBUG, "1")))
        .contains("IllegalStateException", "CommandLineTest")
        .endsWith(line + "\n");
  }

  private static String internalError(Map<String, String> variables) {
    StringWriter err = new StringWriter();
    CommandLine command = Stoactl.commandLine(new Environment(variables, false));
    Callable<Integer> broken =
        () -> {
          throw new IllegalStateException("a defect");
        };
    command.addSubcommand("broken", CommandLine.Model.CommandSpec.wrapWithoutInspection(broken));
    int code =
        command
            .setExecutionExceptionHandler(command.getExecutionExceptionHandler())
            .setErr(new PrintWriter(err, true))
            .execute("broken");
    assertThat(code).isEqualTo(StoactlExitCode.REFUSED.code());
    return err.toString();
  }

  @Test
  void wrongUsageIsOneLineAndAHint() {
    assertUsage("Missing required subcommand");
    assertUsage("Missing required subcommand", "backends");
    assertUsage("Unmatched argument", "status", "now");
    assertUsage("Missing required parameter", "backends", "drain");
    assertUsage("Invalid value", "backends", "weight", "1", "heavy");
    assertUsage("Missing required argument", "cache", "flush");
    assertUsage("mutually exclusive", "cache", "flush", "--all", "--entry", "dc=x");
    assertUsage("is not a valid filter", "cache", "explain", "dc=x", "sub", "(uid=");
    assertUsage("SCOPE", "cache", "explain", "dc=x", "deep", "(uid=a)");
    assertUsage("--interval must be between", "top", "--interval", "0.01");
    assertUsage("--interval must be between", "top", "--interval", "NaN");
    assertUsage("--count must not be negative", "top", "--count", "-1");
    assertUsage("a value or --empty", "config", "set", "cache.secrets");
    assertUsage("a value or --empty", "config", "set", "cache.secrets", "x", "--empty");
    assertUsage("--timeout must be between", "status", "--timeout", "0");
    assertUsage("must have the form", "status", "-H", "http://h");
    assertUsage("-Z is for ldap:// only", "status", "-H", "ldaps://h", "-ZZ");
  }

  private static void assertUsage(String message, String... arguments) {
    CommandLineRun run = CommandLineRun.of(arguments);
    assertThat(run.code()).as(run.err()).isEqualTo(StoactlExitCode.USAGE.code());
    assertThat(run.err().lines()).hasSize(2);
    assertThat(run.err()).startsWith("stoactl: ").contains(message, "Try 'stoactl");
    assertThat(run.out()).isEmpty();
  }

  @Test
  void wrongUsageIsJsonIfThatIsWanted() throws Exception {
    CommandLineRun run = CommandLineRun.of("status", "now", "--json");
    JSONObject error = new JSONObject(run.out()).getFieldAsObject("error");
    assertThat(error.getFieldAsInteger("code")).isEqualTo(StoactlExitCode.USAGE.code());
    assertThat(error.getFieldAsString("reason")).isEqualTo("usage");
    assertThat(error.getFieldAsString("message")).contains("now");
  }

  @Test
  void thePasswordIsNoArgument() {
    for (String[] words :
        List.of(
            new String[] {"status", "-w", "secret"},
            new String[] {"status", "-wsecret"},
            new String[] {"status", "--password=secret"})) {
      assertUsage("Unknown option: '-", words);
      assertThat(CommandLineRun.of(words).err()).doesNotContain("secret");
    }
  }
}
