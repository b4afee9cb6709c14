// SPDX-License-Identifier: Apache-2.0
package io.stoa.packaging;

import static org.assertj.core.api.Assertions.assertThat;

import io.stoa.testing.Leftovers;
import io.stoa.testing.Repository;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** The archive and the Debian package: their contents, and the judgement of Debian's tools. */
class PackageIT {
  private static Path directory;
  private static Path archive;
  private static Path deb;

  @BeforeAll
  static void assemble() throws IOException {
    directory = Leftovers.directory("stoa-packages");
    Packages packages = Packages.assemble(directory.resolve("one"));
    archive = packages.archive();
    deb = packages.deb();
  }

  @AfterAll
  static void delete() {
    Leftovers.delete(directory);
  }

  @Test
  void secondBuildGivesTheSameOctets() throws IOException {
    String assemble = Repository.root().resolve("packaging/assemble").toString();
    String script = "umask 077; cd /; exec \"$0\" \"$1\"";
    String other = directory.resolve("two").toString();
    Map<String, String> environment = Map.of("TZ", "Asia/Tokyo", "LC_ALL", "C.UTF-8");
    Commands.run(List.of("sh", "-c", script, assemble, other), environment).ok();
    for (Path file : List.of(archive, deb)) {
      Path again = Path.of(other).resolve(file.getFileName());
      assertThat(Files.mismatch(file, again)).as(file.toString()).isEqualTo(-1);
    }
  }

  @Test
  void lintianFindsNothing() {
    String output =
        Commands.run("lintian", "--allow-root", "--fail-on", "error,warning", deb.toString()).ok();
    assertThat(output).doesNotContain("E: ", "W: ");
  }

  @Test
  void packageHasItsFilesAndFields() {
    String contents = Commands.run("dpkg-deb", "--contents", deb.toString()).ok();
    assertThat(contents.lines()).allMatch(line -> line.contains(" root/root "));
    assertThat(contents)
        .contains(
            "./lib/systemd/system/stoa.service",
            "./lib/systemd/system/stoa@.service",
            "./lib/systemd/system/stoa.socket",
            "./usr/lib/sysusers.d/stoa.conf",
            "./etc/stoa/stoa.yaml",
            "./etc/default/stoa",
            "./etc/logrotate.d/stoa",
            "./usr/bin/stoa -> ",
            "./usr/bin/stoactl -> ",
            "./usr/share/stoa/stoa.cdx.json",
            "./usr/share/stoa/stoa.schema.json",
            "./usr/share/bash-completion/completions/stoactl",
            "./usr/share/zsh/vendor-completions/_stoactl",
            "./usr/share/fish/vendor_completions.d/stoactl.fish");
    String fields = Commands.run("dpkg-deb", "--info", deb.toString()).ok();
    assertThat(fields)
        .contains("Package: stoa\n", "Architecture: all\n")
        .contains("java17-runtime-headless")
        .containsPattern("Installed-Size: [1-9]\\d+\n");
  }

  @Test
  void archiveHasTheSameParts() {
    String contents = Commands.run("tar", "-tzvf", archive.toString()).ok();
    assertThat(contents.lines()).allMatch(line -> line.contains(" 0/0 "));
    assertThat(contents)
        .contains("/bin/stoa\n", "/conf/stoa.yaml\n", "/conf/stoa.schema.json\n")
        .contains("/systemd/stoa.service\n")
        .contains("/systemd/stoa@.service\n", "/systemd/stoa.socket\n")
        .contains("/man/stoa.1\n", "/completion/_stoa\n", "/stoa.cdx.json\n");
  }

  /** The first line of the installed configuration names the schema that the package installs. */
  @Test
  void configurationNamesItsSchema() throws IOException {
    Path file = Repository.root().resolve("packaging/src/files/stoa.yaml");
    assertThat(Files.readAllLines(file).get(0))
        .isEqualTo("# yaml-language-server: $schema=/usr/share/stoa/stoa.schema.json");
    assertThat(Packages.generated().resolve("stoa.schema.json"))
        .hasSameTextualContentAs(Repository.root().resolve("docs/reference/stoa.schema.json"));
  }

  /** Each library of the package is in the list of components, with its version. */
  @Test
  void componentsAreListed() throws IOException {
    String sbom = Files.readString(Packages.generated().resolve("stoa.cdx.json"));
    assertThat(sbom).contains("\"bomFormat\" : \"CycloneDX\"", "pkg:maven/io.stoa/stoa@");
    try (Stream<Path> jars = Files.list(Packages.distribution().resolve("lib"))) {
      for (Path jar : jars.toList()) {
        String name = jar.getFileName().toString().replaceFirst("\\.jar$", "");
        String base = name.replaceFirst("-(linux|osx|windows)-[a-z0-9_]+$", "");
        String component = base.replaceFirst("-(\\d)", "@$1");
        assertThat(sbom).as(name).contains("/" + component);
      }
    }
  }

  @Test
  void manualPagesHaveNoMistake() throws IOException {
    for (String name : List.of("stoa.1", "stoactl.1", "stoa.yaml.5")) {
      Path page = Packages.generated().resolve("man").resolve(name);
      Map<String, String> environment = Map.of("MANWIDTH", "80", "LC_ALL", "C.UTF-8");
      List<String> command = List.of("man", "--warnings", "-E", "UTF-8", "-l", page.toString());
      String text = Commands.run(command, environment).ok();
      assertThat(text).as(name).doesNotContain("warning:", "error:").contains("SEE ALSO");
    }
    Path yaml = Packages.generated().resolve("man/stoa.yaml.5");
    assertThat(Files.readString(yaml)).contains("cache.maxAge", "upstream.servers", "Required.");
  }

  @Test
  void shellsCompleteCommands() {
    Path completion = Packages.generated().resolve("completion");
    String bash =
        "source \"$0/stoactl.bash\"; COMP_WORDS=(stoactl fee); COMP_CWORD=1;"
            + " _complete_stoactl 2>/dev/null; echo \"${COMPREPLY[@]}\"";
    assertThat(Commands.run("bash", "-c", bash, completion.toString()).ok()).isEqualTo("feeds\n");
    String fish = "source " + completion + "/stoactl.fish; complete -C 'stoactl feeds '";
    assertThat(Commands.run("fish", "--no-config", "-c", fish).ok()).contains("list\t", "show\t");
    assertThat(Commands.run("fish", "--no-config", "-c", fish.replace("feeds ", "--u")).ok())
        .startsWith("--uri\t");
    String zsh =
        "fpath=(\"$0\" $fpath); autoload -Uz compinit; compinit -u -D; print $_comps[stoactl];"
            + " autoload +X _stoactl && zsh -fn \"$0/_stoactl\" && zsh -fn \"$0/_stoa\"";
    assertThat(Commands.run("zsh", "-f", "-c", zsh, completion.toString()).ok())
        .isEqualTo("_stoactl\n");
  }
}
