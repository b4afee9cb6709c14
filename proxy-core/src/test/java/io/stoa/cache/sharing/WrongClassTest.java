// SPDX-License-Identifier: Apache-2.0
package io.stoa.cache.sharing;

import static org.assertj.core.api.Assertions.assertThat;

import io.stoa.cache.sharing.ClassSimulation.Outcome;
import io.stoa.cache.sharing.ClassSimulation.Setup;
import io.stoa.testing.ExpectedLog;
import java.util.List;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * I11: a class is demoted whose first member is given less in every other phase of a few seconds,
 * or half of whose members are; and one is not whose members are all given less then.
 */
class WrongClassTest {
  private static final int OPERATIONS = 60_000;
  private static final int KEYS = 200;
  private static final int PER_SECOND = 300;
  private static final long CHANGE_NANOS = 60 * ClassSimulation.SECOND;
  private static final long FEED_NANOS = ClassSimulation.SECOND / 20;
  private static final long LAG_NANOS = ClassSimulation.SECOND / 5;
  private static final int SEEDS = 5;
  private static final int MANY_SEEDS = 20;
  private static final int SESSION = 20;
  private static final int POLLED_KEYS = 3;

  /**
   * So many wrong answers at most are given, and so many operations are done before it is found.
   */
  private static final long MAX_WRONG = 10;

  private static final long MAX_OPERATIONS = 10_000;

  /** Requests of each poller at most until the class is demoted. */
  private static final int MOST_POLLS = 20;

  @RegisterExtension final ExpectedLog log = new ExpectedLog();

  private static Setup setup(int members, long flipNanos, boolean all) {
    return new Setup(
        members, PER_SECOND, KEYS, CHANGE_NANOS, false, FEED_NANOS, 0, 1, 0, flipNanos, all, 0, 0);
  }

  private static Outcome run(Setup setup, long seed) {
    ClassSimulation simulation = new ClassSimulation(setup, 1000, seed);
    simulation.verifier.setRightsChanges(simulation::rightsChanges);
    return simulation.run(OPERATIONS);
  }

  @ParameterizedTest
  @CsvSource({"2, 1", "2, 3", "2, 7", "5, 3", "20, 3"})
  void aWrongClassIsDemotedHoweverItsRightsChange(int members, long seconds) {
    for (int seed = 0; seed < SEEDS; seed++) {
      Outcome outcome = run(setup(members, seconds * ClassSimulation.SECOND, false), seed);
      assertThat(outcome.demotedAt).as("demoted after").isBetween(1L, MAX_OPERATIONS);
      assertThat(outcome.wrong).as("wrong answers").isLessThanOrEqualTo(MAX_WRONG);
    }
    assertThat(log.warnings()).hasSize(SEEDS);
  }

  private static Setup halves(int members, int session) {
    return new Setup(
        members, PER_SECOND, KEYS, 0, false, 0, 0, members / 2, 0, 0, false, session, 0);
  }

  /** Half of the members see less, all the time: each of them has others that agree. */
  @ParameterizedTest
  @CsvSource({"5", "10", "20"})
  void mostMismatchesDemoteAClassOfTwoKinds(int members) {
    long explained = 0;
    for (int seed = 0; seed < MANY_SEEDS; seed++) {
      Outcome outcome = run(halves(members, 0), seed);
      assertThat(outcome.demotedAt).as("demoted after").isBetween(1L, MAX_OPERATIONS);
      assertThat(outcome.wrong).as("wrong answers").isLessThanOrEqualTo(2L * MAX_WRONG);
      explained += outcome.explained;
    }
    assertThat(explained).isLessThanOrEqualTo(MANY_SEEDS / 3);
    assertThat(log.warnings()).hasSize(MANY_SEEDS);
  }

  /** The same if most members are away, among them the one that has read an answer. */
  @ParameterizedTest
  @CsvSource({"5", "20"})
  void aClassOfTwoKindsIsDemotedIfMembersAreAway(int members) {
    for (int seed = 0; seed < SEEDS; seed++) {
      Outcome outcome = run(halves(members, SESSION), seed);
      assertThat(outcome.demotedAt).as("demoted after").isBetween(1L, MAX_OPERATIONS);
      assertThat(outcome.wrong).as("wrong answers").isLessThanOrEqualTo(2L * MAX_WRONG);
    }
    assertThat(log.warnings()).hasSize(SEEDS);
  }

  private static Setup pollers(int members, int deviating, long seconds) {
    long pollNanos = seconds * ClassSimulation.SECOND;
    return new Setup(
        members, 0, POLLED_KEYS, 0, false, FEED_NANOS, 0, deviating, 0, 0, false, 0, pollNanos);
  }

  /** Members that send rarely count as away between any two of their requests. */
  @ParameterizedTest
  @CsvSource({"2, 10", "2, 60", "5, 10", "5, 60", "20, 10", "20, 60"})
  void aWrongClassOfPollersIsDemoted(int members, long seconds) {
    for (int deviating : List.of(1, members / 2)) {
      for (int seed = 0; seed < MANY_SEEDS; seed++) {
        Setup setup = pollers(members, deviating, seconds);
        Outcome outcome = new ClassSimulation(setup, 1000, seed).run(MOST_POLLS * members);
        assertThat(outcome.demotedAt).as("demoted after").isPositive();
        assertThat(outcome.wrong).as("wrong answers").isLessThanOrEqualTo(2 * MAX_WRONG);
      }
    }
    assertThat(log.warnings()).hasSize(2 * MANY_SEEDS);
  }

  @ParameterizedTest
  @CsvSource({"2, 1", "2, 3", "20, 1", "20, 3", "20, 7"})
  void aCorrectClassOutlivesChangesOfRights(int members, long seconds) {
    for (int seed = 0; seed < SEEDS; seed++) {
      Outcome outcome = run(setup(members, seconds * ClassSimulation.SECOND, true), seed);
      assertThat(outcome.demotedAt).isNegative();
      assertThat(outcome.wrong).isZero();
    }
  }

  /** Where no feed reports them, and replicas lag. */
  @ParameterizedTest
  @CsvSource({"2", "20"})
  void aCorrectClassOutlivesUnknownChangesOfRights(int members) {
    Setup setup =
        new Setup(
            members,
            PER_SECOND,
            KEYS,
            CHANGE_NANOS,
            false,
            0,
            LAG_NANOS,
            0,
            0,
            3 * ClassSimulation.SECOND,
            true,
            0,
            0);
    for (int seed = 0; seed < SEEDS; seed++) {
      assertThat(new ClassSimulation(setup, 1000, seed).run(OPERATIONS).demotedAt).isNegative();
    }
  }
}
