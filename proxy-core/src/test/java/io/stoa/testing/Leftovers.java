// SPDX-License-Identifier: Apache-2.0
package io.stoa.testing;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.extension.AnnotatedElementContext;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.io.TempDirFactory;

/**
 * What tests make outside of their JVM: directories, and processes. Whatever is left when the JVM
 * ends, by itself or by SIGTERM, is removed then; from that moment on nothing more can be made.
 * Thread-safe.
 */
public final class Leftovers {
  private static final int ATTEMPTS = 100;
  private static final Set<Path> PATHS = ConcurrentHashMap.newKeySet();
  private static final Set<Process> PROCESSES = ConcurrentHashMap.newKeySet();

  private static final Set<Runnable> ACTIONS = ConcurrentHashMap.newKeySet();

  private static boolean over;

  static {
    Runtime.getRuntime().addShutdownHook(new Thread(Leftovers::end, "leftovers"));
  }

  private Leftovers() {}

  /** A new directory for temporary files. */
  public static synchronized Path directory(String prefix) {
    mustNotBeOver();
    try {
      Path directory = Files.createTempDirectory(prefix);
      willMake(directory);
      return directory;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Registers a file or directory that a process of the test will create. */
  public static void willMake(Path path) {
    PATHS.add(path);
  }

  /** Starts a process that does not outlive the JVM. */
  public static synchronized Process start(ProcessBuilder builder) throws IOException {
    mustNotBeOver();
    PROCESSES.removeIf(process -> !process.isAlive());
    Process process = builder.start();
    PROCESSES.add(process);
    return process;
  }

  /** Runs an action when the JVM ends, after all processes have ended and files are removed. */
  public static void atEnd(Runnable action) {
    ACTIONS.add(action);
  }

  /** Removes a file, or a directory with all that is in it. */
  public static void delete(Path path) {
    if (!isDeleted(path)) {
      throw new AssertionError(path + " cannot be removed, or is filled as fast as it is emptied");
    }
    PATHS.remove(path);
  }

  /** Processes that are about to end may still write, or remove something themselves. */
  private static boolean isDeleted(Path path) {
    boolean deleted = false;
    for (int i = 0; i < ATTEMPTS && !deleted; i++) {
      deleted = isDeletedAtOnce(path);
    }
    return deleted;
  }

  private static boolean isDeletedAtOnce(Path path) {
    try (Stream<Path> paths = Files.walk(path)) {
      List<Path> leavesFirst = paths.sorted(Comparator.reverseOrder()).toList();
      for (Path leaf : leavesFirst) {
        Files.deleteIfExists(leaf);
      }
      return true;
    } catch (IOException | UncheckedIOException e) {
      return Files.notExists(path);
    }
  }

  private static void mustNotBeOver() {
    if (over) {
      throw new IllegalStateException("the JVM of the tests is about to end");
    }
  }

  private static synchronized void end() {
    over = true;
    PROCESSES.forEach(Leftovers::end);
    PATHS.forEach(Leftovers::isDeleted);
    ACTIONS.forEach(Runnable::run);
  }

  private static void end(Process process) {
    List<ProcessHandle> all =
        Stream.concat(Stream.of(process.toHandle()), process.descendants()).toList();
    all.forEach(ProcessHandle::destroyForcibly);
    all.forEach(handle -> handle.onExit().join());
  }

  /** Makes the directories that JUnit gives to tests. */
  public static final class Directories implements TempDirFactory {
    @Override
    public Path createTempDirectory(AnnotatedElementContext element, ExtensionContext extension) {
      return directory("stoa-test");
    }
  }
}
