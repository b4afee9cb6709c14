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
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Each experiment in brief, in front of a real slapd and the Stoa that is packed: every answer is
 * right, and the caches hold what they should. How fast it was proves nothing here.
 */
class ExperimentsIT {
  /** Nearly all: while it is read, a result may be asked for a second time. */
  private static final double ALL = 0.95;

  @TempDir Path directory;

  private void run(Experiment experiment, Consumer<Bench> expectation) {
    try (Bench bench = new Bench(experiment.name(), Scale.BRIEF, directory, false)) {
      experiment.run(bench);
      assertThat(bench.outcomes()).isNotEmpty().allSatisfy(ExperimentsIT::right);
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

  private static double hits(Bench bench, String label) {
    return bench.outcome(label).hits().filter();
  }

  @Test
  void addressLookup() {
    run(
        new AddressLookup(),
        bench -> {
          assertThat(hits(bench, "Stoa, warm-up, round 2")).isLessThan(0.4);
          assertThat(hits(bench, "Stoa, run 1, round 2")).isGreaterThan(ALL);
          assertThat(bench.outcome("Stoa, run 1, round 2").byName())
              .containsKeys("exact", "wildcard", "department");
        });
  }

  @Test
  void filterCacheSweep() {
    run(
        new FilterCacheSweep(),
        bench -> {
          assertThat(hits(bench, "Stoa 0%, run 1")).isZero();
          assertThat(hits(bench, "Stoa 150%, run 1")).isGreaterThan(ALL);
          assertThat(chart()).contains("<polyline", ">warm-up<", ">150<");
        });
  }

  private String chart() {
    try {
      return Files.readString(directory.resolve("chart.svg"));
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  @Test
  void entryCacheSweep() {
    run(
        new EntryCacheSweep(),
        bench -> {
          assertThat(bench.outcome("Stoa 0%, base 1").hits().entryHits()).isZero();
          assertThat(hits(bench, "Stoa 0%, equality 1")).isZero();
          assertThat(hits(bench, "Stoa no caches, base 1")).isZero();
          assertThat(hits(bench, "Stoa 100%, base, warm-up 1")).isLessThan(0.4);
          assertThat(hits(bench, "Stoa 100%, base 1")).isGreaterThan(ALL);
          assertThat(hits(bench, "Stoa 100%, equality 1")).isGreaterThan(ALL);
        });
  }

  @Test
  void updateMix() {
    run(
        new UpdateMix(),
        bench -> {
          assertThat(hits(bench, "Stoa, no cache, 0% updates")).isZero();
          assertThat(hits(bench, "Stoa, flushing everything, 0% updates")).isGreaterThan(ALL);
          Outcome mixed = bench.outcome("Stoa, flushing everything, 1% updates");
          assertThat(Mix.updates(mixed))
              .isBetween(Mix.answered(mixed) / 110 - 1, Mix.answered(mixed) / 99);
          assertThat(Mix.updates(bench.outcome("Stoa, flushing everything, 0% updates"))).isZero();
          Outcome windows = bench.outcome("Stoa, windows of 500 ms, 1% updates");
          assertThat(Mix.updates(windows)).isPositive();
          assertThat(windows.hits().filter())
              .isGreaterThan(hits(bench, "Stoa, flushing everything, 1% updates"));
        });
  }

  @Test
  void coherenceBenefit() {
    run(
        new CoherenceBenefit(),
        bench -> {
          String precise = "Stoa, one identity, ";
          String everything = "Stoa, any change voids everything, ";
          String shared = "Stoa, a uniform class of four, ";
          assertThat(hits(bench, shared + "0% updates")).isGreaterThan(ALL);
          assertThat(hits(bench, shared + "1%, Zipf updates")).isGreaterThan(0.9);
          assertThat(hits(bench, precise + "0% updates")).isGreaterThan(ALL);
          assertThat(hits(bench, everything + "0% updates")).isGreaterThan(ALL);
          assertThat(hits(bench, precise + "1%, Zipf updates"))
              .isGreaterThan(hits(bench, everything + "1%, Zipf updates"));
          assertThat(ZipfMix.through(bench.outcome(precise + "1%, Zipf updates"))).isPositive();
          assertThat(chart()).contains(">1%, Zipf<");
        });
  }

  /** The searches of authentications stay those of one service: others would find nothing kept. */
  @Test
  void slamd() {
    run(
        new Slamd(),
        bench -> {
          assertThat(hits(bench, "Stoa, search 16, 1")).isGreaterThan(ALL);
          assertThat(hits(bench, "Stoa, few results, search 16, 1")).isLessThan(0.5);
          assertThat(hits(bench, "Stoa, authenticate 16, 1")).isGreaterThan(ALL);
        });
  }

  @Test
  void highConcurrency() {
    run(
        new HighConcurrency(),
        bench -> {
          Outcome crowd = bench.outcome("Stoa, fast 200, 1");
          assertThat(crowd.users()).isEqualTo(200);
          assertThat(bench.write()).contains("| live heap");
          assertThat(bench.outcome("Stoa, paced 200").byName().get("search").ok())
              .isBetween(200L, 1000L);
        });
  }
}
