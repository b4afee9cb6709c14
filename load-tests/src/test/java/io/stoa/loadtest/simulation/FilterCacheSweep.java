// SPDX-License-Identifier: Apache-2.0
package io.stoa.loadtest.simulation;

import io.stoa.loadtest.chart.Chart;
import io.stoa.loadtest.chart.Spread;
import io.stoa.loadtest.run.Bench;
import io.stoa.loadtest.run.Directory;
import io.stoa.loadtest.run.Experiment;
import io.stoa.loadtest.run.StoaServer;
import io.stoa.loadtest.run.Table;
import java.util.List;
import java.util.Locale;

/**
 * Figure 2 of the guide of 2002: the benefit of a filter cache by its size. Threading: stateless.
 */
final class FilterCacheSweep implements Experiment {
  private static final List<Integer> PERCENTS = List.of(0, 10, 25, 50, 75, 100, 150);
  private static final int USERS = AddressLookup.USERS;

  /** Stoa with a cache of one size. */
  private record Size(int percent, Rounds warmUp, Rounds run) {
    Size(int percent) {
      this(percent, new Rounds(), new Rounds());
    }

    int results(int people) {
      return people * percent / 100;
    }
  }

  @Override
  public String name() {
    return "filter-cache-sweep";
  }

  @Override
  public String about() {
    return "figure 2 of the guide of 2002: the rate over the size of the filter cache";
  }

  @Override
  public void run(Bench bench) {
    int people = bench.scale().of(10_000, 200);
    Directory directory = bench.directory(people);
    Rounds slapd = new Rounds();
    List<Size> sizes = bench.scale().of(PERCENTS, List.of(0, 150)).stream().map(Size::new).toList();
    int rounds = bench.scale().of(2, 1);
    for (int round = 1; round <= rounds; round++) {
      Queries direct = new Queries(people, people);
      slapd.add(bench.measure(direct.during("run " + round, USERS, bench), directory.target()));
      for (Size size : Rounds.order(sizes, round)) {
        measure(bench, directory, size, round);
      }
    }
    double ceiling = bench.ceiling(new Queries(people, people).during("run", USERS, bench)).rate();
    Table table = table(bench, people, rounds);
    sizes.forEach(size -> row(table, size, sizes.get(0), slapd, ceiling));
    table.row(
        "slapd, direct",
        "-",
        slapd.ops(),
        slapd.spread(),
        slapd.rate() / sizes.get(0).run().rate(),
        1.0,
        slapd.entries(),
        "-",
        "-",
        Math.round(ceiling));
    chart(bench, sizes, slapd, ceiling);
    PublishedFigures.FILTER_CACHE.into(bench.report());
    notes(bench);
  }

  private static void measure(Bench bench, Directory directory, Size size, int round) {
    int people = directory.people();
    String configuration = Queries.CACHE + "  filterCacheSize: " + size.results(people);
    StoaServer stoa = bench.stoa("Stoa " + size.percent() + "%", directory, configuration);
    Queries.settle(bench, stoa, people);
    Queries queries = new Queries(people, people);
    size.warmUp().add(bench.measure(queries.all("warm-up " + round, USERS), stoa));
    size.run().add(bench.measure(queries.during("run " + round, USERS, bench), stoa));
    bench.end(stoa);
  }

  private static Table table(Bench bench, int people, int rounds) {
    return bench
        .report()
        .table(
            String.format(
                Locale.ROOT,
                "Filter cache, %d clients, %,d queries, medians of %d rounds",
                USERS,
                people,
                rounds),
            "results kept, % of the queries",
            "warm-up ops/s",
            "run ops/s",
            "spread",
            "run ÷ run without",
            "run ÷ slapd direct",
            "entries/s",
            "from memory",
            "entries from memory",
            "ceiling of the generator");
  }

  private static void row(Table table, Size size, Size without, Rounds slapd, double ceiling) {
    Rounds run = size.run();
    table.row(
        size.percent(),
        size.warmUp().ops(),
        run.ops(),
        run.spread(),
        run.rate() / without.run().rate(),
        run.rate() / slapd.rate(),
        run.entries(),
        run.hits(),
        run.entryHits(),
        Math.round(ceiling));
  }

  private static void chart(Bench bench, List<Size> sizes, Rounds slapd, double ceiling) {
    Chart.Texts texts =
        new Chart.Texts(
            "Filter cache: Stoa beside slapd, by the size of the cache",
            Chart.MEDIANS_OF_ROUNDS,
            "filterCacheSize, % of the queries",
            "searches/s ÷ slapd");
    Chart chart = new Chart(Chart.Axis.LINEAR, texts);
    for (Size size : sizes) {
      chart.add("run", size.percent(), size.run().over(slapd));
      chart.add("warm-up", size.percent(), size.warmUp().over(slapd));
      chart.add(Chart.CEILING, size.percent(), Spread.of(ceiling / slapd.rate()));
    }
    bench.report().chart(chart);
  }

  private static void notes(Bench bench) {
    bench.report().note(Rounds.NOTE);
    bench
        .report()
        .note(
            "The published cache drops what was used longest ago, so that a list of queries which"
                + " is longer than the cache and is asked in order finds nothing in it. Stoa keeps"
                + " what is asked often, and here all is asked equally often, so that the part that"
                + " it has room for stays: its curve has no knee, but grows with the size.");
  }
}
