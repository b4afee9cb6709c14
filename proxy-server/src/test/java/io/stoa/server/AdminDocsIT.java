// SPDX-License-Identifier: Apache-2.0
package io.stoa.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.stoa.cli.client.StoactlExitCode;
import io.stoa.testing.FreePort;
import io.stoa.testing.GuideShell;
import io.stoa.testing.GuideStep;
import io.stoa.testing.People;
import io.stoa.testing.Repository;
import io.stoa.testing.Slapd;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
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
  private static final Pattern YAML = Pattern.compile("(?ms)^```yaml\\n(.*?)^```$");
  private static final Pattern REFUSED_BIND = Pattern.compile("(?m)^ldap_bind: .* \\((\\d+)\\)$");
  private static final Path PACKED = Path.of("target/dist/stoa").toAbsolutePath();

  @TempDir Path directory;

  /** The exit code: a line of stoactl, or of an LDAP tool, tells why the command failed. */
  private static int code(GuideStep step) {
    List<String> printed = step.printed();
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

  @Test
  void firstDay() throws IOException {
    List<GuideStep> steps = GuideStep.of("docs/guides/first-day.md");
    assertThat(steps).hasSizeGreaterThan(30);
    assertEveryStep(steps);
  }

  @Test
  void quickstart() throws IOException {
    List<GuideStep> steps = GuideStep.of("docs/quickstart.md");
    assertThat(steps).hasSizeGreaterThan(15);
    assertEveryStep(steps);
  }

  /** The page begins with a running Stoa, and its file. */
  @Test
  void upgrading() throws IOException {
    List<GuideStep> steps = GuideStep.of("docs/guides/upgrading.md");
    assertThat(steps).hasSizeGreaterThan(15);
    steps.addAll(0, installed(yaml("docs/guides/upgrading.md")));
    assertEveryStep(steps);
  }

  private static List<GuideStep> installed(String file) {
    return Stream.of(
            "cp -r dist/stoa /opt/stoa",
            "export PATH=/opt/stoa/bin:$PATH",
            "mkdir -p /etc/stoa /run/stoa",
            "cat >/etc/stoa/stoa.yaml <<'EOF'\n" + file + "EOF",
            "stoa run --config /etc/stoa/stoa.yaml 2>/run/stoa/log &",
            "stoactl status --wait-ready")
        .map(command -> new GuideStep(command, List.of()))
        .toList();
  }

  /** The first file of a page. */
  private static String yaml(String page) throws IOException {
    Matcher block = YAML.matcher(Files.readString(Repository.root().resolve(page)));
    assertThat(block.find()).isTrue();
    return block.group(1);
  }

  private void assertEveryStep(List<GuideStep> steps) throws IOException {
    try (Slapd first = Slapd.start(People.slapd(20));
        Slapd second = Slapd.start(People.slapd(20));
        GuideShell shell = new GuideShell(localNames(first, second), "bash")) {
      shell.run("export STOACTL_URI=ldapi:///run/stoa/ldapi");
      for (GuideStep step : steps) {
        List<String> printed = shell.run(step.command());
        step.compare(printed);
        assertThat(shell.code()).as(step.command()).isEqualTo(code(step));
      }
    }
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
}
