// SPDX-License-Identifier: Apache-2.0
package io.stoa.server;

import io.stoa.net.transport.DescribedException;
import io.stoa.net.transport.FailureText;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.stream.Stream;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/**
 * {@code stoa class-archive}: makes the class archive (JEP 350) with which the launcher starts
 * Stoa. The JVM maps archived classes instead of reading and verifying them.
 *
 * <p>The archive is made in a directory beside its place and then moved. So a starting JVM never
 * maps an unfinished archive, which would crash it.
 *
 * <p>Threading: one instance for each run.
 */
@Command(
    name = "class-archive",
    description =
        "Makes the class archive of this installation, with which Stoa starts faster. Run it "
            + "again after each change of the Java version.")
final class ClassArchiveCommand implements Callable<Integer> {
  /** Name of the archive in the installation; a symbolic link says where it is instead. */
  private static final String ARCHIVE = "classes.jsa";

  /** Maximum time of the training run: 50 s. So an installation waits for less than a minute. */
  private static final Duration TRAINING = Duration.ofSeconds(50);

  /** Every user may read the archive, whatever the umask. */
  private static final Set<PosixFilePermission> READABLE =
      PosixFilePermissions.fromString("rw-r--r--");

  @Spec
  @SuppressWarnings("NullAway.Init")
  private CommandSpec spec;

  @Override
  public Integer call() throws IOException, InterruptedException {
    String home = System.getProperty("stoa.home");
    if (home == null) {
      throw new DescribedException("class-archive requires bin/stoa, which names the installation");
    }
    Path archive = place(Path.of(home));
    try {
      make(Path.of(home), archive);
    } catch (IOException e) {
      String reason = FailureText.of(e);
      throw new DescribedException(
          "no class archive was made (" + reason + "). Stoa starts without it, more slowly", e);
    }
    spec.commandLine().getOut().println(archive);
    return ExitCode.OK.code();
  }

  private static Path place(Path home) throws IOException {
    Path file = home.resolve(ARCHIVE);
    return Files.isSymbolicLink(file) ? home.resolve(Files.readSymbolicLink(file)) : file;
  }

  private static void make(Path home, Path archive) throws IOException, InterruptedException {
    Path work = Files.createTempDirectory(archive.getParent(), ARCHIVE + ".");
    try {
      new TrainingRun(home.resolve("bin/stoa"), work, TRAINING).archiveTo(ARCHIVE);
      Files.setPosixFilePermissions(work.resolve(ARCHIVE), READABLE);
      Files.move(work.resolve(ARCHIVE), archive, StandardCopyOption.ATOMIC_MOVE);
    } finally {
      delete(work);
    }
  }

  private static void delete(Path work) throws IOException {
    List<Path> files;
    try (Stream<Path> all = Files.list(work)) {
      files = all.toList();
    }
    for (Path file : files) {
      Files.delete(file);
    }
    Files.delete(work);
  }
}
