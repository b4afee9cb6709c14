// SPDX-License-Identifier: Apache-2.0
package io.stoa.testing;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * The process of a directory server: started until it listens, ended politely or not, and started
 * again. Its output goes to a file. Not thread-safe.
 */
final class ServerProcess {
  private static final int SECONDS_TO_STOP = 20;
  private static final int MINUTES_TO_RUN = 2;

  private final List<String> command;
  private final Path log;
  private final InetSocketAddress address;
  private volatile Process process;

  private ServerProcess(List<String> command, Path log, InetSocketAddress address) {
    this.command = command;
    this.log = log;
    this.address = address;
    this.process = launch(command, log);
  }

  /** Starts it, and returns when it takes connections. */
  static ServerProcess start(List<String> command, Path log, InetSocketAddress address) {
    ServerProcess server = new ServerProcess(command, log, address);
    boolean started = false;
    try {
      server.awaitListening();
      started = true;
      return server;
    } finally {
      if (!started) {
        server.kill();
      }
    }
  }

  /** Runs a program to its end, and fails the test if it fails. */
  static void run(List<String> command, Path log) {
    Process process = launch(command, log);
    try {
      if (!process.waitFor(MINUTES_TO_RUN, TimeUnit.MINUTES) || process.exitValue() != 0) {
        throw new AssertionError(command + " failed: " + read(log));
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new AssertionError("interrupted", e);
    } finally {
      process.destroyForcibly();
    }
  }

  private static Process launch(List<String> command, Path log) {
    ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
    builder.redirectOutput(ProcessBuilder.Redirect.appendTo(log.toFile()));
    builder.environment().putAll(Map.of("LC_ALL", "C.UTF-8"));
    try {
      return Leftovers.start(builder);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private void awaitListening() {
    // On a busy machine a server takes its time: that proves nothing.
    Duration patience = Duration.ofMinutes(MINUTES_TO_RUN);
    Await.until(command.get(0) + " listens", patience, () -> !process.isAlive() || listens());
    if (!process.isAlive()) {
      throw new AssertionError(command.get(0) + " ended at once: " + read(log));
    }
  }

  private boolean listens() {
    try (Socket socket = new Socket()) {
      socket.connect(address, 1000);
      return true;
    } catch (IOException e) {
      return false;
    }
  }

  long pid() {
    return process.pid();
  }

  /** Ends it as an administrator would. */
  void stop() {
    process.destroy();
    awaitEnd();
  }

  /** Ends it with SIGKILL. */
  void kill() {
    process.destroyForcibly();
    awaitEnd();
  }

  /** Starts it once more, with the data that it had. */
  void restart() {
    if (process.isAlive()) {
      stop();
    }
    process = launch(command, log);
    awaitListening();
  }

  private void awaitEnd() {
    try {
      if (!process.waitFor(SECONDS_TO_STOP, TimeUnit.SECONDS)) {
        process.destroyForcibly().waitFor();
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new AssertionError("interrupted", e);
    }
  }

  private static String read(Path log) {
    try {
      return Files.exists(log) ? Files.readString(log) : "";
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
