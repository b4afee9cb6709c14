// SPDX-License-Identifier: Apache-2.0
package io.stoa.server;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.stoa.testing.Leftovers;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** Prometheus' checker of metrics and rules, run beside the rules. Stateless. */
final class Promtool {
  private static final int SECONDS = 60;

  private Promtool() {}

  /**
   * A finished run.
   *
   * @param code the exit code
   * @param text the lines that promtool printed
   */
  record Verdict(int code, String text) {}

  /** Checks metrics as a scraper receives them. */
  static Verdict checkMetrics(String metrics) {
    return run(metrics, "check", "metrics");
  }

  /** Checks a file of rules. */
  static Verdict checkRules(String file) {
    return run("", "check", "rules", file);
  }

  /** Runs the unit tests of rules. */
  static Verdict testRules(String file) {
    return run("", "test", "rules", file);
  }

  private static Verdict run(String input, String... arguments) {
    List<String> command = new ArrayList<>(List.of("promtool"));
    command.addAll(List.of(arguments));
    try {
      Process process =
          Leftovers.start(
              new ProcessBuilder(command)
                  .directory(PrometheusFiles.directory().toFile())
                  .redirectErrorStream(true));
      try (OutputStream to = process.getOutputStream()) {
        to.write(input.getBytes(UTF_8));
      }
      String text = new String(process.getInputStream().readAllBytes(), UTF_8);
      if (!process.waitFor(SECONDS, TimeUnit.SECONDS)) {
        process.destroyForcibly();
        throw new AssertionError("promtool does not end");
      }
      return new Verdict(process.exitValue(), text);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new AssertionError("interrupted", e);
    }
  }
}
