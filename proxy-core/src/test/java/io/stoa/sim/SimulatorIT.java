// SPDX-License-Identifier: Apache-2.0
package io.stoa.sim;

import static org.assertj.core.api.Assertions.assertThat;

import io.stoa.testing.Parallel;
import io.stoa.testing.Soak;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The same in many more histories, other ones each time. */
@Tag("soak")
@Tag("alone")
class SimulatorIT {
  private static final int THREADS = Runtime.getRuntime().availableProcessors();
  private static final Duration PATIENCE = Duration.ofHours(6);

  /** In one of so many histories answers rest on a feed. */
  private static final int FED = 4;

  private final LongAdder leased = new LongAdder();
  private final LongAdder reads = new LongAdder();
  private final LongAdder hits = new LongAdder();

  @Test
  void everyReadIsExplained() {
    int histories = Soak.scale(10_000, 300_000);
    AtomicLong begun = new AtomicLong();
    long start = System.nanoTime();
    Parallel.run(
        THREADS,
        PATIENCE,
        thread -> {
          long number = begun.getAndIncrement();
          while (number < histories) {
            long seed = Soak.seed() + number;
            run((number % FED == 0 ? Program.fed(seed) : Program.of(seed)).harder());
            number = begun.getAndIncrement();
          }
        });
    Soak.record(
        ("%d histories of %d acts with two servers and a fault, a quarter of them with a feed:"
                + " %d reads, %d of them from memory, all explained; at least %d by a lease; %d s")
            .formatted(
                histories,
                Program.ACTS,
                reads.sum(),
                hits.sum(),
                leased.sum(),
                Duration.ofNanos(System.nanoTime() - start).toSeconds()));
    assertThat(hits.sum()).isGreaterThan(reads.sum() / 10);
  }

  private void run(Program program) {
    Outcome outcome = new Simulation(program).run();
    if (!outcome.violations().isEmpty()) {
      throw new AssertionError(Replay.of(program));
    }
    reads.add(outcome.recording().reads().size());
    hits.add(outcome.hits());
    leased.add(outcome.leased());
  }
}
