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
 * Applies changes of a feed beside 30,000 registered views. Threading: confined to one thread.
 *
 * <p>Each iteration is one batch, so that all changes exist before the first is measured.
 */
@BenchmarkMode(Mode.SingleShotTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Fork(1)
@Warmup(iterations = ApplyChangeBenchmark.WARM_UP)
@Measurement(iterations = ApplyChangeBenchmark.ITERATIONS)
public class ApplyChangeBenchmark {
  static final int WARM_UP = 20;
  static final int ITERATIONS = 10;

  private static final int BATCH = 1_000;
  private static final int VIEWS = (WARM_UP + ITERATIONS) * BATCH;

  /** Views of entries that change. */
  @State(Scope.Benchmark)
  public static class Affected {
    private final WatchedDirectory directory = new WatchedDirectory(VIEWS, 0);
  }

  /** Views of entries that do not change. */
  @State(Scope.Benchmark)
  public static class Unaffected {
    private final WatchedDirectory directory = new WatchedDirectory(VIEWS, VIEWS);

    /** Verifies that all views are left. */
    @TearDown
    public void verify() {
      if (directory.views() != VIEWS) {
        throw new IllegalStateException(directory.views() + " views are left of " + VIEWS);
      }
    }
  }

  /** Applies changes that concern no view. */
  @Benchmark
  @OperationsPerInvocation(BATCH)
  public long noView(Unaffected views) {
    return apply(views.directory);
  }

  /** Applies changes that invalidate one view each. */
  @Benchmark
  @OperationsPerInvocation(BATCH)
  public long oneView(Affected views) {
    int before = views.directory.views();
    int after = apply(views.directory);
    if (before - after != BATCH) {
      throw new IllegalStateException(before - after + " views of " + BATCH + " are gone");
    }
    return after;
  }

  private static int apply(WatchedDirectory directory) {
    for (int i = 0; i < BATCH; i++) {
      directory.change();
    }
    return directory.views();
  }
}
