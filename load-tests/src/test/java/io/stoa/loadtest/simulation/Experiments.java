// SPDX-License-Identifier: Apache-2.0
package io.stoa.loadtest.simulation;

import io.stoa.loadtest.chart.DrawCharts;
import io.stoa.loadtest.run.Bench;
import io.stoa.loadtest.run.Experiment;
import io.stoa.loadtest.run.Scale;
import io.stoa.testing.Leftovers;
import io.stoa.testing.Repository;
import java.nio.file.Path;
import java.util.List;

/**
 * All experiments, and the command that runs them: {@code ./dev load [NAME]}. Threading: stateless.
 */
public final class Experiments {
  static final List<Experiment> ALL =
      List.of(
          new AddressLookup(),
          new FilterCacheSweep(),
          new UpdateMix(),
          new CoherenceBenefit(),
          new EntryCacheSweep(),
          new Slamd(),
          new HighConcurrency());

  private static final int FAILED = 1;
  private static final int USAGE = 2;

  private Experiments() {}

  /** Lists the experiments, or runs the named one. */
  public static void main(String[] arguments) {
    if (arguments.length == 0) {
      list();
      return;
    }
    Experiment experiment =
        ALL.stream().filter(one -> one.name().equals(arguments[0])).findFirst().orElse(null);
    if (experiment == null || arguments.length > 1) {
      System.err.println("dev: there is no load test " + String.join(" ", arguments) + ".");
      list();
      System.exit(USAGE);
    } else {
      System.exit(run(experiment) ? 0 : FAILED);
    }
  }

  private static void list() {
    System.out.println("Load tests (./dev load NAME):");
    ALL.forEach(one -> System.out.printf("  %-20s%s%n", one.name(), one.about()));
  }

  private static boolean run(Experiment experiment) {
    try {
      DrawCharts.requireFonts();
    } catch (IllegalStateException e) {
      System.err.println("dev: " + e.getMessage());
      return false;
    }
    Path directory = Repository.root().resolve("load-tests/target/load").resolve(experiment.name());
    Leftovers.delete(directory);
    try (Bench bench = new Bench(experiment.name(), Scale.FULL, directory, true)) {
      boolean right = bench.run(experiment);
      System.out.println("Tables, charts, latencies and Gatling's reports are in " + directory);
      if (!right) {
        System.err.println("dev: there were errors; see below the tables");
      }
      return right;
    }
  }
}
