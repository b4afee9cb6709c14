// SPDX-License-Identifier: Apache-2.0
package io.stoa.loadtest.simulation;

import static io.gatling.javaapi.core.CoreDsl.exec;
import static io.gatling.javaapi.core.CoreDsl.pause;
import static io.gatling.javaapi.core.CoreDsl.rendezVous;

import io.gatling.javaapi.core.ChainBuilder;
import io.stoa.loadtest.run.Bench;
import io.stoa.loadtest.run.Phase;
import java.time.Duration;

/**
 * So many users who connect and bind first, and begin with what counts when all of them are there.
 * Immutable.
 *
 * @param first what each does before they wait for each other, under the name {@link #FIRST}
 * @param once what each repeats then
 */
record Gathering(String name, int users, ChainBuilder first, ChainBuilder once) {
  static final String FIRST = "first";

  private static final int CONNECTS_A_SECOND = 1000;

  Phase during(Bench bench, Duration time) {
    Duration rest = bench.scale().of(Duration.ofSeconds(1), Duration.ofMillis(50));
    ChainBuilder all =
        exec(first)
            .exec(rendezVous(users))
            .exec(pause(rest))
            .exec(io.gatling.javaapi.core.CoreDsl.during(time).on(once));
    return Phase.of(name, users, all).ramp(Duration.ofSeconds(users / CONNECTS_A_SECOND));
  }
}
