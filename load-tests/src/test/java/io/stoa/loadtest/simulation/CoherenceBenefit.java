// SPDX-License-Identifier: Apache-2.0
package io.stoa.loadtest.simulation;

import io.stoa.loadtest.run.Bench;
import io.stoa.loadtest.run.Directory;
import io.stoa.loadtest.run.Experiment;
import io.stoa.loadtest.run.Outcome;
import io.stoa.loadtest.run.StoaServer;
import io.stoa.loadtest.run.Table;
import io.stoa.loadtest.simulation.ZipfMix.Load;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.ToDoubleFunction;

/**
 * What is left of the caches under updates that go through Stoa and round it: where a change makes
 * void what it concerns, and where it makes everything void. Stateless.
 */
final class CoherenceBenefit implements Experiment {
  /** Who makes less of the updates has measured something else. */
  private static final double LEAST = 0.9;

  private static final int PERCENT = 100;

  private static final List<Load> LOADS =
      List.of(
          new Load(0, true),
          new Load(1, true),
          new Load(1, false),
          new Load(10, true),
          new Load(10, false));

  /** Who reads is given the same as the account of the feed. */
  private static final String CLASS =
      """
        classes:
          - {name: readers, members: ['*,ou=services,%s'], base: '%s', uniform: true}
      """
          .formatted(Directory.SUFFIX, Directory.PEOPLE);

  /** One phase, as it was measured once. */
  private record Measured(Outcome outcome, long around) {
    double hits() {
      return outcome.hits().filter();
    }

    double updates() {
      return ZipfMix.through(outcome) + around;
    }

    double share() {
      return updates() / (updates() + ZipfMix.searches(outcome));
    }

    double throughStoa() {
      return updates() == 0 ? 0 : ZipfMix.through(outcome) / updates();
    }
  }

  /**
   * One Stoa, and what was measured of it.
   *
   * @param identities as so many the readers are bound
   */
  private record Column(StoaServer stoa, int identities, Map<Load, List<Measured>> rounds) {
    double median(Load load, ToDoubleFunction<Measured> figure) {
      return Rounds.median(rounds.get(load).stream().mapToDouble(figure));
    }

    /** Of the hit rate without updates. */
    double left(Load load) {
      return median(load, Measured::hits) / median(LOADS.get(0), Measured::hits);
    }
  }

  @Override
  public String name() {
    return "coherence-benefit";
  }

  @Override
  public String about() {
    return "hits under 0, 1 and 10% updates, through Stoa and round it: precise invalidation beside flushing everything";
  }

  @Override
  public void run(Bench bench) {
    int people = bench.scale().of(10_000, 400);
    Directory directory = bench.directoryWithFeed(people);
    List<Load> loads = bench.scale().of(LOADS, LOADS.subList(0, 2));
    List<Column> columns = columns(bench, directory);
    columns.forEach(column -> settle(bench, directory, column));
    int rounds = bench.scale().of(2, 1);
    for (int round = 1; round <= rounds; round++) {
      for (Column column : Rounds.order(columns, round)) {
        for (Load load : Rounds.order(loads, round)) {
          column.rounds().computeIfAbsent(load, none -> new ArrayList<>());
          column.rounds().get(load).add(measure(bench, directory, column, load));
        }
      }
    }
    Outcome ceiling =
        bench.ceiling(new ZipfMix(people, LOADS.get(0), 1).phase(bench.scale().run()));
    report(bench, columns, loads, ZipfMix.searchRate(ceiling));
    notes(bench);
    columns.forEach(column -> loads.forEach(load -> judge(bench, column, load)));
  }

  private static List<Column> columns(Bench bench, Directory directory) {
    String everything = Queries.CACHE + "  invalidation: everything\n";
    int several = Directory.READERS;
    List<Column> columns = new ArrayList<>();
    columns.add(
        column(bench, directory, "Stoa, a uniform class of four", Queries.FED + CLASS, several));
    columns.add(column(bench, directory, "Stoa, one identity", Queries.FED, 1));
    if (!bench.scale().brief()) {
      columns.add(column(bench, directory, "Stoa, four identities", Queries.FED, several));
    }
    columns.add(column(bench, directory, "Stoa, any change voids everything", everything, 1));
    return columns;
  }

  private static Column column(
      Bench bench, Directory directory, String name, String lines, int identities) {
    StoaServer stoa = bench.stoa(name, directory, directory.feed() + lines);
    return new Column(stoa, identities, new LinkedHashMap<>());
  }

  /** What is measured, until it is compiled. */
  private static void settle(Bench bench, Directory directory, Column column) {
    Duration compile = bench.scale().of(Duration.ofSeconds(25), Duration.ofMillis(500));
    ZipfMix mix = new ZipfMix(directory.people(), LOADS.get(LOADS.size() - 1), column.identities());
    try (AroundWriters around = new AroundWriters(directory, mix)) {
      bench.settle(mix.phase(compile), column.stoa().target());
    }
  }

  /**
   * All that is asked for is in memory at the beginning; what counts begins when the updates have
   * been at work for a while.
   */
  private static Measured measure(Bench bench, Directory directory, Column column, Load load) {
    StoaServer stoa = column.stoa();
    bench.settle(ZipfMix.all(directory.people(), column.identities()), stoa.target());
    if (!bench.scale().brief()) {
      ZipfMix before = new ZipfMix(directory.people(), load, column.identities());
      try (AroundWriters around = new AroundWriters(directory, before)) {
        bench.settle(before.phase(Duration.ofSeconds(10)), stoa.target());
      }
    }
    ZipfMix mix = new ZipfMix(directory.people(), load, column.identities());
    try (AroundWriters around = new AroundWriters(directory, mix)) {
      Duration time = bench.scale().of(Duration.ofSeconds(20), Duration.ofSeconds(1));
      Outcome outcome = bench.measure(mix.phase(time), stoa);
      return new Measured(outcome, mix.around());
    }
  }

  private static void report(Bench bench, List<Column> columns, List<Load> loads, double ceiling) {
    Table table =
        bench
            .report()
            .table(
                String.format(
                    Locale.ROOT, "Benefit, %d readers, medians of the rounds", ZipfMix.READERS),
                "server",
                "updates, law",
                "from memory, %",
                "÷ without updates",
                "searches/s",
                "updates of all, %",
                "of these through Stoa, %",
                "p50 µs",
                "p99 µs",
                "ceiling of the generator");
    for (Column column : columns) {
      loads.forEach(load -> row(table, column, load, ceiling));
    }
    var chart =
        bench
            .report()
            .bars(
                "chart",
                "Searches answered from memory",
                "%",
                loads.stream().map(Load::name).toList());
    columns.forEach(
        column ->
            chart.bar(
                column.stoa().target().name(),
                loads.stream()
                    .map(load -> PERCENT * column.median(load, Measured::hits))
                    .toList()));
    Published.UPDATES.into(bench.report());
  }

  private static void row(Table table, Column column, Load load, double ceiling) {
    table.row(
        column.stoa().target().name(),
        load.name(),
        PERCENT * column.median(load, Measured::hits),
        String.format(Locale.ROOT, "%.3f", column.left(load)),
        Math.round(column.median(load, one -> ZipfMix.searchRate(one.outcome()))),
        PERCENT * column.median(load, Measured::share),
        Math.round(PERCENT * column.median(load, Measured::throughStoa)),
        Math.round(column.median(load, one -> one.outcome().micros(50))),
        Math.round(column.median(load, one -> one.outcome().micros(99))),
        Math.round(ceiling));
  }

  private static void notes(Bench bench) {
    bench
        .report()
        .note(
            "Four searches of five are for a person, by Zipf's law with exponent 1, one is for a set of a hundred people; by"
                + " one service account, or by four that are given the same, at a pace, so that there are as many updates a second with each configuration. Every other"
                + " update goes through Stoa, every other one to slapd itself. Updates replace a value that is shown, of people"
                + " chosen by the same law, or of all alike (uniform).");
    bench
        .report()
        .note(
            "No feed tells of access rights, so that by default what rests on one is asked for again after 5 s. They do not"
                + " change here, and `cache.maxAclStaleness` is 1h, as an administrator sets it who flushes the caches after"
                + " changing rights. `cache.maxAge` is the default, 5 s, but where any change voids everything: there it is 1h, so"
                + " that nothing but changes ends what is in memory. An update through Stoa then does so twice, when it is"
                + " answered and when the feed tells of it.");
  }

  private static void judge(Bench bench, Column column, Load load) {
    double share = PERCENT * column.median(load, Measured::share);
    if (share < LEAST * load.percent()) {
      String failure =
          String.format(
              Locale.ROOT,
              "FAILED: %s had %.2f%% of updates in place of %d%%: its figures are of another experiment.",
              column.stoa().target().name(),
              share,
              load.percent());
      bench.report().note(failure);
      bench.say(failure);
    }
  }
}
