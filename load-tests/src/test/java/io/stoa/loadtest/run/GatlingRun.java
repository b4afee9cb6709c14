// SPDX-License-Identifier: Apache-2.0
package io.stoa.loadtest.run;

import io.gatling.app.Gatling$;
import io.gatling.javaapi.core.PopulationBuilder;
import io.gatling.javaapi.core.Simulation;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * Runs one population of virtual users in this JVM, whose code stays compiled from one run to the
 * next.
 *
 * <p>Threading: not thread-safe. Gatling creates the simulation by the name of its class, so a
 * static field holds its population.
 */
public final class GatlingRun {
  private static PopulationBuilder population;
  private static Duration limit;

  private GatlingRun() {}

  /** The simulation that Gatling creates. */
  public static final class Population extends Simulation {
    public Population() {
      setUp(population).maxDuration(limit);
    }
  }

  /**
   * Runs the users. Returns when the last one has ended, or when the time is over.
   *
   * @param report true if Gatling writes its HTML report
   */
  public static synchronized void run(
      PopulationBuilder users, Duration max, Path results, boolean report) {
    population = users;
    limit = max;
    List<String> arguments = new ArrayList<>();
    arguments.addAll(List.of("-s", Population.class.getName(), "-rf", results.toString()));
    if (!report) {
      arguments.add("-nr");
    }
    int status = Gatling$.MODULE$.fromArgs(arguments.toArray(String[]::new));
    if (status != 0) {
      throw new IllegalStateException("Gatling ended with status " + status);
    }
  }
}
