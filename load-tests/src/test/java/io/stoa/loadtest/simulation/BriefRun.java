// SPDX-License-Identifier: Apache-2.0
package io.stoa.loadtest.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import io.stoa.loadtest.run.Bench;
import io.stoa.loadtest.run.Experiment;
import io.stoa.loadtest.run.PhaseResult;
import io.stoa.loadtest.run.Scale;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.function.Consumer;

/**
 * Runs experiments in brief, in front of a real slapd and the packaged Stoa, and verifies that
 * every answer is right. The rates prove nothing here.
 *
 * <p>Threading: immutable.
 *
 * @param directory directory of the results
 */
record BriefRun(Path directory) {
  /**
   * Minimum hit ratio that counts as all: 0.95. A result may be requested a second time while it is
   * being read.
   */
  static final double ALL = 0.95;

  void run(Experiment experiment, Consumer<Bench> expectation) {
    try (Bench bench = new Bench(experiment.name(), Scale.BRIEF, directory, false)) {
      experiment.run(bench);
      assertThat(bench.outcomes()).isNotEmpty().allSatisfy(BriefRun::right);
      assertThat(bench.write()).contains("## Published", "ceiling of the generator");
      expectation.accept(bench);
      assertThat(directory)
          .isDirectoryContaining("glob:**/{table.md,latencies.md,environment.txt}");
    }
  }

  private static void right(PhaseResult outcome) {
    assertThat(outcome.errors()).as(outcome.label() + " " + outcome.mistakes()).isZero();
    assertThat(outcome.all().ok()).as(outcome.label()).isPositive();
  }

  /** Returns the ratio of a phase's searches that were answered from memory. */
  static double hits(Bench bench, String label) {
    return bench.outcome(label).hits().filter();
  }

  String chart() {
    try {
      return Files.readString(directory.resolve("chart.svg"));
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }
}
