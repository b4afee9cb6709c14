// SPDX-License-Identifier: Apache-2.0
package io.stoa.loadtest.simulation;

import io.stoa.loadtest.chart.Spread;
import io.stoa.loadtest.engine.Latencies;
import io.stoa.loadtest.run.PhaseResult;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Predicate;
import java.util.function.ToDoubleFunction;
import java.util.stream.DoubleStream;
import java.util.stream.IntStream;
import org.HdrHistogram.Histogram;

/**
 * Results of one phase in each round. Tables show the median and the spread.
 *
 * <p>Threading: not thread-safe.
 */
final class Rounds {
  /** Note below each table with a spread. */
  static final String NOTE =
      "Figures are medians of the rounds, in each of which the order of the servers is turned round; the spread is the"
          + " largest rate less the smallest, of the median.";

  private static final int DIGITS = 3;

  /**
   * Result of one round.
   *
   * @param micros latencies
   */
  record Result(double rate, double entryRate, Histogram micros, PhaseResult.Hits hits) {
    /** Returns the result of all requests. */
    static Result of(PhaseResult outcome) {
      return of(outcome, name -> true);
    }

    /** Returns the result of the requests with some names. */
    static Result of(PhaseResult outcome, Predicate<String> names) {
      List<Latencies.Summary> some =
          outcome.byName().entrySet().stream()
              .filter(one -> names.test(one.getKey()))
              .map(Map.Entry::getValue)
              .toList();
      Histogram micros = new Histogram(DIGITS);
      some.forEach(one -> micros.add(one.micros()));
      return new Result(
          some.stream().mapToDouble(Latencies.Summary::rate).sum(),
          some.stream().mapToDouble(Latencies.Summary::entryRate).sum(),
          micros,
          outcome.hits());
    }

    /** Returns a copy with latencies recorded elsewhere. */
    Result with(Histogram latencies) {
      return new Result(rate, entryRate, latencies, hits);
    }

    /** Returns the ratio of entry cache lookups that were hits. */
    private double entryHits() {
      long looked = hits.entryHits() + hits.entryMisses();
      return looked == 0 ? 0 : (double) hits.entryHits() / looked;
    }
  }

  private final List<Result> results = new ArrayList<>();

  void add(PhaseResult outcome) {
    add(Result.of(outcome));
  }

  void add(Result result) {
    results.add(result);
  }

  /** Returns the order of a round: each second round is reversed. */
  static <T> List<T> order(List<T> all, int round) {
    List<T> turned = new ArrayList<>(all);
    if (round % 2 == 0) {
      Collections.reverse(turned);
    }
    return turned;
  }

  static double median(DoubleStream figures) {
    return Spread.of(figures.toArray()).median();
  }

  private double median(ToDoubleFunction<Result> figure) {
    return median(results.stream().mapToDouble(figure));
  }

  double rate() {
    return median(Result::rate);
  }

  long ops() {
    return Math.round(rate());
  }

  /** Returns the spread of the rates. */
  String spread() {
    var rates = results.stream().mapToDouble(Result::rate).summaryStatistics();
    return String.format(Locale.ROOT, "%.0f%%", 100 * (rates.getMax() - rates.getMin()) / rate());
  }

  /** Returns the rates of the rounds divided by those of another server in the same rounds. */
  Spread over(Rounds other) {
    return Spread.of(
        IntStream.range(0, results.size())
            .mapToDouble(round -> results.get(round).rate() / other.results.get(round).rate())
            .toArray());
  }

  /** Returns the entries per second. */
  long entries() {
    return Math.round(median(Result::entryRate));
  }

  /** Returns the ratio of searches answered from memory. */
  double hits() {
    return median(one -> one.hits().filter());
  }

  double entryHits() {
    return median(Result::entryHits);
  }

  long micros(double percent) {
    return Math.round(median(one -> one.micros().getValueAtPercentile(percent)));
  }
}
