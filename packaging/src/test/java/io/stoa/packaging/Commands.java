// SPDX-License-Identifier: Apache-2.0
package io.stoa.packaging;

import static org.assertj.core.api.Assertions.assertThat;

import io.stoa.testing.Leftovers;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** Runs commands to their end, within a limit of time. Stateless. */
final class Commands {
  private static final int LIMIT_SECONDS = 120;

  private Commands() {}

  /** How a command ended, with what it printed to both outputs. */
  record Outcome(int exitCode, String output) {
    /** The output of a command that must have succeeded. */
    String ok() {
      assertThat(exitCode).as(output).isZero();
      return output;
    }
  }

  static Outcome run(String... command) {
    return run(List.of(command), Map.of());
  }

  static Outcome run(List<String> command, Map<String, String> environment) {
    ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
    builder.environment().putAll(environment);
    try {
      Process process = Leftovers.start(builder);
      process.getOutputStream().close();
      String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
      assertThat(process.waitFor(LIMIT_SECONDS, TimeUnit.SECONDS)).isTrue();
      return new Outcome(process.exitValue(), output);
    } catch (IOException e) {
      throw new AssertionError(command.get(0) + " cannot be run: " + e.getMessage(), e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new AssertionError("interrupted", e);
    }
  }
}
