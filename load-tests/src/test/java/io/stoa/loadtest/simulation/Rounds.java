// SPDX-License-Identifier: Apache-2.0
package io.stoa.loadtest.simulation;

import io.stoa.loadtest.engine.Latencies;
import io.stoa.loadtest.run.Outcome;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.function.ToDoubleFunction;

/**
 * What one phase gave in each round. A table has the median, and how far the rounds were apart. Not
 * thread-safe.
 */
final class Rounds {
  /** Under each table with such a column. */
  static final String NOTE =
      "Figures are medians of the rounds, in each of which the order of the servers is turned round; the spread is the"
          + " largest rate less the smallest, of the median.";

  private final List<Outcome> outcomes = new ArrayList<>();

  void add(Outcome outcome) {
    outcomes.add(outcome);
  }

  /** The same, with the requests of one name as all that there were. */
  static Outcome only(Outcome outcome, Latencies.Summary requests) {
    return new Outcome(
        outcome.target(),
        outcome.phase(),
        outcome.users(),
        requests,
        outcome.byName(),
        outcome.errors(),
        outcome.mistakes(),
        outcome.hits());
  }

  /** What is measured first in one round is measured last in the next one. */
  static <T> List<T> order(List<T> all, int round) {
    List<T> turned = new ArrayList<>(all);
    if (round % 2 == 0) {
      Collections.reverse(turned);
    }
    return turned;
  }

  double median(ToDoubleFunction<Outcome> figure) {
    double[] sorted = outcomes.stream().mapToDouble(figure).sorted().toArray();
    int middle = sorted.length / 2;
    return sorted.length % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
  }

  String spread(ToDoubleFunction<Outcome> figure) {
    double least = outcomes.stream().mapToDouble(figure).min().orElseThrow();
    double most = outcomes.stream().mapToDouble(figure).max().orElseThrow();
    return String.format(Locale.ROOT, "%.0f%%", 100 * (most - least) / median(figure));
  }

  /** Of all requests. */
  double rate() {
    return median(Outcome::rate);
  }

  long ops() {
    return Math.round(rate());
  }

  String spread() {
    return spread(Outcome::rate);
  }

  long entries() {
    return Math.round(median(one -> one.all().entryRate()));
  }

  /** The part of the searches that was answered from memory. */
  double hits() {
    return median(one -> one.hits().filter());
  }

  /** The part of the entries that were looked for in the entry cache, and found. */
  double entryHits() {
    return median(
        one -> {
          long looked = one.hits().entryHits() + one.hits().entryMisses();
          return looked == 0 ? 0 : (double) one.hits().entryHits() / looked;
        });
  }

  long micros(double percent) {
    return Math.round(median(one -> one.micros(percent)));
  }
}
