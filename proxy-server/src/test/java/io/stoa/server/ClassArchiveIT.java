// SPDX-License-Identifier: Apache-2.0
package io.stoa.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.stoa.testing.Leftovers;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The class archive: it is made, used, and never in the way of a start. */
class ClassArchiveIT {
  private static final String LOADED = "-Xlog:class+load";
  private static final String FROM_ARCHIVE = "StoaCommand source: shared objects file (top)";

  private static Path home;
  private static Path archive;
  private static Path kept;
  private static String version;

  @BeforeAll
  static void make() throws IOException {
    Path directory = Leftovers.directory("stoa-class-archive");
    String distribution = Path.of("target/dist/stoa").toAbsolutePath().toString();
    CommandRun.of("cp", "-R", distribution, directory.toString());
    home = directory.resolve("stoa");
    archive = home.resolve("classes.jsa");
    Files.deleteIfExists(archive);
    kept = directory.resolve("kept");
    version = stoa("", "--version").output();
    CommandRun made = stoa("", "class-archive");
    assertThat(made.output()).isEqualTo(archive + "\n");
    assertThat(home).isDirectoryNotContaining("glob:**/classes.jsa.*");
    Files.copy(archive, kept);
  }

  @AfterAll
  static void delete() {
    Leftovers.delete(home.getParent());
  }

  @BeforeEach
  void restore() throws IOException {
    Files.deleteIfExists(archive);
    Files.copy(kept, archive);
  }

  private static CommandRun stoa(String options, String... arguments) {
    ProcessBuilder builder = new ProcessBuilder(home.resolve("bin/stoa").toString());
    builder.command().addAll(List.of(arguments));
    builder.environment().put("STOA_JAVA_OPTS", options);
    return CommandRun.of(builder);
  }

  @Test
  void startTakesClassesFromTheArchive() {
    assertThat(stoa(LOADED, "--version").output()).contains(FROM_ARCHIVE);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "-XX:+UseParallelGC",
        "-XX:+UseSerialGC",
        "-XX:+UseZGC",
        "-XX:-UseCompressedOops",
        "-Xshare:off",
        "-XX:SharedArchiveFile=/nowhere",
        "--add-modules=java.net.http",
        "-Xmx300m"
      })
  void optionsOfTheUserStartAsWell(String options) {
    CommandRun run = stoa(options, "--version");
    assertThat(run.exitCode()).isZero();
    assertThat(run.output()).isEqualTo(version);
  }

  /** Another Java writes another header, which the text stands for. */
  @ParameterizedTest
  @ValueSource(strings = {"", "not an archive"})
  void brokenArchiveIsIgnored(String content) throws IOException {
    Files.delete(archive);
    Files.writeString(archive, content);
    startsWithoutTheArchive();
  }

  @Test
  void archiveOfOtherLibrariesIsIgnored() throws IOException {
    Path library = home.resolve("lib");
    try (var jars = Files.newDirectoryStream(library, "proxy-server-*.jar")) {
      Files.setLastModifiedTime(jars.iterator().next(), FileTime.from(Instant.now()));
    }
    startsWithoutTheArchive();
    assertThat(stoa("", "class-archive").output()).isEqualTo(archive + "\n");
    assertThat(stoa(LOADED, "--version").output()).contains(FROM_ARCHIVE);
    Files.delete(kept);
    Files.copy(archive, kept);
  }

  private static void startsWithoutTheArchive() {
    assertThat(stoa("", "--version").output()).isEqualTo(version);
    assertThat(stoa(LOADED, "--version").output()).doesNotContain(FROM_ARCHIVE);
  }

  @Test
  void placeThatCannotBeWrittenIsNamed() throws IOException {
    Files.delete(archive);
    Files.createSymbolicLink(archive, home.resolve("nowhere/classes.jsa"));
    CommandRun run = stoa("", "class-archive");
    assertThat(run.exitCode()).isEqualTo(1);
    assertThat(run.output())
        .startsWith("stoa: no class archive was made (")
        .endsWith("no such file). Stoa starts without it, more slowly\n");
    assertThat(stoa("", "--version").output()).isEqualTo(version);
  }

  /** The directory of the link takes the archive, as in the Debian package. */
  @Test
  void archiveIsMadeWhereTheLinkPoints() throws IOException {
    Path place = Files.createDirectories(home.resolve("cache")).resolve("classes.jsa");
    Files.delete(archive);
    Files.createSymbolicLink(archive, place);
    assertThat(stoa("", "class-archive").output()).isEqualTo(place + "\n");
    assertThat(archive).isSymbolicLink();
    assertThat(stoa(LOADED, "--version").output()).contains(FROM_ARCHIVE);
  }

  /** The process of the training run ends early: the cause is in the error. */
  @Test
  void failedTrainingRunIsExplained() throws IOException {
    Path launcher = home.resolve("bin/stoa");
    String text = Files.readString(launcher);
    Files.writeString(launcher, text.replace("exec ", "[ \"$1\" != run ] || fail broken\nexec "));
    CommandRun run = stoa("", "class-archive");
    Files.writeString(launcher, text);
    assertThat(run.exitCode()).isEqualTo(1);
    assertThat(run.output()).contains("the training run ended early: stoa: broken");
    assertThat(home).isDirectoryNotContaining("glob:**/classes.jsa.*");
  }

  @Test
  void commandRequiresTheLauncher() {
    CommandRun run = CommandRun.of(CommandProcess.command("class-archive"));
    assertThat(run.exitCode()).isEqualTo(1);
    assertThat(run.output()).contains("stoa: class-archive requires bin/stoa");
  }
}
