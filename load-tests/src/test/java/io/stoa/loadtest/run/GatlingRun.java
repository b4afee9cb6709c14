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
 * Runs one population of virtual users in this JVM, which stays warm from one run to the next. Not
 * thread-safe: Gatling makes the simulation by the name of its class, so that its population waits
 * in a static field.
 */
public final class GatlingRun {
  private static PopulationBuilder population;
  private static Duration limit;

  private GatlingRun() {}

  /** What Gatling makes. */
  public static final class Population extends Simulation {
    public Population() {
      setUp(population).maxDuration(limit);
    }
  }

  /**
   * Returns when the last user has ended, or the time is over.
   *
   * @param report whether Gatling writes its pages, too
   */
  public static synchronized void run(
      PopulationBuilder users, Duration most, Path results, boolean report) {
    population = users;
    limit = most;
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
