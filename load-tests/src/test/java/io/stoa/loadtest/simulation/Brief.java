// SPDX-License-Identifier: Apache-2.0
package io.stoa.loadtest.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import io.stoa.loadtest.run.Bench;
import io.stoa.loadtest.run.Experiment;
import io.stoa.loadtest.run.Outcome;
import io.stoa.loadtest.run.Scale;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.function.Consumer;

/**
 * Experiments in brief, in front of a real slapd and the Stoa that is packed: every answer is
 * right. How fast it was proves nothing here. Immutable.
 *
 * @param directory where all is left
 */
record Brief(Path directory) {
  /** Nearly all: while it is read, a result may be asked for a second time. */
  static final double ALL = 0.95;

  void run(Experiment experiment, Consumer<Bench> expectation) {
    try (Bench bench = new Bench(experiment.name(), Scale.BRIEF, directory, false)) {
      experiment.run(bench);
      assertThat(bench.outcomes()).isNotEmpty().allSatisfy(Brief::right);
      assertThat(bench.write()).contains("## Published", "ceiling of the generator");
      expectation.accept(bench);
      assertThat(directory)
          .isDirectoryContaining("glob:**/{table.md,latencies.md,environment.txt}");
    }
  }

  private static void right(Outcome outcome) {
    assertThat(outcome.errors()).as(outcome.label() + " " + outcome.mistakes()).isZero();
    assertThat(outcome.all().ok()).as(outcome.label()).isPositive();
  }

  /** The part of the searches of a phase that came from memory. */
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
