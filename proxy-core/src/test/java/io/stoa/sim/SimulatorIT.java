// SPDX-License-Identifier: Apache-2.0
package io.stoa.sim;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.util.ResourceLeakDetector;
import io.stoa.testing.Parallel;
import io.stoa.testing.Progress;
import io.stoa.testing.Soak;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The same in many more histories, other ones each time. The long form goes on where it was. */
@Tag("soak")
@Tag("alone")
class SimulatorIT {
  private static final int THREADS = Runtime.getRuntime().availableProcessors();
  private static final Duration PATIENCE = Duration.ofHours(6);
  private static final String DONE = "histories";
  private static final String READS = "reads";
  private static final String HITS = "hits";
  private static final String LEASED = "leased";
  private static final String MILLIS = "millis";

  /** After so many it is kept how far it has got. */
  private static final int PART = 10_000;

  /** In one of so many histories answers rest on a feed. */
  private static final int FED = 4;

  /**
   * In one of so many of either kind there is one server, which shows at once what it has taken.
   */
  private static final int ALONE = 4;

  private static ResourceLeakDetector.Level looking = ResourceLeakDetector.getLevel();

  private final Progress progress = Progress.of("SimulatorIT");
  private final LongAdder leased = new LongAdder();
  private final LongAdder reads = new LongAdder();
  private final LongAdder hits = new LongAdder();

  /** Whether buffers leak is seen by the shorter tests: to look for that takes long. */
  @BeforeAll
  static void lookForNoLeaks() {
    looking = ResourceLeakDetector.getLevel();
    ResourceLeakDetector.setLevel(ResourceLeakDetector.Level.DISABLED);
  }

  @AfterAll
  static void lookForLeaksAgain() {
    ResourceLeakDetector.setLevel(looking);
  }

  @Test
  void everyReadIsExplained() {
    int histories = Soak.scale(10_000, 300_000);
    for (long done = progress.count(DONE); done < histories; done = progress.count(DONE)) {
      run(done, Math.min(PART, histories - done));
    }
    Soak.record(
        ("%d histories of %d acts with a fault, a quarter of them with a feed, three quarters with"
                + " two servers: %d reads, %d of them from memory, all explained; at least %d by a"
                + " lease; %d s in %d runs")
            .formatted(
                progress.count(DONE),
                Program.ACTS,
                progress.count(READS),
                progress.count(HITS),
                progress.count(LEASED),
                Duration.ofMillis(progress.count(MILLIS)).toSeconds(),
                progress.count("runs")));
    progress.end();
    assertThat(progress.count(HITS)).isGreaterThan(progress.count(READS) / 10);
  }

  private void run(long first, long count) {
    AtomicLong begun = new AtomicLong(first);
    long start = System.nanoTime();
    Parallel.run(
        THREADS,
        PATIENCE,
        thread -> {
          long number = begun.getAndIncrement();
          while (number < first + count) {
            long seed = progress.seed() + number;
            Program drawn = number % FED == 0 ? Program.fed(seed) : Program.of(seed);
            run(drawn.harder().with(number / FED % ALONE != 0));
            number = begun.getAndIncrement();
          }
        });
    progress.add(DONE, count);
    progress.add(READS, reads.sumThenReset());
    progress.add(HITS, hits.sumThenReset());
    progress.add(LEASED, leased.sumThenReset());
    progress.add(MILLIS, Duration.ofNanos(System.nanoTime() - start).toMillis());
    progress.keep();
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
