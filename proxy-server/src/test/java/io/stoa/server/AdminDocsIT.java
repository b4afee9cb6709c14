// SPDX-License-Identifier: Apache-2.0
package io.stoa.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.stoa.cli.client.StoactlExitCode;
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
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The commands of the quickstart, of the first day and of upgrading, each page in one shell, with
 * the packed distribution and two real slapds. A command prints here each line that the page shows,
 * in that order, except for numbers and the width of columns; other lines may be between them. A
 * command fails only if its lines say so.
 */
class AdminDocsIT {
  private static final String BLOCK = "```console";
  private static final Pattern YAML = Pattern.compile("(?ms)^```yaml\\n(.*?)^```$");
  private static final String PROMPT = "$ ";
  private static final String END = "-- end of what the command prints --";
  private static final Pattern REFUSED_BIND = Pattern.compile("(?m)^ldap_bind: .* \\((\\d+)\\)$");
  private static final Duration PATIENCE = Duration.ofSeconds(30);
  private static final Path PACKED = Path.of("target/dist/stoa").toAbsolutePath();

  @TempDir Path directory;

  /** A command, and the lines that the document shows of its output. */
  private record Step(String command, List<String> printed) {
    /** The exit code: a line of stoactl, or of an LDAP tool, tells why the command failed. */
    int code() {
      Matcher refused = REFUSED_BIND.matcher(String.join("\n", printed));
      if (refused.find()) {
        return Integer.parseInt(refused.group(1));
      }
      if (printed.stream().noneMatch(line -> line.startsWith("stoactl: "))) {
        return 0;
      }
      boolean down = printed.stream().anyMatch(line -> line.contains(": connection failed"));
      boolean left = printed.stream().anyMatch(line -> line.contains("nothing was compared"));
      return (down
              ? StoactlExitCode.UNREACHABLE
              : left ? StoactlExitCode.UNCOMPARED : StoactlExitCode.REFUSED)
          .code();
    }
  }

  @Test
  void firstDay() throws IOException {
    List<Step> steps = steps("docs/guides/first-day.md");
    assertThat(steps).hasSizeGreaterThan(30);
    assertEveryStep(steps);
  }

  @Test
  void quickstart() throws IOException {
    List<Step> steps = steps("docs/quickstart.md");
    assertThat(steps).hasSizeGreaterThan(15);
    assertEveryStep(steps);
  }

  /** The page begins with a running Stoa, and its file. */
  @Test
  void upgrading() throws IOException {
    List<Step> steps = steps("docs/guides/upgrading.md");
    assertThat(steps).hasSizeGreaterThan(15);
    steps.addAll(0, installed(yaml("docs/guides/upgrading.md")));
    assertEveryStep(steps);
  }

  private static List<Step> installed(String file) {
    return Stream.of(
            "cp -r dist/stoa /opt/stoa",
            "export PATH=/opt/stoa/bin:$PATH",
            "mkdir -p /etc/stoa /run/stoa",
            "cat >/etc/stoa/stoa.yaml <<'EOF'\n" + file + "EOF",
            "stoa run --config /etc/stoa/stoa.yaml 2>/run/stoa/log &",
            "stoactl status --wait-ready")
        .map(command -> new Step(command, List.of()))
        .toList();
  }

  /** The first file of a page. */
  private static String yaml(String page) throws IOException {
    Matcher block = YAML.matcher(Files.readString(Repository.root().resolve(page)));
    assertThat(block.find()).isTrue();
    return block.group(1);
  }

  private void assertEveryStep(List<Step> steps) throws IOException {
    try (Slapd first = Slapd.start(People.slapd(20));
        Slapd second = Slapd.start(People.slapd(20));
        Shell shell = new Shell(localNames(first, second))) {
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
      while (at < printed.size()
          && !withoutNumbers(printed.get(at)).startsWith(withoutNumbers(line))) {
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

  private static String withoutNumbers(String line) {
    return line.replaceAll("\\d[\\d.,]*", "0").replaceAll("\\s+", " ").strip();
  }

  /** Names of the documents, and those that stand for them here. */
  private Map<String, String> localNames(Slapd first, Slapd second) {
    Map<String, String> here = new HashMap<>();
    for (String place : List.of("/opt", "/etc", "/run", "/tmp")) {
      here.put(place + "/stoa", directory.resolve(place.substring(1)).toString());
    }
    here.put("ldap://ldap1.example.com:389", first.url());
    here.put("ldap://ldap2.example.com:389", second.url());
    here.put("ldap://ldap1.example.com", first.url());
    here.put("ldap://ldap2.example.com", second.url());
    here.put("127.0.0.1:1389", "127.0.0.1:" + FreePort.next());
    here.put("dist/stoa", PACKED.toString());
    here.put("$PWD/dist/stoa", PACKED.toString());
    here.put("%2Frun%2Fstoa", directory.resolve("run").toString().replace("/", "%2F"));
    here.put("%2Ftmp%2Fstoa", directory.resolve("tmp").toString().replace("/", "%2F"));
    return here;
  }

  private static List<Step> steps(String page) throws IOException {
    List<Step> steps = new ArrayList<>();
    boolean inside = false;
    boolean document = false;
    for (String line : Files.readAllLines(Repository.root().resolve(page))) {
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
      String names = longestFirst().stream().map(Pattern::quote).collect(Collectors.joining("|"));
      return Pattern.compile(names)
          .matcher(text)
          .replaceAll(name -> Matcher.quoteReplacement(here.get(name.group())));
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
