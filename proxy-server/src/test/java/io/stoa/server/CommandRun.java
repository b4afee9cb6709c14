// SPDX-License-Identifier: Apache-2.0
package io.stoa.server;

import io.stoa.testing.Leftovers;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * A program that was run to its end. Immutable.
 *
 * @param exitCode how it ended
 * @param output what it wrote to standard output and standard error
 */
record CommandRun(int exitCode, String output) {
  private static final int PATIENCE_SECONDS = 60;

  static CommandRun of(String... command) {
    return of(List.of(command));
  }

  static CommandRun of(List<String> command) {
    return of(new ProcessBuilder(command));
  }

  static CommandRun of(ProcessBuilder command) {
    try {
      Process process = Leftovers.start(command.redirectErrorStream(true));
      process.getOutputStream().close();
      String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
      if (!process.waitFor(PATIENCE_SECONDS, TimeUnit.SECONDS)) {
        process.destroyForcibly();
        throw new AssertionError(command.command() + " does not end");
      }
      return new CommandRun(process.exitValue(), output);
    } catch (IOException e) {
      throw new AssertionError(
          command.command().get(0) + " cannot be run: ./dev test sets up what the tests need", e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new AssertionError("interrupted", e);
    }
  }

  /** The output, line by line. */
  List<String> lines() {
    return output.lines().toList();
  }
}
