// SPDX-License-Identifier: Apache-2.0
package io.stoa.server;

import static io.stoa.testing.Requests.search;
import static org.assertj.core.api.Assertions.assertThat;

import com.unboundid.ldap.sdk.controls.PersistentSearchChangeType;
import com.unboundid.ldap.sdk.controls.PersistentSearchRequestControl;
import io.stoa.testing.Answers;
import io.stoa.testing.Await;
import io.stoa.testing.Certificates;
import io.stoa.testing.FreePort;
import io.stoa.testing.Held;
import io.stoa.testing.InMemoryDirectory;
import io.stoa.testing.RawLdapClient;
import io.stoa.testing.Received;
import io.stoa.testing.Requests;
import io.stoa.testing.ScriptedUpstream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/** The command as a process: what it prints, how it ends, and what signals do. */
class CommandIT {
  private static final String LISTENS = "StoaServer: listening on 127\\.0\\.0\\.1:(\\d+)";

  @TempDir Path directory;

  private static CommandRun run(String... arguments) {
    return CommandRun.of(CommandProcess.command(arguments));
  }

  private static CommandProcess start(int upstreamPort) {
    return CommandProcess.start(
        "run",
        "--upstream=ldap://127.0.0.1:" + upstreamPort,
        "--listen=127.0.0.1:0",
        "--management=127.0.0.1:0");
  }

  private static RawLdapClient connect(CommandProcess process) {
    Matcher address = process.await(LISTENS);
    return RawLdapClient.connect(
        new InetSocketAddress(
            InetAddress.getLoopbackAddress(), Integer.parseInt(address.group(1))));
  }

  // What only prints

  @Test
  void versionAndHelp() {
    CommandRun version = run("--version");
    assertThat(version.exitCode()).isZero();
    assertThat(version.lines().get(0)).startsWith("Stoa ");
    CommandRun help = run("--help");
    assertThat(help.exitCode()).isZero();
    assertThat(help.output()).contains("run", "check-config", "print-defaults", "demo");
    CommandRun helpOfRun = run("run", "--help");
    for (ExitCode code : ExitCode.values()) {
      assertThat(help.output()).contains("  " + code.code() + "   " + code.meaning());
      assertThat(helpOfRun.output()).contains(code.meaning());
    }
  }

  /** A named subcommand is created alone, with the help that it has beside the others. */
  @Test
  void eachSubcommandHasItsHelp() {
    CommandLine all = StoaCommand.commandLine();
    assertThat(all.getSubcommands().keySet())
        .containsExactly(
            "run",
            "check-config",
            "hash-password",
            "demo",
            "print-defaults",
            "print-schema",
            "class-archive");
    all.getSubcommands()
        .forEach(
            (name, command) -> {
              CommandLine alone = StoaCommand.commandLine(name, "--help");
              assertThat(alone.getSubcommands()).containsOnlyKeys(name);
              assertThat(alone.getSubcommands().get(name).getUsageMessage())
                  .isEqualTo(command.getUsageMessage())
                  .contains("Usage: stoa " + name, "Exit codes:");
            });
  }

  @Test
  void thePrintedDefaultsAreAValidConfiguration() throws Exception {
    CommandRun defaults = run("print-defaults");
    assertThat(defaults.exitCode()).isZero();
    Path file = Files.writeString(directory.resolve("defaults.yaml"), defaults.output());
    CommandRun check = run("check-config", file.toString());
    assertThat(check.output()).isEqualTo(file + ": ok\n");
    assertThat(check.exitCode()).isZero();
  }

  /** Each example stands in the place of the default above it, all of them in one file. */
  @Test
  void theListExamplesAreAValidConfiguration() throws Exception {
    Path secret = Files.writeString(directory.resolve("feed-password"), "secret");
    StringBuilder text = new StringBuilder();
    for (String key : run("print-defaults").output().split("\n\n")) {
      Matcher example = Pattern.compile("(?m)^ *# [A-Za-z]+:$").matcher(key);
      String chosen =
          example.find() ? key.substring(example.start()).replaceAll("(?m)^( *)# ", "$1") : key;
      text.append(chosen).append("\n\n");
    }
    String file = text.toString().replace("/etc/stoa/feed-password", secret.toString());
    file = withValue(file, "identity", "mode", "proxied");
    file = withValue(file, "identity", "serviceDn", "'cn=stoa,dc=example,dc=com'");
    file = withValue(file, "identity", "servicePasswordFile", secret.toString());
    file = withValue(file, "feed", "bindDn", "'cn=feed,dc=example,dc=com'");
    file = withValue(file, "feed", "passwordFile", secret.toString());
    try (Certificates certificates = Certificates.create()) {
      Certificates.Pair own = certificates.server();
      file = withValue(file, "tls", "certificate", own.certificate().toString());
      file = withValue(file, "tls", "key", own.key().toString());
      file = withValue(file, "tls", "clientCa", certificates.ca().toString());
      file = withValue(file, "tls", "clientAuth", "request");
      Path revoked =
          Files.write(
              directory.resolve("revoked.crl"), certificates.revocationList(Duration.ofHours(1)));
      file = file.replaceAll("/etc/stoa/(clients|servers)\\.crl", revoked.toString());
      Path examples = Files.writeString(directory.resolve("examples.yaml"), file);
      CommandRun check = run("check-config", examples.toString());
      assertThat(check.output()).endsWith("examples.yaml: ok\n");
      assertThat(check.exitCode()).isZero();
    }
  }

  /** The file with another value of the key of a section. */
  private static String withValue(String file, String section, String key, String value) {
    String line = "(?s)(\n%s:\n.*?\n  %s: )[^\n]*".formatted(section, key);
    return file.replaceFirst(line, "$1" + value);
  }

  @Test
  void checkConfigWarnsOfExposure() throws Exception {
    String text = "upstream: {servers: ['ldaps://ldap.example.com', 'ldap://ldap2.example.com']}\n";
    Path file =
        Files.writeString(directory.resolve("mixed.yaml"), text + "proxyProtocol: ['::/0']\n");
    CommandRun check = run("check-config", file.toString());
    assertThat(check.exitCode()).isZero();
    assertThat(check.output())
        .contains(
            "mixed.yaml: warning: ldap://ldap2.example.com:389 is reached without TLS",
            "mixed.yaml: warning: only some directory servers are reached by TLS",
            "mixed.yaml: warning: proxyProtocol trusts every address")
        .endsWith("mixed.yaml: ok\n");
  }

  /** Stoa cannot know whom the directory makes of them. */
  @Test
  void checkConfigWarnsOfUsersChosenByClients() throws Exception {
    String text =
        """
        upstream:
          servers: ['ldapi://%2Frun%2Fldapi']
        listen: ['ldapi://%2Ftmp%2Fnone']
        identity:
          mode: proxied
          serviceMechanism: EXTERNAL
          external: ['socket uid=33 => u:www', 'socket * => u:{uid}']
        """;
    Path file = Files.writeString(directory.resolve("users.yaml"), text);
    CommandRun check = run("check-config", file.toString());
    assertThat(check.exitCode()).isZero();
    assertThat(check.lines())
        .hasSize(2)
        .first()
        .asString()
        .contains("'socket * => u:{uid}'", "none is the service account");
  }

  // How it fails

  @Test
  void outputThatCannotBeWrittenIsAFailure() {
    for (String command : List.of("print-defaults", "--help")) {
      CommandRun run = CommandRun.of(to("/dev/full", command));
      assertThat(run.exitCode()).as(command).isEqualTo(ExitCode.FAILURE.code());
      assertThat(run.lines())
          .containsExactly("stoa: cannot write to standard output: the output is incomplete");
    }
    assertThat(CommandRun.of(to("/dev/null", "print-defaults")).exitCode()).isZero();
  }

  /** The command with its standard output in a file. */
  private static List<String> to(String file, String... arguments) {
    List<String> shell = new ArrayList<>(List.of("sh", "-c", "exec \"$@\" >" + file, "sh"));
    shell.addAll(CommandProcess.command(arguments));
    return shell;
  }

  @Test
  void wrongUsageIsOneLineAndAHint() {
    assertUsage("stoa: a command is required");
    assertUsage("stoa: --upstream URL or --config FILE is required", "run");
    assertUsage(
        "stoa: Invalid value for option '--upstream' (URL):"
            + " 'http://x' is not of the form"
            + " ldap://HOST:PORT, ldaps://HOST:PORT or ldapi://%2FPATH",
        "run", "--upstream=http://x");
    assertUsage(
        "stoa: --upstream lists a server twice",
        "run",
        "--upstream=ldap://x",
        "--upstream=ldap://x");
    assertUsage(
        "stoa: --config cannot be combined with other options", "run", "--config=x", "--listen=:1");
  }

  private static void assertUsage(String line, String... arguments) {
    CommandRun run = run(arguments);
    assertThat(run.exitCode()).isEqualTo(ExitCode.USAGE.code());
    assertThat(run.lines()).hasSize(2).first().isEqualTo(line);
    assertThat(run.lines().get(1)).startsWith("Try 'stoa");
  }

  @Test
  void mistakesInAConfigurationAreOneLineEach() throws Exception {
    Path file =
        Files.writeString(
            directory.resolve("stoa.yaml"), "upstream: {servers: [http://x]}\nmaxage: 5s\n");
    List<String> mistakes =
        List.of(
            file
                + ":1:22: upstream.servers: 'http://x' is not of the form"
                + " ldap://HOST:PORT, ldaps://HOST:PORT or ldapi://%2FPATH",
            file + ":2:1: unknown key maxage; did you mean cache.maxAge?");
    for (CommandRun run :
        List.of(run("check-config", file.toString()), run("run", "--config", file.toString()))) {
      assertThat(run.exitCode()).isEqualTo(ExitCode.CONFIGURATION.code());
      assertThat(run.lines()).isEqualTo(mistakes);
    }
  }

  @Test
  void unreadableConfigurationIsOneLine() {
    String absent = directory.resolve("absent.yaml").toString();
    CommandRun run = run("run", "--config", absent);
    assertThat(run.exitCode()).isEqualTo(ExitCode.CONFIGURATION.code());
    assertThat(run.lines()).containsExactly(absent + ": no such file");
  }

  @Test
  void portInUseIsOneLine() throws Exception {
    try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      String there = "127.0.0.1:" + taken.getLocalPort();
      CommandRun run = run("run", "--upstream=ldap://127.0.0.1:1", "--listen=" + there);
      assertThat(run.exitCode()).isEqualTo(ExitCode.LISTEN.code());
      assertThat(run.lines())
          .singleElement()
          .asString()
          .startsWith("stoa: cannot listen on " + there + ": ")
          .contains("in use");
    }
  }

  @Test
  void unknownHostIsOneLine() {
    CommandRun run = run("run", "--upstream=ldap://127.0.0.1:1", "--listen=host.invalid:1389");
    assertThat(run.exitCode()).isEqualTo(ExitCode.LISTEN.code());
    assertThat(run.lines())
        .containsExactly("stoa: cannot listen on host.invalid:1389: unknown host");
  }

  @Test
  void invalidListenersAreReported() throws Exception {
    Path star = configured("listen: ['*:389']");
    assertThat(run("check-config", star.toString()).output())
        .contains(":1:", "'*' is not an address: use 0.0.0.0");
    Path unknown = configured("listen: ['host.invalid:389']");
    CommandRun check = run("check-config", unknown.toString());
    assertThat(check.exitCode()).isEqualTo(ExitCode.LISTEN.code());
    assertThat(check.lines())
        .containsExactly("stoa: cannot listen on host.invalid:389: unknown host");
  }

  @Test
  void anExpiredCertificateIsAMistake() throws Exception {
    try (Certificates certificates = Certificates.create()) {
      Certificates.Pair old = certificates.expired("cn=localhost", "localhost");
      Path file =
          configured("tls: {certificate: %s, key: %s}".formatted(old.certificate(), old.key()));
      CommandRun check = run("check-config", file.toString());
      assertThat(check.exitCode()).isEqualTo(ExitCode.CONFIGURATION.code());
      assertThat(check.output()).contains(file + ": " + old.certificate() + " expired at 20");
    }
  }

  private Path configured(String line) throws IOException {
    return Files.writeString(
        directory.resolve("stoa.yaml"), line + "\nupstream: {servers: ['ldap://127.0.0.1:1']}\n");
  }

  /** The port of the management is taken before any client comes. */
  @Test
  void noClientIsAcceptedWithoutTheManagementListener() throws Exception {
    try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      int port = FreePort.next();
      CommandProcess process =
          CommandProcess.start(
              "run",
              "--upstream=ldap://127.0.0.1:1",
              "--listen=127.0.0.1:" + port,
              "--management=127.0.0.1:" + taken.getLocalPort());
      assertThat(process.awaitExit()).isEqualTo(ExitCode.LISTEN.code());
      assertThat(process.output()).contains("cannot listen on 127.0.0.1:" + taken.getLocalPort());
    }
  }

  // How it runs

  @Test
  void startsWithoutADirectoryAndLogsWhenReady() {
    try (ScriptedUpstream upstream = ScriptedUpstream.start()) {
      upstream.goDown();
      try (CommandProcess process = start(upstream.port());
          RawLdapClient client = connect(process)) {
        process.await("INFO .*: Stoa \\S+, Java " + Pattern.quote(Runtime.version().toString()));
        process.await("INFO .*not ready: no directory server is usable");
        assertThat(client.code(search("dc=x").request())).isEqualTo(52);
        upstream.comeBack();
        process.await("INFO .*: ready$");
        assertThat(client.code(search("dc=x").request())).isZero();
        upstream.goDown();
        process.await("WARN .*not ready: no directory server is usable");
        process.signal("TERM");
        assertThat(process.awaitExit()).isEqualTo(ExitCode.OK.code());
      }
    }
  }

  @Test
  void anUnknownUpstreamHostDoesNotEndTheProcess() {
    try (CommandProcess process =
            CommandProcess.start(
                "run",
                "--upstream=ldap://host.invalid",
                "--listen=127.0.0.1:0",
                "--management=none");
        RawLdapClient client = connect(process)) {
      process.await("not ready");
      process.await("WARN.* is reached without TLS");
      assertThat(process.lines().get(0)).contains("StoaServer: Stoa ", ", Java ");
      assertThat(client.call(search("cn=monitor").baseScope().request())).hasSize(2);
      assertThat(process.output()).doesNotContain("\tat ");
    }
  }

  @Test
  void runsWithAFile() throws Exception {
    int management = FreePort.next();
    try (InMemoryDirectory upstream = InMemoryDirectory.start(10)) {
      Path file =
          Files.writeString(
              directory.resolve("stoa.yaml"),
              """
              listen: ['127.0.0.1:0']
              upstream:
                servers: ['ldap://127.0.0.1:%d']
              management: {listen: '127.0.0.1:%d'}
              """
                  .formatted(upstream.port(), management));
      try (CommandProcess process = CommandProcess.start("run", "--config", file.toString());
          RawLdapClient client = connect(process)) {
        process.await("INFO .*: ready$");
        assertThat(client.code(search(InMemoryDirectory.PEOPLE).request())).isZero();
        InetSocketAddress address =
            new InetSocketAddress(InetAddress.getLoopbackAddress(), management);
        assertThat(HttpExchange.get(address, "/readyz").status()).isEqualTo(200);
      }
    }
  }

  /** What is under way is answered; then the process ends. */
  @Test
  void signalDrains() {
    for (String signal : List.of("TERM", "INT")) {
      try (ScriptedUpstream upstream = ScriptedUpstream.start();
          CommandProcess process = start(upstream.port());
          RawLdapClient client = connect(process)) {
        process.await("INFO .*: ready$");
        Held held = upstream.hold(request -> request.isSearchFor("dc=slow"));
        int id = client.send(search("dc=slow").request());
        held.awaitArrival();
        process.signal(signal);
        process.await("shutting down");
        held.answer(Answers.success());
        assertThat(RawLdapClient.last(client.await(id)).resultCode()).isZero();
        assertThat(process.awaitExit()).isEqualTo(ExitCode.OK.code());
        assertThat(process.lines()).last().asString().endsWith("shut down");
      }
    }
  }

  /** Clients are told that their searches end, and servers that their connections do. */
  @Test
  void sigtermEndsEndlessSearches() {
    PersistentSearchRequestControl endless =
        new PersistentSearchRequestControl(PersistentSearchChangeType.allChangeTypes(), true, true);
    try (ScriptedUpstream upstream = ScriptedUpstream.start();
        CommandProcess process = start(upstream.port());
        RawLdapClient watcher = connect(process);
        RawLdapClient reader = connect(process)) {
      process.await("INFO .*: ready$");
      reader.bind("cn=reader", "secret");
      Held held = upstream.hold(request -> request.isSearchFor("dc=watched"));
      watcher.send(search("dc=watched").request().with(endless));
      held.awaitArrival();
      assertThat(reader.code(search("dc=read").request())).isZero();
      process.signal("TERM");
      for (RawLdapClient client : List.of(watcher, reader)) {
        assertThat(client.drain())
            .singleElement()
            .matches(message -> message.mentions("1.3.6.1.4.1.1466.20036"));
      }
      assertThat(process.awaitExit()).isEqualTo(ExitCode.OK.code());
      Await.until("all are unbound", () -> upstream.openConnections() == 0);
      assertThat(connections(upstream.received(request -> request.is(Received.UNBIND))))
          .isEqualTo(connections(upstream.received()));
    }
  }

  private static Set<Integer> connections(List<Received> received) {
    return received.stream().map(Received::connection).collect(Collectors.toSet());
  }

  @Test
  void noPasswordIsLogged() {
    try (InMemoryDirectory upstream = InMemoryDirectory.start(10);
        CommandProcess process = start(upstream.port());
        RawLdapClient client = connect(process)) {
      process.await("INFO .*: ready$");
      client.bind(InMemoryDirectory.ROOT_DN, InMemoryDirectory.ROOT_PASSWORD);
      assertThat(client.code(Requests.bind(InMemoryDirectory.person(1), "wrong-password")))
          .isEqualTo(49);
      client.sendOctets(new byte[] {1, 2, 3, 4, 5, 6, 7, 8});
      client.drain();
      process.signal("TERM");
      assertThat(process.awaitExit()).isZero();
      assertThat(process.output())
          .doesNotContain(InMemoryDirectory.ROOT_PASSWORD, "wrong-password");
    }
  }
}
