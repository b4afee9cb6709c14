// SPDX-License-Identifier: Apache-2.0
package io.stoa.sim;

import static org.assertj.core.api.Assertions.assertThat;

import io.stoa.cache.maintenance.MaintenanceStatus;
import io.stoa.sim.check.Violation.Kind;
import io.stoa.testing.Parallel;
import io.stoa.testing.Soak;
import io.stoa.testing.mutation.MutatedCode;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.TimeUnit;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;

/** What the cache promises holds in many histories, and would be missed if it did not. */
class SimulatorTest {
  private static final int HISTORIES = 60;
  private static final int BUG_HISTORIES = 5_000;
  private static final int AUDITED_HISTORIES = 20;
  private static final int TWICE = 40;
  private static final int MAX_ACTS = 30;
  private static final int THREADS = Runtime.getRuntime().availableProcessors();
  private static final Duration PATIENCE = Duration.ofMinutes(10);

  /**
   * What it takes to see them is found out, too: that is said of a history that breaks a promise.
   */
  private static final Set<Mutant> SHRUNK =
      Soak.isLong()
          ? EnumSet.allOf(Mutant.class)
          : EnumSet.of(Mutant.NO_SESSIONS, Mutant.NO_RING_SCAN);

  private static final Map<Mutant, String> FOUND = new ConcurrentSkipListMap<>();

  @Test
  void everyReadIsExplained() {
    long reads = 0;
    long hits = 0;
    for (long seed = 1; seed <= HISTORIES; seed++) {
      Outcome outcome = new Simulation(Program.of(seed)).run();
      if (!outcome.violations().isEmpty()) {
        throw new AssertionError(Replay.of(Program.of(seed)));
      }
      reads += outcome.recording().reads().size();
      hits += outcome.hits();
    }
    assertThat(hits).as("hits among %d reads", reads).isGreaterThan(reads / 10);
  }

  @Test
  void everyReadOnAFeedIsExplained() {
    long told = 0;
    long leased = 0;
    long amended = 0;
    for (long seed = 1; seed <= HISTORIES; seed++) {
      Outcome outcome = new Simulation(Program.fed(seed)).run();
      if (!outcome.violations().isEmpty()) {
        throw new AssertionError(Replay.of(Program.fed(seed)));
      }
      told += outcome.claimedHits();
      leased += outcome.leasedHits();
      amended += outcome.updatesInPlace();
    }
    assertThat(amended).as("answers that were changed in place").isGreaterThan(2 * HISTORIES);
    assertThat(leased).as("of %d answers in memory", told).isGreaterThan(told / 4);
  }

  /** A hole in the feed shows in no position, and is found all the same. */
  @Test
  void theAuditFindsChangesMissedByAFeed() {
    long wrong = 0;
    for (long seed = 1; seed <= AUDITED_HISTORIES; seed++) {
      Program program = Program.fed(seed).with(Fault.HOLE);
      Simulation simulation = new Simulation(program);
      if (!simulation.run().violations().isEmpty()) {
        throw new AssertionError(Replay.of(program));
      }
      MaintenanceStatus status = simulation.compared();
      assertThat(status.fullAudit().state()).isEqualTo(MaintenanceStatus.FullAuditState.DONE);
      wrong += status.incoherent();
    }
    assertThat(wrong).as("answers that a hole had made wrong").isPositive();
  }

  /**
   * An entry is given as the feed has told it, by an answer that could not be changed in place;
   * then a container above it gets another name. It is not there upstream, and that proves nothing.
   */
  @Test
  void aClassIsNotDemotedForAMovedEntry() {
    Simulation simulation = new Simulation(Program.fed(1_032_464_300).harder());
    assertThat(simulation.run().violations()).isEmpty();
    assertThat(simulation.demoted()).isFalse();
  }

  /** That which a command line names, or the first one. */
  @Test
  void replay() {
    Program program = Replay.configured();
    Outcome outcome = new Simulation(program).run();
    assertThat(new Simulation(program).run().recording()).isEqualTo(outcome.recording());
    assertThat(outcome.violations()).as(() -> Replay.report(program)).isEmpty();
  }

  /**
   * What is found by one process can be looked at by another one: but for {@link ThreadLocalSeed}.
   */
  @Test
  void aHistoryIsReproducibleInAnotherProcess() throws Exception {
    List<String> command = new ArrayList<>(List.of(ProcessHandle.current().info().command().get()));
    command.addAll(ManagementFactory.getRuntimeMXBean().getInputArguments());
    command.addAll(List.of("-cp", System.getProperty("java.class.path")));
    command.addAll(List.of(HistoryDigests.class.getName(), "1", String.valueOf(TWICE)));
    Path out = Files.createTempFile("histories", ".txt");
    ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
    Process other = builder.redirectOutput(out.toFile()).start();
    try {
      List<String> own = LongStream.rangeClosed(1, TWICE).mapToObj(HistoryDigests::line).toList();
      assertThat(other.waitFor(PATIENCE.toSeconds(), TimeUnit.SECONDS)).isTrue();
      List<String> lines = Files.readAllLines(out);
      assertThat(other.exitValue()).as("output of the other process: %s", lines).isZero();
      assertThat(lines).filteredOn(line -> line.startsWith("history ")).isEqualTo(own);
    } finally {
      other.destroyForcibly().waitFor();
      Files.delete(out);
    }
  }

  @Test
  void everyBugIsFound() {
    Mutant[] all = Mutant.values();
    Parallel.run(all.length, THREADS, PATIENCE, number -> find(all[number]));
    assertThat(FOUND).hasSameSizeAs(all);
  }

  private static void find(Mutant mutant) {
    MutatedCode copy = mutant.copy();
    long seed =
        LongStream.concat(
                LongStream.of(mutant.likelySeed()), LongStream.rangeClosed(1, BUG_HISTORIES))
            .filter(one -> !Collections.disjoint(mutant.broken(copy, one), mutant.brokenPromises()))
            .findFirst()
            .orElseThrow(() -> new AssertionError("no history shows " + mutant));
    Set<Kind> broken = mutant.broken(copy, seed);
    FOUND.put(mutant, "history " + seed + ": " + broken);
    if (SHRUNK.contains(mutant)) {
      broken.retainAll(mutant.brokenPromises());
      String found = mutant.summary(copy, seed, broken.iterator().next());
      FOUND.put(mutant, "history " + seed + ", " + found);
      int acts = Integer.parseInt(found.substring(0, found.indexOf(' ')));
      assertThat(acts).isBetween(1, MAX_ACTS);
    }
  }

  /** Which history has found which bug, and what of it that takes. */
  @AfterAll
  static void print() {
    FOUND.forEach((mutant, found) -> System.out.printf("%-22s %s%n", mutant, found));
  }
}
