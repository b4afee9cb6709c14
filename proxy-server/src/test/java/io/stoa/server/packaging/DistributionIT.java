// SPDX-License-Identifier: Apache-2.0
package io.stoa.server.packaging;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The distribution as it is packed: it starts without a network, with the options it needs. */
class DistributionIT {
  private static final Path HOME = Path.of("target/dist/stoa").toAbsolutePath();
  private static final Path LAUNCHER = HOME.resolve("bin/stoa");
  private static final Path STOACTL = HOME.resolve("bin/stoactl");

  @TempDir Path directory;

  private record Outcome(int exitCode, String output) {}

  @Test
  void startsWithoutNetwork() throws Exception {
    List<String> command = new ArrayList<>(withoutNetwork());
    Collections.addAll(command, LAUNCHER.toString(), "--version");
    Outcome outcome = run(command, Map.of());
    assertThat(outcome.exitCode()).as(outcome.output()).isZero();
    assertThat(outcome.output()).contains(packedVersion());
  }

  @Test
  void startsThroughSymbolicLink() throws Exception {
    Path link = Files.createSymbolicLink(directory.resolve("stoa"), LAUNCHER);
    Outcome outcome = run(List.of(link.toString(), "--version"), Map.of());
    Files.delete(link);
    assertThat(outcome.exitCode()).as(outcome.output()).isZero();
  }

  @Test
  void stoactlStartsToo() throws Exception {
    Path link = Files.createSymbolicLink(directory.resolve("stoactl"), STOACTL);
    List<String> command = new ArrayList<>(withoutNetwork());
    Collections.addAll(command, link.toString(), "--version");
    Outcome outcome = run(command, Map.of());
    Files.delete(link);
    assertThat(outcome.exitCode()).as(outcome.output()).isZero();
    assertThat(outcome.output()).isEqualTo("stoactl " + packedVersion() + "\n");
    Outcome down = run(List.of(STOACTL.toString(), "status", "-H", "ldap://127.0.0.1:1"), Map.of());
    assertThat(down.exitCode()).isEqualTo(3);
    assertThat(down.output().lines()).singleElement().asString().contains("connection failed");
  }

  /** Arguments are names of entries, also where nothing says in which characters they are. */
  @Test
  void stoactlReadsItsArgumentsAsUtf8() throws Exception {
    String script = "\"$0\" status --json \"$(printf 'ou=M\\303\\274ller x')\" 2>/dev/null";
    Map<String, String> locale = Map.of("LC_ALL", "C");
    Outcome outcome = run(List.of("sh", "-c", script, STOACTL.toString()), locale);
    assertThat(outcome.exitCode()).isEqualTo(2);
    assertThat(outcome.output()).contains("'ou=M\u00fcller x'");
  }

  @Test
  void stoactlNamesAWrongJava() throws Exception {
    List<String> command = List.of(STOACTL.toString(), "--version");
    assertThat(run(command, Map.of("JAVA_HOME", "/nowhere")).output())
        .contains("JAVA_HOME is /nowhere");
    assertThat(run(command, javaOf("1.8.0_402")).output()).contains("is Java 8", "needs 17");
    Map<String, String> told = javaOf("11.0.2");
    Path release = Path.of(told.get("JAVA_HOME"), "release");
    Files.writeString(release, "IMPLEMENTOR=\"x\"\nJAVA_VERSION=\"11.0.2\"\n");
    assertThat(run(command, told).output()).contains("is Java 11");
    Files.writeString(release, "JAVA_VERSION=\"21\"\n");
    assertThat(run(command, told).output())
        .contains("-XX:+UseSerialGC", "admin-cli-", "--version")
        .doesNotContain("netty");
  }

  @Test
  void packagedDocumentsHaveNoBrokenLinks() throws Exception {
    List<Path> documents = MarkdownLinks.documents(HOME);
    assertThat(documents)
        .contains(HOME.resolve("README.md"), HOME.resolve("docs/reference/configuration.md"));
    assertThat(MarkdownLinks.broken(documents)).isEmpty();
    assertThat(HOME).isDirectoryContaining("glob:**/{SECURITY.md,CHANGELOG.md,LICENSE}");
    assertThat(Files.readString(HOME.resolve("README.md"))).doesNotContain("./dev");
  }

  @Test
  void wrongJavaHomeIsNamed() throws Exception {
    Outcome outcome = run(launch(), Map.of("JAVA_HOME", "/nowhere"));
    assertThat(outcome.exitCode()).isEqualTo(1);
    assertThat(outcome.output()).contains("JAVA_HOME is /nowhere").contains("Correct it");
  }

  @Test
  void oldJavaIsRefused() throws Exception {
    assertThat(run(launch(), javaOf("1.8.0_402")).output()).contains("is Java 8", "needs 17");
    assertThat(run(launch(), javaOf("11.0.2")).exitCode()).isEqualTo(1);
  }

  /** The file "release" of a JDK spares the start of a JVM; the version in it decides. */
  @Test
  void versionIsReadFromTheFileRelease() throws Exception {
    Map<String, String> java = javaOf("11.0.2");
    Path release = Path.of(java.get("JAVA_HOME"), "release");
    Files.writeString(release, "IMPLEMENTOR=\"x\"\nJAVA_VERSION=\"25.0.1\"\n");
    assertThat(run(launch(), java).output()).contains("--sun-misc-unsafe-memory-access=allow");
    Files.writeString(release, "JAVA_VERSION=\"1.8.0_402\"\n");
    assertThat(run(launch(), java).output()).contains("is Java 8", "needs 17");
    Files.writeString(release, "IMPLEMENTOR=\"x\"\n");
    assertThat(run(launch(), java).output()).contains("is Java 11", "needs 17");
  }

  @Test
  void optionsFitTheVersion() throws Exception {
    String unsafe = "--sun-misc-unsafe-memory-access=allow";
    assertThat(run(launch(), javaOf("17.0.15")).output())
        .contains(
            "-XX:+UseG1GC",
            "-XX:GCTimeRatio=4",
            "-XX:MaxRAMPercentage=",
            "-XX:MaxDirectMemorySize=")
        .contains("-XX:+ExitOnOutOfMemoryError")
        .doesNotContain(unsafe);
    assertThat(run(launch(), javaOf("25")).output())
        .contains(unsafe, "--enable-native-access=ALL-UNNAMED");
  }

  @Test
  void optionsOfTheUserWin() throws Exception {
    Map<String, String> environment = new HashMap<>(javaOf("17.0.15"));
    environment.put("STOA_JAVA_OPTS", "-XX:+UseParallelGC -Xmx300m");
    assertThat(run(launch(), environment).output())
        .contains("-XX:+UseParallelGC -Xmx300m")
        .doesNotContain("UseG1GC")
        .doesNotContain("-Xms")
        .doesNotContain("MaxRAMPercentage");
  }

  @Test
  void heapAndDirectMemoryFollowTheMachinesMemory() throws Exception {
    assertThat(optionsWith("512")).contains("-XX:MaxRAM=512m", "-XX:MaxDirectMemorySize=102m");
    assertThat(optionsWith("1024")).contains("-XX:MaxRAM=1024m", "-XX:MaxDirectMemorySize=204m");
    assertThat(optionsWith("1024")).doesNotContain("-Xms");
    assertThat(optionsWith("65536")).contains("-XX:MaxDirectMemorySize=1024m", "-Xms128m");
    assertThat(optionsWith("much")).contains("STOA_MEMORY is much").doesNotContain("MaxRAM");
    assertThat(run(launch(), javaOf("17.0.15")).output()).containsPattern("-XX:MaxRAM=[1-9]\\d+m");
  }

  private String optionsWith(String memory) throws Exception {
    Map<String, String> environment = new HashMap<>(javaOf("17.0.15"));
    environment.put("STOA_MEMORY", memory);
    return run(launch(), environment).output();
  }

  private static List<String> launch() {
    return List.of(LAUNCHER.toString(), "--version");
  }

  /** A Java that says it is of {@code version}, and prints its arguments when it is started. */
  private Map<String, String> javaOf(String version) throws IOException {
    Path java = directory.resolve(version).resolve("bin/java");
    Files.createDirectories(java.getParent());
    String script =
        """
        #!/bin/sh
        if [ "$1" = -version ]; then
          echo 'openjdk version "%s" 2020-01-01' >&2
        else
          echo "$@"
        fi
        """;
    Files.writeString(java, script.formatted(version));
    assertThat(java.toFile().setExecutable(true)).isTrue();
    return Map.of("JAVA_HOME", directory.resolve(version).toString());
  }

  /** What takes the network away, where the system lets us. */
  private static List<String> withoutNetwork() throws Exception {
    List<String> unshare = List.of("unshare", "--map-root-user", "--net");
    try {
      List<String> probe = Stream.concat(unshare.stream(), Stream.of("true")).toList();
      return run(probe, Map.of()).exitCode() == 0 ? unshare : List.of();
    } catch (IOException notInstalled) {
      return List.of();
    }
  }

  private static String packedVersion() throws IOException {
    try (Stream<Path> jars = Files.list(HOME.resolve("lib"))) {
      return jars.map(jar -> jar.getFileName().toString())
          .filter(name -> name.startsWith("proxy-server-"))
          .map(name -> name.substring("proxy-server-".length(), name.length() - ".jar".length()))
          .findFirst()
          .orElseThrow();
    }
  }

  private static Outcome run(List<String> command, Map<String, String> environment)
      throws IOException, InterruptedException {
    ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
    builder.environment().putAll(environment);
    Process process = builder.start();
    String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
    return new Outcome(process.exitValue(), output);
  }
}
