// SPDX-License-Identifier: Apache-2.0
package io.stoa.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.stoa.testing.FreePort;
import io.stoa.testing.People;
import io.stoa.testing.Repository;
import io.stoa.testing.Slapd;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The commands of README.md as they stand there, but for names and ports of hosts, in front of a
 * real slapd: they do what it says.
 */
class ReadmeIT {
  private static final Pattern IN_THE_TEXT = Pattern.compile("`(stoa [^`]+)`");
  private static final String LAUNCHER = "dist/stoa/bin/stoa";

  private static Slapd slapd;
  private static String readme;

  private final int port = FreePort.next();
  @TempDir Path directory;

  @BeforeAll
  static void startDirectory() throws IOException {
    slapd = Slapd.start(People.slapd(10));
    readme = Files.readString(Repository.root().resolve("README.md"));
  }

  @AfterAll
  static void stopDirectory() {
    slapd.close();
  }

  /** Where README.md has the launcher stands one that runs the classes of this build. */
  @BeforeEach
  void placeLauncher() throws IOException {
    Path launcher = directory.resolve(LAUNCHER);
    Files.createDirectories(launcher.getParent());
    String command =
        CommandProcess.command().stream()
            .map(word -> "'" + word + "'")
            .collect(Collectors.joining(" "));
    Files.writeString(launcher, "#!/bin/sh\nexec " + command + " \"$@\"\n");
    assertThat(launcher.toFile().setExecutable(true)).isTrue();
  }

  @Test
  void secondAnswerComesFromMemory() {
    List<String> searches = block("ldapsearch ");
    assertThat(searches).hasSize(3);
    assertThat(searches.get(1)).isEqualTo(searches.get(0));
    List<String> run = block(LAUNCHER + " run ");
    assertThat(run).hasSize(1);
    try (CommandProcess stoa = start(run.get(0))) {
      String first = run(searches.get(0));
      assertThat(first).contains("dn: " + People.dn(7), "cn: User 7", "mail: user.7@example.com");
      assertThat(run(searches.get(1))).isEqualTo(first);
      assertThat(run(searches.get(2))).contains("filter_cache_hit: 1\n", "filter_cache_miss: 1\n");
      end(stoa);
    }
  }

  @Test
  void fileInsteadOfOptions() throws IOException {
    List<String> chain = shownInTheText();
    assertThat(chain)
        .containsExactly(
            "stoa print-defaults > stoa.yaml",
            "stoa check-config stoa.yaml",
            "stoa run --config stoa.yaml");
    run(chain.get(0));
    assertThat(run(chain.get(1))).isEqualTo("stoa.yaml: ok\n");
    edit(directory.resolve("stoa.yaml"));
    assertThat(run(chain.get(1))).isEqualTo("stoa.yaml: ok\n");
    try (CommandProcess stoa = start(chain.get(2))) {
      assertThat(run(block("ldapsearch ").get(0))).contains("dn: " + People.dn(7));
      end(stoa);
    }
  }

  /** As somebody would: the defaults name ports that may be taken here. */
  private void edit(Path file) throws IOException {
    String defaults = Files.readString(file);
    assertThat(defaults).contains("127.0.0.1:389\n", "127.0.0.1:1389\n", "127.0.0.1:9389\n");
    Files.writeString(
        file,
        defaults
            .replace("127.0.0.1:389\n", "127.0.0.1:" + slapd.port() + "\n")
            .replace("127.0.0.1:1389\n", "127.0.0.1:" + port + "\n")
            .replace("127.0.0.1:9389\n", "127.0.0.1:" + FreePort.next() + "\n"));
  }

  @Test
  void commandsOfAContributorExist() {
    String help = CommandRun.of(Repository.root().resolve("dev").toString(), "help").output();
    List<String> commands = block("./dev ");
    assertThat(commands).hasSize(3);
    for (String command : commands) {
      assertThat(help).containsPattern("(?m)^  " + command.split(" ")[1] + " ");
    }
  }

  // What README.md says

  /** The lines of its blocks that begin with a command, remarks left out. */
  private List<String> block(String command) {
    return readme
        .lines()
        .filter(line -> line.startsWith("    " + command))
        .map(line -> line.replaceAll("  +# .*", "").strip())
        .map(this::here)
        .toList();
  }

  private List<String> shownInTheText() {
    return IN_THE_TEXT
        .matcher(readme)
        .results()
        .map((MatchResult match) -> match.group(1))
        .toList();
  }

  private String here(String line) {
    return line.replace("ldap.example.com:389", "127.0.0.1:" + slapd.port())
        .replace("127.0.0.1:1389", "127.0.0.1:" + port);
  }

  // How it is run

  private ProcessBuilder shell(String line) {
    String path = "PATH=" + directory.resolve(LAUNCHER).getParent() + ":$PATH; ";
    return new ProcessBuilder("sh", "-c", path + line).directory(directory.toFile());
  }

  private String run(String line) {
    CommandRun run = CommandRun.of(shell(line));
    assertThat(run.exitCode()).as(line + "\n" + run.output()).isZero();
    return run.output();
  }

  /** Until the schema has been read, after which what is cached stays. */
  private CommandProcess start(String line) {
    CommandProcess stoa = CommandProcess.start(shell("exec " + line));
    stoa.await("listening on 127\\.0\\.0\\.1:" + port);
    stoa.await("schema was read");
    stoa.await(": ready$");
    return stoa;
  }

  private static void end(CommandProcess stoa) {
    stoa.signal("INT");
    assertThat(stoa.awaitExit()).isZero();
    assertThat(stoa.output()).doesNotContain("\tat ");
  }
}
