// SPDX-License-Identifier: Apache-2.0
package io.stoa.bench;

import static org.assertj.core.api.Assertions.assertThat;

import io.stoa.testing.Repository;
import java.io.IOException;
import java.nio.file.Files;
import java.util.Collection;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.openjdk.jmh.results.RunResult;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.RunnerException;
import org.openjdk.jmh.runner.options.TimeValue;
import org.openjdk.jmh.runner.options.VerboseMode;

/** Each benchmark runs, in brief and in this process. The times prove nothing here. */
class BenchmarksTest {
  /** Two builds on one machine are no reason to fail here. */
  @BeforeAll
  static void ignoreOtherRuns() {
    System.setProperty("jmh.ignoreLock", "true");
  }

  @Test
  void eachBenchmarkGivesTimeAndOctets() throws RunnerException {
    Collection<RunResult> results =
        new Runner(
                Benchmarks.options("")
                    .forks(0)
                    .warmupIterations(0)
                    .measurementIterations(1)
                    .measurementTime(TimeValue.milliseconds(10))
                    .shouldFailOnError(true)
                    .verbosity(VerboseMode.SILENT)
                    .build())
            .run();
    assertThat(Benchmarks.table(results).lines())
        .hasSize(10)
        .allMatch(line -> line.matches("\\S+( +[\\d,]+| +ns/op)( +-| +±)( +[\\d,]+| +octets/op)"))
        .anyMatch(line -> line.startsWith("HitBenchmark.lookUp "));
    assertThat(results)
        .allSatisfy(result -> assertThat(result.getPrimaryResult().getScore()).isPositive());
  }

  @Test
  void commandIsInTheHelp() throws IOException {
    assertThat(Files.readString(Repository.root().resolve("dev"))).contains("  bench [NAME] ");
  }
}
