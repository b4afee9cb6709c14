// SPDX-License-Identifier: Apache-2.0
package io.stoa.loadtest.simulation;

import static io.stoa.loadtest.simulation.BriefRun.ALL;
import static io.stoa.loadtest.simulation.BriefRun.hits;
import static org.assertj.core.api.Assertions.assertThat;

import io.stoa.loadtest.run.PhaseResult;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Experiments in brief: the caches by their size, and by the number of clients. */
class SweepsIT {
  @TempDir Path directory;

  private BriefRun brief() {
    return new BriefRun(directory);
  }

  @Test
  void addressLookup() {
    brief()
        .run(
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
    brief()
        .run(
            new FilterCacheSweep(),
            bench -> {
              assertThat(hits(bench, "Stoa 0%, run 1")).isZero();
              assertThat(hits(bench, "Stoa 150%, run 1")).isGreaterThan(ALL);
              assertThat(brief().chart()).contains(">run<", ">warm-up<", ">150<");
            });
  }

  @Test
  void entryCacheSweep() {
    brief()
        .run(
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
  void highConcurrency() {
    brief()
        .run(
            new HighConcurrency(),
            bench -> {
              PhaseResult crowd = bench.outcome("Stoa, fast 200, 1");
              assertThat(crowd.users()).isEqualTo(200);
              assertThat(bench.write()).contains("| live heap");
              assertThat(directory.resolve("chart.csv"))
                  .content()
                  .contains("# axis: logarithmic\n", "÷ Stoa's with 8 clients\n")
                  .contains("\nStoa,8,1,,\nStoa,200,", "\nceiling of the generator,200,");
              assertThat(bench.outcome("Stoa, paced 200").byName().get("search").ok())
                  .isBetween(200L, 1000L);
            });
  }
}
