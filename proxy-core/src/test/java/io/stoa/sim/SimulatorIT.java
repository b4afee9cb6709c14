// SPDX-License-Identifier: Apache-2.0
package io.stoa.sim;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import io.netty.util.ResourceLeakDetector;
import io.stoa.testing.Parallel;
import io.stoa.testing.Progress;
import io.stoa.testing.Soak;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

/** The same in many more histories, other ones each time. The long form goes on where it was. */
@Tag("soak")
@Tag("histories")
class SimulatorIT {
  private static final int THREADS = Runtime.getRuntime().availableProcessors();
  private static final Duration PATIENCE = Duration.ofHours(6);
  private static final String DONE = "histories";
  private static final String READS = "reads";
  private static final String HITS = "hits";
  private static final String FED = "fed";
  private static final String LEASED = "leased";
  private static final String UNIFORM = "uniform";
  private static final String UPDATED = "amended";
  private static final String MILLIS = "millis";
  private static final String OTHER_MILLIS = "millis of others";

  /** After so many it is kept how far it has got. */
  private static final int PART = 10_000;

  /** For so many histories of two servers with a feed there is one more of another kind. */
  private static final int ONE_OTHER_FOR = 5;

  /** One server with a feed, which shows what it takes; one without; and two without. */
  private static final int OTHER_KINDS = 3;

  /** So many reads of each history with a feed rest on the lease, of those that Stoa tells of. */
  private static final int LEASED_EACH = 4;

  /** So often something is changed in place in each of those in which it can be. */
  private static final int UPDATED_EACH = 2;

  private static final List<Logger> LOGS =
      Stream.of("io.stoa.coherence.invalidation", "io.stoa.cache.maintenance")
          .map(name -> (Logger) LoggerFactory.getLogger(name))
          .toList();

  private static ResourceLeakDetector.Level leakDetectionLevel = ResourceLeakDetector.getLevel();

  private final Progress progress = Progress.of("SimulatorIT");
  private final LongAdder fed = new LongAdder();
  private final LongAdder leased = new LongAdder();
  private final LongAdder uniform = new LongAdder();
  private final LongAdder updated = new LongAdder();
  private final LongAdder reads = new LongAdder();
  private final LongAdder hits = new LongAdder();

  /**
   * Whether buffers leak is seen by the shorter tests: to look for that takes long. Of what people
   * are warned there is a little in many histories.
   */
  @BeforeAll
  static void disableLeakDetection() {
    leakDetectionLevel = ResourceLeakDetector.getLevel();
    ResourceLeakDetector.setLevel(ResourceLeakDetector.Level.DISABLED);
    LOGS.forEach(log -> log.setLevel(Level.ERROR));
  }

  @AfterAll
  static void restoreLeakDetection() {
    ResourceLeakDetector.setLevel(leakDetectionLevel);
    LOGS.forEach(log -> log.setLevel(null));
  }

  @Test
  void everyReadIsExplained() {
    int main = Soak.scale(5_000, 300_000);
    int histories = main + main / ONE_OTHER_FOR;
    for (long done = progress.count(DONE); done < histories; done = progress.count(DONE)) {
      long end = done < main ? main : histories;
      run(done, Math.min(PART, end - done), main);
    }
    Soak.record(
        ("%d histories of %d acts, two servers, a feed and a fault in %d s, and %d of one server or"
                + " without a feed in %d s: %d reads, %d of them from memory, all explained; at"
                + " least %d by a lease; %d times an answer was changed in place; %d runs")
            .formatted(
                main,
                Program.ACTS,
                seconds(MILLIS),
                histories - main,
                seconds(OTHER_MILLIS),
                progress.count(READS),
                progress.count(HITS),
                progress.count(LEASED),
                progress.count(UPDATED),
                progress.count("runs")));
    progress.end();
    assertThat(progress.count(HITS)).isGreaterThan(progress.count(READS) / 10);
    assertThat(progress.count(FED)).isGreaterThanOrEqualTo(main);
    assertThat(progress.count(LEASED)).isGreaterThan(LEASED_EACH * progress.count(FED));
    assertThat(progress.count(UPDATED)).isGreaterThan(UPDATED_EACH * progress.count(UNIFORM));
  }

  private long seconds(String millis) {
    return Duration.ofMillis(progress.count(millis)).toSeconds();
  }

  /** The seed of each follows from its number. */
  private void run(long first, long count, int main) {
    AtomicLong begun = new AtomicLong(first);
    long start = System.nanoTime();
    Parallel.run(
        THREADS,
        PATIENCE,
        thread -> {
          long number = begun.getAndIncrement();
          while (number < first + count) {
            long seed = progress.seed() + number;
            run(number < main ? Program.fed(seed).harder() : other(seed, number));
            number = begun.getAndIncrement();
          }
        });
    progress.add(DONE, count);
    progress.add(READS, reads.sumThenReset());
    progress.add(HITS, hits.sumThenReset());
    progress.add(FED, fed.sumThenReset());
    progress.add(LEASED, leased.sumThenReset());
    progress.add(UNIFORM, uniform.sumThenReset());
    progress.add(UPDATED, updated.sumThenReset());
    long millis = Duration.ofNanos(System.nanoTime() - start).toMillis();
    progress.add(first < main ? MILLIS : OTHER_MILLIS, millis);
    progress.keep();
  }

  private static Program other(long seed, long number) {
    long kind = number % OTHER_KINDS;
    Program drawn = kind == 0 ? Program.fed(seed) : Program.of(seed);
    return drawn.harder().with(kind == OTHER_KINDS - 1);
  }

  private void run(Program program) {
    Outcome outcome = new Simulation(program).run();
    if (!outcome.violations().isEmpty()) {
      throw new AssertionError(Replay.of(program));
    }
    reads.add(outcome.recording().reads().size());
    hits.add(outcome.hits());
    fed.add(program.fed() ? 1 : 0);
    leased.add(outcome.leasedHits());
    uniform.add(program.uniform() ? 1 : 0);
    updated.add(outcome.updatesInPlace());
  }
}
