// SPDX-License-Identifier: Apache-2.0
package io.stoa.testing;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Tests that are ended before they end leave neither files nor processes behind. */
class LeftoversIT {
  private static final String READY = "ready";
  private static final int SECONDS = 60;

  @TempDir Path directory;

  /** What tests do, in a JVM of its own: it goes on until it is ended. */
  static final class Busy {
    private Busy() {}

    public static void main(String[] arguments) throws IOException {
      Slapd.start(People.slapd(Integer.parseInt(arguments[0])));
      Files.createFile(Path.of(System.getProperty("java.io.tmpdir"), READY));
      for (int i = 0; i < Integer.MAX_VALUE; i++) {
        Certificates.create();
      }
    }
  }

  private Process busy(int people) throws IOException {
    List<String> command =
        List.of(
            Path.of(System.getProperty("java.home"), "bin", "java").toString(),
            "-Xmx128m",
            "-Djava.io.tmpdir=" + Files.createDirectory(temporary()),
            "-cp",
            System.getProperty("java.class.path"),
            Busy.class.getName(),
            Integer.toString(people));
    return Leftovers.start(
        new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(output().toFile()));
  }

  private Path temporary() {
    return directory.resolve("tmp");
  }

  private Path output() {
    return directory.resolve("output");
  }

  /** They are ended while they work, or while they fill the first directory. */
  @ParameterizedTest
  @CsvSource({"2, ready", "20000, stoa-slapd"})
  void theJvmRemovesItsFilesAndProcessesWhenItEnds(int people, String seen) throws Exception {
    Process tests = busy(people);
    Await.until(seen + " is there", () -> !tests.isAlive() || !names(seen).isEmpty());
    assertThat(tests.isAlive()).as(Files.readString(output())).isTrue();
    tests.destroy();
    assertThat(tests.waitFor(SECONDS, TimeUnit.SECONDS)).isTrue();
    assertThat(names("stoa-")).as(Files.readString(output())).isEmpty();
    assertThat(ProcessHandle.allProcesses().filter(this::concerns)).isEmpty();
  }

  private List<String> names(String prefix) throws IOException {
    try (Stream<Path> paths = Files.list(temporary())) {
      return paths
          .map(path -> path.getFileName().toString())
          .filter(name -> name.startsWith(prefix))
          .toList();
    }
  }

  private boolean concerns(ProcessHandle process) {
    return process.info().commandLine().orElse("").contains(directory.toString());
  }
}
