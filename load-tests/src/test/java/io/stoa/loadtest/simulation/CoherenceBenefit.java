// SPDX-License-Identifier: Apache-2.0
package io.stoa.loadtest.simulation;

import io.stoa.loadtest.chart.Chart;
import io.stoa.loadtest.chart.Spread;
import io.stoa.loadtest.run.Bench;
import io.stoa.loadtest.run.Directory;
import io.stoa.loadtest.run.Experiment;
import io.stoa.loadtest.run.PhaseResult;
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
 * Measures the hit ratio under updates through Stoa and updates that bypass it: with precise
 * invalidation, and with a flush at each change.
 *
 * <p>Threading: stateless.
 */
final class CoherenceBenefit implements Experiment {
  /** Minimum ratio of the intended updates: 0.9. With fewer, the phase measures something else. */
  private static final double LEAST = 0.9;

  private static final int PERCENT = 100;

  private static final List<Load> LOADS =
      List.of(
          new Load(0, true),
          new Load(1, true),
          new Load(1, false),
          new Load(10, true),
          new Load(10, false));

  private static final List<Load> BRIEF = List.of(LOADS.get(0), LOADS.get(1), LOADS.get(3));

  /** Configuration of a sharing class whose members have the rights of the feed's account. */
  private static final String CLASS =
      """
      cache:
        classes:
          - {name: readers, members: ['*,ou=services,%s'], base: '%s', uniform: true}
      """
          .formatted(Directory.SUFFIX, Directory.PEOPLE);

  /** Promised ratios of the hit ratio without updates, at 1% and at 10% updates. */
  private record Floors(double few, double many) {
    static final Floors NONE = new Floors(0, 0);

    double of(Load load) {
      return load.percent() > 1 ? many : load.percent() > 0 ? few : 0;
    }
  }

  /** One measurement of a phase. */
  private record Measured(PhaseResult outcome, long around) {
    double hits() {
      return outcome.hits().filter();
    }

    double updates() {
      return ZipfMix.proxyUpdates(outcome) + around;
    }

    double share() {
      return updates() / (updates() + ZipfMix.searches(outcome));
    }

    double throughStoa() {
      return updates() == 0 ? 0 : ZipfMix.proxyUpdates(outcome) / updates();
    }
  }

  /**
   * A configuration of Stoa and of its readers.
   *
   * @param lines lines of Stoa's configuration
   * @param identities number of identities of the readers
   * @param inPlace true if changes update results in place and invalidate none
   */
  private record Setup(String name, String lines, int identities, boolean inPlace, Floors floors) {
    /**
     * Returns the hit ratio in theory, if an update invalidates at once what it affects and nothing
     * else.
     */
    double byArithmetic(int people, Load load) {
      return inPlace ? 1 : new ZipfMix(people, load, identities).byArithmetic();
    }
  }

  /** One Stoa with its measurements. */
  private record Column(StoaServer stoa, Setup kind, Map<Load, List<Measured>> rounds) {
    int identities() {
      return kind.identities();
    }

    double median(Load load, ToDoubleFunction<Measured> figure) {
      return Rounds.median(rounds.get(load).stream().mapToDouble(figure));
    }

    /** Returns the searches answered from memory, in percent of all. */
    Spread percentOfHits(Load load) {
      return Spread.of(
          rounds.get(load).stream().mapToDouble(one -> PERCENT * one.hits()).toArray());
    }

    /** Returns the spread of the rounds, in percent of all searches. */
    double spread(Load load) {
      Spread hits = percentOfHits(load);
      return hits.high() - hits.low();
    }

    /** Returns the hit ratio relative to that without updates. */
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
    return "hits under 0, 1 and 10% updates, through Stoa and round it: precise invalidation beside"
        + " invalidating everything";
  }

  @Override
  public void run(Bench bench) {
    int people = bench.scale().of(10_000, 400);
    Directory directory = bench.directoryWithFeed(people);
    List<Load> loads = bench.scale().of(LOADS, BRIEF);
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
    PhaseResult ceiling =
        bench.ceiling(new ZipfMix(people, LOADS.get(0), 1).phase(bench.scale().run()));
    report(bench, columns, loads, people, ZipfMix.searchRate(ceiling));
    notes(bench);
    columns.forEach(column -> loads.forEach(load -> judge(bench, column, load)));
  }

  private static List<Column> columns(Bench bench, Directory directory) {
    int several = Directory.READERS;
    List<Setup> kinds = new ArrayList<>();
    kinds.add(
        new Setup("Stoa, a uniform class of four", CLASS, several, true, new Floors(0.95, 0.9)));
    kinds.add(new Setup("Stoa, one identity", "", 1, false, new Floors(0.95, 0.8)));
    if (!bench.scale().brief()) {
      kinds.add(new Setup("Stoa, four identities", "", several, false, Floors.NONE));
    }
    String everything = Queries.CACHE + "  invalidation: everything\n";
    kinds.add(new Setup("Stoa, any change voids everything", everything, 1, false, Floors.NONE));
    return kinds.stream().map(kind -> column(bench, directory, kind)).toList();
  }

  private static Column column(Bench bench, Directory directory, Setup kind) {
    StoaServer stoa = bench.stoa(kind.name(), directory, directory.feed() + kind.lines());
    return new Column(stoa, kind, new LinkedHashMap<>());
  }

  /** Runs the measured load until the JVM has compiled its code. */
  private static void settle(Bench bench, Directory directory, Column column) {
    Duration compile = bench.scale().of(Duration.ofSeconds(25), Duration.ofMillis(500));
    ZipfMix mix = new ZipfMix(directory.people(), LOADS.get(LOADS.size() - 1), column.identities());
    try (DirectWriters around = new DirectWriters(directory, mix)) {
      bench.warmUp(mix.phase(compile), column.stoa().target());
    }
  }

  /**
   * Measures a phase. At its beginning all results are in memory; outside of brief runs, updates
   * have then run for a while.
   */
  private static Measured measure(Bench bench, Directory directory, Column column, Load load) {
    StoaServer stoa = column.stoa();
    bench.warmUp(ZipfMix.all(directory.people(), column.identities()), stoa.target());
    if (!bench.scale().brief()) {
      ZipfMix before = new ZipfMix(directory.people(), load, column.identities());
      try (DirectWriters around = new DirectWriters(directory, before)) {
        bench.warmUp(before.phase(Duration.ofSeconds(10)), stoa.target());
      }
    }
    ZipfMix mix = new ZipfMix(directory.people(), load, column.identities());
    try (DirectWriters around = new DirectWriters(directory, mix)) {
      Duration time = bench.scale().of(Duration.ofSeconds(20), Duration.ofSeconds(1));
      PhaseResult outcome = bench.measure(mix.phase(time), stoa);
      return new Measured(outcome, mix.directUpdates());
    }
  }

  private static void report(
      Bench bench, List<Column> columns, List<Load> loads, int people, double ceiling) {
    Table table =
        bench
            .report()
            .table(
                String.format(
                    Locale.ROOT, "Benefit, %d readers, medians of the rounds", ZipfMix.READERS),
                "server",
                "updates, law",
                "from memory, %",
                "spread",
                "÷ without updates",
                "by arithmetic",
                "searches/s",
                "updates of all, %",
                "of these through Stoa, %",
                "p50 µs",
                "p99 µs",
                "ceiling of the generator");
    for (Column column : columns) {
      loads.forEach(load -> row(table, column, load, people, ceiling));
    }
    chart(bench, columns, loads);
    PublishedFigures.UPDATES.into(bench.report());
  }

  private static void chart(Bench bench, List<Column> columns, List<Load> loads) {
    Chart.Texts texts =
        new Chart.Texts(
            "Searches answered from memory under updates",
            Chart.MEDIANS_OF_ROUNDS,
            "updates, law",
            "answered from memory, % of the searches");
    Chart chart = new Chart(Chart.Axis.GROUPS, texts);
    for (Column column : columns) {
      for (Load load : loads) {
        chart.add(column.stoa().target().name(), load.name(), column.percentOfHits(load));
      }
    }
    bench.report().chart(chart);
  }

  private static void row(Table table, Column column, Load load, int people, double ceiling) {
    table.row(
        column.stoa().target().name(),
        load.name(),
        PERCENT * column.median(load, Measured::hits),
        column.spread(load),
        String.format(Locale.ROOT, "%.3f", column.left(load)),
        String.format(Locale.ROOT, "%.3f", column.kind().byArithmetic(people, load)),
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
            "Four searches of five are for a person, by Zipf's law with exponent 1, one is for a"
                + " set of a hundred people; by one service account, or by four that are given the"
                + " same, at a pace, so that there are as many updates a second with each"
                + " configuration. Every other update goes through Stoa, every other one to slapd"
                + " itself. Updates replace a value that is shown, of people chosen by the same"
                + " law, or of all alike (uniform).");
    bench
        .report()
        .note(
            "By arithmetic is what comes from memory where an update takes away what it concerns,"
                + " at once, and nothing else: of what an identity asks for r times a second, and"
                + " that changes u times, r / (r + u), if both are independent of each other. What"
                + " is changed in place need not be asked for again. The spread is that of the part"
                + " from memory between the rounds.");
    bench
        .report()
        .note(
            "The account of the feed may read cn=config, so that Stoa knows when access rights"
                + " change: else what rests on the feed would be asked for again after 5 s"
                + " (`cache.maxAclStaleness`). `cache.maxAge` is the default, 5 s, but where any"
                + " change voids everything: there it is 1h, so that nothing but changes ends what"
                + " is in memory. An update through Stoa then does so twice, when it is answered"
                + " and when the feed tells of it.");
  }

  private static void judge(Bench bench, Column column, Load load) {
    double share = PERCENT * column.median(load, Measured::share);
    if (share < LEAST * load.percent()) {
      String failure =
          String.format(
              Locale.ROOT,
              "FAILED: %s had %.2f%% of updates in place of %d%%: its figures are of another"
                  + " experiment.",
              column.stoa().target().name(),
              share,
              load.percent());
      bench.report().note(failure);
      bench.print(failure);
    }
    double floor = column.kind().floors().of(load);
    if (!bench.scale().brief() && column.left(load) < floor) {
      bench
          .report()
          .failed(
              String.format(
                  Locale.ROOT,
                  "%s keeps %.3f of its hits at %s: less than the %.2f that is promised",
                  column.stoa().target().name(),
                  column.left(load),
                  load.name(),
                  floor));
    }
  }
}
