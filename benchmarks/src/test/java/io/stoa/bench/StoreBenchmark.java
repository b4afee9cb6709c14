// SPDX-License-Identifier: Apache-2.0
package io.stoa.bench;

import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;

/**
 * Stores results: misses whose answers come at once, in place of expired results. The socket of a
 * directory server is left out. Threading: confined to one thread.
 */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Fork(1)
@Warmup(iterations = 5, time = 1)
@Measurement(iterations = 5, time = 1)
public class StoreBenchmark {
  private static final int PEOPLE = 1000;

  private final CachedDirectory directory = new CachedDirectory(PEOPLE);
  private long searches;

  /** Reads each person once, after all stored results have expired. */
  @Benchmark
  @OperationsPerInvocation(PEOPLE)
  public long miss() {
    directory.expireAll();
    for (int person = 0; person < PEOPLE; person++) {
      directory.searchNext();
    }
    searches += PEOPLE;
    return directory.misses();
  }

  /** Verifies that every search was a miss, and was stored. */
  @TearDown
  public void verify() {
    directory.close();
    if (directory.misses() != searches || directory.stored() != PEOPLE) {
      throw new IllegalStateException(
          directory.misses() + " misses of " + searches + ", stored " + directory.stored());
    }
  }
}
