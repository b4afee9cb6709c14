// SPDX-License-Identifier: Apache-2.0
package io.stoa.bench;

import io.stoa.operation.Operation;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;

/**
 * Looks up searches whose results are stored, from the received message to the answer in a sink.
 * Threading: confined to one thread.
 */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Fork(1)
@Warmup(iterations = 5, time = 1)
@Measurement(iterations = 5, time = 1)
public class HitBenchmark {
  private static final int PEOPLE = 1000;

  private final CachedDirectory directory = new CachedDirectory(PEOPLE);

  /** Stores all results. */
  @Setup
  public void fill() {
    for (int person = 0; person < PEOPLE; person++) {
      directory.searchNext();
    }
  }

  /** Answers one search from memory. */
  @Benchmark
  public Operation lookUp() {
    return directory.searchNext();
  }

  /** Verifies that every search was a hit. */
  @TearDown
  public void verify() {
    directory.close();
    if (directory.misses() != PEOPLE) {
      throw new IllegalStateException(directory.misses() + " misses of " + PEOPLE + " people");
    }
  }
}
