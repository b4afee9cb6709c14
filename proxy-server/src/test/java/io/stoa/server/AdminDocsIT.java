// SPDX-License-Identifier: Apache-2.0
package io.stoa.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.stoa.cli.client.ExitCode;
import io.stoa.testing.FreePort;
import io.stoa.testing.Leftovers;
import io.stoa.testing.People;
import io.stoa.testing.Repository;
import io.stoa.testing.Slapd;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStreamWriter;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The first day of docs/guides/first-day.md in one shell, with the packed distribution and two real
 * slapds. Each line that a command prints there it prints here, in that order, but for numbers and
 * the width of columns; others may be between them. A command fails if it says so, and only then.
 */
class AdminDocsIT {
  private static final String BLOCK = "```console";
  private static final String PROMPT = "$ ";
  private static final String END = "-- end of what the command prints --";
  private static final Duration PATIENCE = Duration.ofSeconds(30);
  private static final Path PACKED = Path.of("target/dist/stoa").toAbsolutePath();

  @TempDir Path directory;

  /** What somebody types, and what the document says that comes back. */
  private record Step(String command, List<String> printed) {
    /** What is behind stoactl's name is why it failed. */
    int code() {
      if (printed.stream().noneMatch(line -> line.startsWith("stoactl: "))) {
        return 0;
      }
      boolean down = printed.stream().anyMatch(line -> line.endsWith("cannot be reached"));
      boolean left = printed.stream().anyMatch(line -> line.contains("nothing was compared"));
      return (down ? ExitCode.UNREACHABLE : left ? ExitCode.UNCOMPARED : ExitCode.REFUSED).code();
    }
  }

  @Test
  void everyCommandDoesWhatItSays() throws IOException {
    List<Step> steps = steps();
    assertThat(steps).hasSizeGreaterThan(30);
    try (Slapd first = Slapd.start(People.slapd(20));
        Slapd second = Slapd.start(People.slapd(20));
        Shell shell = new Shell(here(first, second))) {
      shell.run("export STOACTL_URI=ldapi:///run/stoa/ldapi");
      for (Step step : steps) {
        List<String> printed = shell.run(step.command());
        compare(step, printed);
        assertThat(shell.code()).as(step.command()).isEqualTo(step.code());
      }
    }
  }

  private static void compare(Step step, List<String> printed) {
    int from = 0;
    for (String line : step.printed()) {
      int at = from;
      while (at < printed.size() && !bare(printed.get(at)).startsWith(bare(line))) {
        at++;
      }
      assertThat(at)
          .as(
              "%s\nprints no line\n%s\nafter line %d of\n%s",
              step.command(), line, from, String.join("\n", printed))
          .isLessThan(printed.size());
      from = at + 1;
    }
  }

  private static String bare(String line) {
    return line.replaceAll("\\d[\\d.,]*", "0").replaceAll("\\s+", " ").strip();
  }

  /** What stands for what in the document. */
  private Map<String, String> here(Slapd first, Slapd second) {
    return Map.of(
        "ldap://ldap1.example.com:389", first.url(),
        "ldap://ldap2.example.com:389", second.url(),
        "ldap://ldap1.example.com", first.url(),
        "ldap://ldap2.example.com", second.url(),
        "127.0.0.1:1389", "127.0.0.1:" + FreePort.next(),
        "dist/stoa", PACKED.toString(),
        "/opt/stoa", directory.resolve("opt").toString(),
        "/etc/stoa", directory.resolve("etc").toString(),
        "/run/stoa", directory.resolve("run").toString(),
        "%2Frun%2Fstoa", directory.resolve("run").toString().replace("/", "%2F"));
  }

  private static List<Step> steps() throws IOException {
    List<Step> steps = new ArrayList<>();
    boolean inside = false;
    boolean document = false;
    for (String line : Files.readAllLines(Repository.root().resolve("docs/guides/first-day.md"))) {
      if (!inside || line.equals("```")) {
        inside = line.equals(BLOCK);
      } else if (document) {
        Step step = steps.remove(steps.size() - 1);
        steps.add(new Step(step.command() + "\n" + line, step.printed()));
        document = !line.equals("EOF");
      } else if (line.startsWith(PROMPT)) {
        steps.add(new Step(line.substring(PROMPT.length()), new ArrayList<>()));
        document = line.contains("<<'EOF'");
      } else {
        steps.get(steps.size() - 1).printed().add(line);
      }
    }
    return steps;
  }

  /** A bash that goes on from command to command. Not thread-safe. */
  private static final class Shell implements AutoCloseable {
    private final Map<String, String> here;
    private final Process process;
    private final Writer in;
    private final BufferedReader out;
    private int code;

    Shell(Map<String, String> here) throws IOException {
      this.here = here;
      process = Leftovers.start(new ProcessBuilder("bash").redirectErrorStream(true));
      in = new OutputStreamWriter(process.getOutputStream(), StandardCharsets.UTF_8);
      out =
          new BufferedReader(
              new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
    }

    List<String> run(String command) throws IOException {
      in.write(translated(command) + "\necho '" + END + "' $?\n");
      in.flush();
      List<String> lines = new ArrayList<>();
      String line = out.readLine();
      while (line == null || !line.startsWith(END)) {
        assertThat(line).as(command + " ends the shell after " + lines).isNotNull();
        lines.add(original(line));
        line = out.readLine();
      }
      code = Integer.parseInt(line.substring(END.length()).strip());
      return lines;
    }

    /** How the last command has ended. */
    int code() {
      return code;
    }

    private String translated(String text) {
      String translated = text;
      for (String name : longestFirst()) {
        translated = translated.replace(name, here.get(name));
      }
      return translated;
    }

    private String original(String text) {
      String original = text;
      for (String name : longestFirst()) {
        original = original.replace(here.get(name), name);
      }
      return original;
    }

    private List<String> longestFirst() {
      return here.keySet().stream().sorted((one, other) -> other.length() - one.length()).toList();
    }

    /** Stoa is a child of the shell. */
    @Override
    public void close() {
      process.descendants().forEach(ProcessHandle::destroyForcibly);
      process.destroyForcibly();
      try {
        assertThat(process.waitFor(PATIENCE.toSeconds(), TimeUnit.SECONDS)).isTrue();
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        throw new AssertionError("interrupted", e);
      }
    }
  }
}
