// SPDX-License-Identifier: Apache-2.0
package io.stoa.cache.sharing;

import static org.assertj.core.api.Assertions.assertThat;

import io.stoa.cache.sharing.ClassSimulation.Outcome;
import io.stoa.cache.sharing.ClassSimulation.Setup;
import io.stoa.testing.ExpectedLog;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * I11: a class is demoted whose first member is given less in every other phase of a few seconds;
 * and one is not whose members are all given less then.
 */
class WrongClassTest {
  private static final int OPERATIONS = 60_000;
  private static final int KEYS = 200;
  private static final int PER_SECOND = 300;
  private static final long CHANGE_NANOS = 60 * ClassSimulation.SECOND;
  private static final long FEED_NANOS = ClassSimulation.SECOND / 20;
  private static final int SEEDS = 5;

  /**
   * So many wrong answers at most are given, and so many operations are done before it is found.
   */
  private static final long MOST_WRONG = 10;

  private static final long MOST_OPERATIONS = 10_000;

  @RegisterExtension final ExpectedLog log = new ExpectedLog();

  private static Setup setup(int members, long flipNanos, boolean all) {
    return new Setup(
        members, PER_SECOND, KEYS, CHANGE_NANOS, false, FEED_NANOS, 0, true, 0, flipNanos, all, 0);
  }

  private static Outcome run(Setup setup, long seed) {
    ClassSimulation simulation = new ClassSimulation(setup, 1000, seed);
    simulation.verifier.rightsChanges(simulation::rightsChanges);
    return simulation.run(OPERATIONS);
  }

  @ParameterizedTest
  @CsvSource({"2, 1", "2, 3", "2, 7", "5, 3", "20, 3"})
  void aWrongClassIsDemotedHoweverItsRightsChange(int members, long seconds) {
    for (int seed = 0; seed < SEEDS; seed++) {
      Outcome outcome = run(setup(members, seconds * ClassSimulation.SECOND, false), seed);
      assertThat(outcome.demotedAt).as("demoted after").isBetween(1L, MOST_OPERATIONS);
      assertThat(outcome.wrong).as("wrong answers").isLessThanOrEqualTo(MOST_WRONG);
    }
    assertThat(log.warnings()).hasSize(SEEDS);
  }

  @ParameterizedTest
  @CsvSource({"2", "20"})
  void aCorrectClassOutlivesChangesOfRights(int members) {
    Outcome outcome = run(setup(members, 3 * ClassSimulation.SECOND, true), 1);
    assertThat(outcome.demotedAt).isNegative();
    assertThat(outcome.wrong).isZero();
  }
}
