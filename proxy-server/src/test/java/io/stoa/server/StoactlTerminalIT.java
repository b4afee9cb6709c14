// SPDX-License-Identifier: Apache-2.0
package io.stoa.server;

import static org.assertj.core.api.Assertions.assertThat;

import com.unboundid.util.json.JSONObject;
import io.stoa.cli.client.StoactlExitCode;
import io.stoa.testing.Await;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** What stoactl does on a terminal, and what bash does with its script. */
class StoactlTerminalIT {
  private static final String PROMPT = "Password of cn=admin,cn=configuration: ";
  private static final String SCREEN = "\033[?1049h";
  private static final String NO_SCREEN = "\033[?1049l";
  private static final String INTERRUPT = "\003";
  private static final int INTERRUPTED = 130;
  private static final String TOP_KEYS =
      "q quits  o overview  s servers  c clients  by: r rate f in flight t time n name";

  /** What bash does when TAB is pressed; it has compopt then only. */
  private static final String COMPLETE =
      """
      compopt() { :; }
      source <("${@:2}")
      read -ra COMP_WORDS <<<"$1"
      COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
      $(complete -p stoactl | grep -o -- '-F [^ ]*' | cut -c4-)
      echo "${COMPREPLY[@]}"
      """;

  private static StoaUnderLoad stoa;

  @BeforeAll
  static void start() {
    stoa = StoaUnderLoad.start();
  }

  @AfterAll
  static void stop() {
    stoa.close();
  }

  @Test
  void thePasswordPromptHasNoEcho() {
    List<String> right = List.of(PROMPT, StoaUnderLoad.PASSWORD + "\n");
    CommandRun run = Pty.stoactl(right, "status", "-H", stoa.url());
    assertThat(run.exitCode()).as(run.output()).isZero();
    assertThat(run.output()).contains(PROMPT, "ready").doesNotContain(StoaUnderLoad.PASSWORD);
    CommandRun wrong = Pty.stoactl(List.of(PROMPT, "wrong horse\n"), "status", "-H", stoa.url());
    assertThat(wrong.exitCode()).isEqualTo(StoactlExitCode.CREDENTIALS.code());
    assertThat(wrong.output()).doesNotContain("horse");
  }

  @Test
  void anInterruptedPromptRestoresTheEcho() {
    CommandRun run =
        Pty.run(
            List.of(PROMPT, INTERRUPT), "trap : INT; \"$@\"; stty -a", "status", "-H", stoa.url());
    assertThat(run.output()).containsPattern("[^-]echo ");
  }

  @Test
  void qQuitsTop() {
    CommandRun run =
        Pty.run(
            List.of("operations/s", "q"),
            "\"$@\"; echo ended with $?; stty -a",
            "top",
            "--interval",
            "0.3",
            "-H",
            stoa.uri());
    assertThat(run.output())
        .contains(SCREEN, "hits: searches", stoa.backends().get(1), "window people", "q quits")
        .contains("ended with 0")
        .containsPattern("[^-]icanon")
        .containsPattern("[^-]echo ");
    assertThat(run.output().indexOf(NO_SCREEN)).isGreaterThan(run.output().lastIndexOf(SCREEN));
  }

  /** The views, on a terminal of 80 columns and 24 lines. */
  @Test
  void topShowsServersAndClients() {
    CommandRun run =
        Pty.run(
            List.of("operations/s", "c", "uid=user.", "n"),
            "stty rows 24 columns 80; \"$@\" --count 12; echo ended with $?",
            "top",
            "--interval",
            "0.5",
            "--sort",
            "time",
            "-H",
            stoa.uri());
    assertThat(run.output())
        .containsPattern("operation +each second +time")
        .containsPattern("search +[\\d,.]+ +[\\d.]+ (us|ms|s)")
        .containsPattern("client +peer +each second +flight +queued +identity")
        .containsPattern("\\d+ +127\\.0\\.0\\.1:\\d+ +[\\d,.]+ +\\d+ +\\d+ +uid=user\\.\\d")
        .contains(TOP_KEYS)
        .contains("ended with 0");
    assertThat(TOP_KEYS.length()).isLessThanOrEqualTo(80);
  }

  /** Whoever watches wants to see it come back. */
  @Test
  void topReconnects() {
    Thread ending =
        new Thread(
            () -> Await.until("top is disconnected", StoactlTerminalIT::hasEndedWatcher), "ending");
    ending.setDaemon(true);
    ending.start();
    CommandRun run =
        Pty.run(
            List.of("Trying again", "", "operations/s", "q"),
            "\"$@\"; echo ended with $?",
            "top",
            "--interval",
            "0.3",
            "-H",
            stoa.uri());
    assertThat(run.output()).contains("ended with 0");
  }

  /** Whoever is the administrator, and has read more than once, is top. */
  private static boolean hasEndedWatcher() {
    return stoa.json("clients", "list").getFieldAsArray("clients").stream()
        .map(JSONObject.class::cast)
        .filter(one -> String.valueOf(one.getFieldAsString("identity")).startsWith("cn=admin,"))
        .filter(one -> one.getFieldAsLong("received") > 4)
        .map(one -> stoa.stoactl("clients", "disconnect", one.getFieldAsLong("number").toString()))
        .anyMatch(done -> done.code() == 0);
  }

  @Test
  void anInterruptedTopRestoresTheTerminal() {
    CommandRun run =
        Pty.run(
            List.of("operations/s", INTERRUPT),
            "trap : INT; \"$@\"; echo ended with $?; stty -a",
            "top",
            "--interval",
            "0.3",
            "-H",
            stoa.uri());
    assertThat(run.output())
        .contains(NO_SCREEN, "ended with " + INTERRUPTED)
        .containsPattern("[^-]icanon")
        .containsPattern("[^-]echo ");
  }

  @Test
  void shutdownAsksFirst() {
    CommandRun run = Pty.stoactl(List.of("[y/N] ", "n\n"), "shutdown", "-H", stoa.uri());
    assertThat(run.exitCode()).isEqualTo(StoactlExitCode.REFUSED.code());
    assertThat(run.output()).contains("nothing was done");
    assertThat(stoa.json("status").getFieldAsBoolean("ready")).isTrue();
  }

  // Completion

  private static String completed(String... words) {
    List<String> command =
        new ArrayList<>(List.of("bash", "-c", COMPLETE, "bash", String.join(" ", words)));
    command.addAll(Pty.stoactl("completion"));
    CommandRun run = CommandRun.of(command);
    assertThat(run.exitCode()).as(run.output()).isZero();
    return run.output().strip();
  }

  @Test
  void namesForCompletion() {
    assertThat(stoa.done("complete", "servers").lines()).containsExactlyElementsOf(stoa.backends());
    assertThat(stoa.done("complete", "keys").lines()).contains("cache.maxAge", "drainTimeout");
    assertThat(stoa.done("complete", "windows")).isEqualTo("people\n");
    assertThat(stoa.stoactl("complete", "classes").code()).isZero();
    assertThat(stoa.done("complete", "feeds").lines()).contains("dc=example,dc=com");
    CommandRun remote = Pty.stoactl(List.of(), "complete", "keys", "-H", stoa.url());
    assertThat(remote.exitCode()).isEqualTo(StoactlExitCode.USAGE.code());
    assertThat(remote.output()).doesNotContain(PROMPT);
  }

  @Test
  void bashCompletesCommandsAndOptions() {
    assertThat(completed("stoactl", "ba")).isEqualTo("backends");
    assertThat(completed("stoactl", "backends", "dr")).isEqualTo("drain");
    assertThat(completed("stoactl", "cache", "flush", "--sub")).isEqualTo("--subtree");
    assertThat(completed("stoactl", "status", "--time")).isEqualTo("--timeout");
  }
}
