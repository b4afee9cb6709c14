// SPDX-License-Identifier: Apache-2.0
package io.stoa.bench;

import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.regex.Pattern;
import org.openjdk.jmh.profile.GCProfiler;
import org.openjdk.jmh.results.Result;
import org.openjdk.jmh.results.RunResult;
import org.openjdk.jmh.runner.NoBenchmarksException;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.RunnerException;
import org.openjdk.jmh.runner.options.ChainedOptionsBuilder;
import org.openjdk.jmh.runner.options.OptionsBuilder;
import org.openjdk.jmh.runner.options.VerboseMode;

/**
 * Runs benchmarks: {@code ./dev bench [NAME]}. A NAME is the name of a class, or a part of it.
 * Prints a table with the time and the allocated octets of each operation.
 *
 * <p>Threading: stateless.
 */
public final class Benchmarks {
  /** Allocated octets for each operation, as JMH's profiler names them. */
  private static final String OCTETS = "gc.alloc.rate.norm";

  private static final int FAILED = 1;
  private static final int USAGE = 2;

  private Benchmarks() {}

  /** Runs all benchmarks, or those with the given name. */
  public static void main(String[] arguments) throws RunnerException {
    if (arguments.length > 1) {
      fail(USAGE, "usage: ./dev bench [NAME]");
    }
    String name = arguments.length == 0 ? "" : arguments[0];
    ChainedOptionsBuilder options =
        options(name).verbosity(VerboseMode.SILENT).shouldFailOnError(true);
    try {
      System.out.println("Measuring; each benchmark takes about ten seconds ...");
      System.out.print(table(new Runner(options.build()).run()));
    } catch (NoBenchmarksException e) {
      fail(FAILED, "dev: there is no benchmark '" + name + "'. Run ./dev bench for all of them.");
    }
  }

  private static void fail(int status, String message) {
    System.err.println(message);
    System.exit(status);
  }

  /** Returns the options of a run, with the profiler of allocation. */
  static ChainedOptionsBuilder options(String name) {
    return new OptionsBuilder()
        .include("^io\\.stoa\\.bench\\..*" + Pattern.quote(name))
        .addProfiler(GCProfiler.class);
  }

  /** Returns the results as lines of text. */
  static String table(Collection<RunResult> results) {
    StringBuilder out = new StringBuilder();
    line(out, "benchmark", "ns/op", "±", "octets/op");
    List<RunResult> sorted =
        results.stream()
            .sorted(Comparator.comparing(one -> one.getParams().getBenchmark()))
            .toList();
    for (RunResult result : sorted) {
      Result<?> time = result.getPrimaryResult();
      line(
          out,
          result.getParams().getBenchmark().replaceAll(".*\\.([^.]+\\.[^.]+)$", "$1"),
          number(time.getScore()),
          Double.isNaN(time.getScoreError()) ? "-" : number(time.getScoreError()),
          number(result.getSecondaryResults().get(OCTETS).getScore()));
    }
    return out.toString();
  }

  private static String number(double value) {
    return String.format(Locale.ROOT, "%,.0f", value);
  }

  private static void line(StringBuilder out, String... cells) {
    out.append(String.format(Locale.ROOT, "%-36s %12s %10s %12s%n", (Object[]) cells));
  }
}
