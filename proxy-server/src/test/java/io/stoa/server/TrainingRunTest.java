// SPDX-License-Identifier: Apache-2.0
package io.stoa.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Training runs that fail. {@code ClassArchiveIT} has those that make an archive. */
class TrainingRunTest {
  private static final Duration SHORT = Duration.ofSeconds(1);

  @TempDir Path directory;

  private Path launcher(String commands) throws IOException {
    Path launcher = Files.writeString(directory.resolve("stoa"), "#!/bin/sh\n" + commands);
    return Files.setPosixFilePermissions(launcher, PosixFilePermissions.fromString("rwx------"));
  }

  private Path work() throws IOException {
    return Files.createDirectory(directory.resolve("work"));
  }

  /** One limit holds for the whole run, and ends the process. */
  @Test
  void silentRunIsKilledAtTheLimit() throws IOException {
    Path pid = directory.resolve("pid");
    Path launcher = launcher("echo $$ >'" + pid + "'\nexec sleep 600\n");
    TrainingRun run = new TrainingRun(launcher, work(), SHORT);
    assertThatThrownBy(() -> run.archiveTo("classes.jsa"))
        .isInstanceOf(IOException.class)
        .hasMessage("the training run took more than 1 s");
    long process = Long.parseLong(Files.readString(pid).strip());
    assertThat(ProcessHandle.of(process).filter(ProcessHandle::isAlive)).isEmpty();
  }

  @Test
  void earlyEndIsExplainedByTheLog() throws IOException {
    TrainingRun run =
        new TrainingRun(launcher("echo broken\nexit 1\n"), work(), Duration.ofDays(1));
    assertThatThrownBy(() -> run.archiveTo("classes.jsa"))
        .isInstanceOf(IOException.class)
        .hasMessage("the training run ended early: broken");
  }
}
