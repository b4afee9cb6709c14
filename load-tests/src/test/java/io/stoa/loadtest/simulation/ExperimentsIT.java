// SPDX-License-Identifier: Apache-2.0
package io.stoa.loadtest.simulation;

import static io.stoa.loadtest.simulation.BriefRun.ALL;
import static io.stoa.loadtest.simulation.BriefRun.hits;
import static org.assertj.core.api.Assertions.assertThat;

import io.stoa.loadtest.run.PhaseResult;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Experiments in brief: the caches under updates, and single operations. */
class ExperimentsIT {
  @TempDir Path directory;

  private BriefRun brief() {
    return new BriefRun(directory);
  }

  @Test
  void updateMix() {
    brief()
        .run(
            new UpdateMix(),
            bench -> {
              assertThat(hits(bench, "Stoa, no cache, 0% updates")).isZero();
              assertThat(hits(bench, "Stoa, invalidating everything, 0% updates"))
                  .isGreaterThan(ALL);
              PhaseResult mixed = bench.outcome("Stoa, invalidating everything, 1% updates");
              assertThat(Mix.updates(mixed))
                  .isBetween(Mix.answered(mixed) / 110 - 1, Mix.answered(mixed) / 99);
              assertThat(Mix.updates(bench.outcome("Stoa, invalidating everything, 0% updates")))
                  .isZero();
              PhaseResult windows = bench.outcome("Stoa, windows of 500 ms, 1% updates");
              assertThat(Mix.updates(windows)).isPositive();
              assertThat(windows.hits().filter())
                  .isGreaterThan(hits(bench, "Stoa, invalidating everything, 1% updates"));
            });
  }

  /**
   * Results updated in place are there as soon as the feed reports the change. Hit ratios under
   * updates depend on the feed's delay, so this run compares the configurations; the full run also
   * judges the promised ratios.
   */
  @Test
  @Tag("alone")
  void coherenceBenefit() {
    brief()
        .run(
            new CoherenceBenefit(),
            bench -> {
              String precise = "Stoa, one identity, ";
              String everything = "Stoa, any change voids everything, ";
              String shared = "Stoa, a uniform class of four, ";
              for (String setup : List.of(precise, everything, shared)) {
                assertThat(hits(bench, setup + "0% updates")).as(setup).isGreaterThan(ALL);
              }
              for (String updates : List.of("1%, Zipf updates", "10%, Zipf updates")) {
                double flushed = hits(bench, everything + updates);
                assertThat(hits(bench, precise + updates))
                    .as(precise + updates)
                    .isGreaterThan(flushed + 0.2);
                assertThat(hits(bench, shared + updates))
                    .as(shared + updates)
                    .isGreaterThan(flushed + 0.2);
              }
              assertThat(ZipfMix.proxyUpdates(bench.outcome(precise + "1%, Zipf updates")))
                  .isPositive();
              assertThat(brief().chart()).contains(">1%, Zipf<");
            });
  }

  /**
   * Searches of authentications stay bound as one service. Other identities would find nothing in
   * the cache.
   */
  @Test
  void slamd() {
    brief()
        .run(
            new Slamd(),
            bench -> {
              assertThat(hits(bench, "Stoa, search 16, 1")).isGreaterThan(ALL);
              assertThat(hits(bench, "Stoa, few results, search 16, 1")).isLessThan(0.5);
              assertThat(hits(bench, "Stoa, authenticate 16, 1")).isGreaterThan(ALL);
            });
  }
}
