// SPDX-License-Identifier: Apache-2.0
package io.stoa.sim;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What the cache promises holds in many histories, and would be missed if it did not. */
class SimulatorTest {
  private static final int HISTORIES = 200;
  private static final int MOST_ACTS = 12;

  @Test
  void everyReadIsExplained() {
    long reads = 0;
    long hits = 0;
    for (long seed = 1; seed <= HISTORIES; seed++) {
      Outcome outcome = new Simulation(Program.of(seed)).run();
      if (!outcome.violations().isEmpty()) {
        throw new AssertionError(Replay.of(seed));
      }
      reads += outcome.recording().reads().size();
      hits += outcome.hits();
    }
    assertThat(hits).as("hits among %d reads", reads).isGreaterThan(reads / 6);
  }

  /** That which a command line names, or the first one. */
  @Test
  void replay() {
    Program program = Replay.named();
    Outcome outcome = new Simulation(program).run();
    assertThat(new Simulation(program).run().recording()).isEqualTo(outcome.recording());
    assertThat(outcome.violations()).as(() -> Replay.told(program)).isEmpty();
  }

  @ParameterizedTest
  @EnumSource
  void everyBugIsFound(Mutant mutant) {
    Mutant.Copy copy = mutant.copy();
    long seed =
        LongStream.rangeClosed(1, HISTORIES)
            .filter(one -> copy.replay("isRight", one).equals(false))
            .findFirst()
            .orElseThrow(() -> new AssertionError("nobody notices " + mutant));
    assertThat((int) copy.replay("acts", seed)).isBetween(1, MOST_ACTS);
  }
}
