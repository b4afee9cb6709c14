// SPDX-License-Identifier: Apache-2.0
package io.stoa.loadtest.simulation;

import io.stoa.loadtest.chart.Chart;
import io.stoa.loadtest.chart.Spread;
import io.stoa.loadtest.run.Bench;
import io.stoa.loadtest.run.Directory;
import io.stoa.loadtest.run.Experiment;
import io.stoa.loadtest.run.Phase;
import io.stoa.loadtest.run.StoaServer;
import io.stoa.loadtest.run.Table;
import java.util.List;
import java.util.Locale;

/**
 * DirectoryMark's Address Lookup: each query once, then all of them repeatedly for some time.
 * Threading: stateless.
 */
final class AddressLookup implements Experiment {
  static final int USERS = 50;

  private static final List<String> PHASES = List.of("warm-up", "run 1", "run 2");

  /** One phase, measured with both servers in each round. */
  private record Pair(String phase, Rounds slapd, Rounds stoa) {
    void measure(Bench bench, int round, Queries queries, Server server) {
      String name = phase + ", round " + round;
      Phase asked =
          phase.equals(PHASES.get(0))
              ? queries.all(name, USERS)
              : queries.during(name, USERS, bench);
      (server.stoa() == null ? slapd : stoa).add(server.measure(bench, asked));
    }
  }

  @Override
  public String name() {
    return "address-lookup";
  }

  @Override
  public String about() {
    return "DirectoryMark's Address Lookup: warm-up and runs, exact searches and such of several"
        + " entries";
  }

  @Override
  public void run(Bench bench) {
    int people = bench.scale().of(20_000, 200);
    Directory directory = bench.directory(people);
    List<Pair> pairs =
        PHASES.stream().map(phase -> new Pair(phase, new Rounds(), new Rounds())).toList();
    int rounds = bench.scale().of(3, 2);
    for (int round = 1; round <= rounds; round++) {
      round(bench, directory, round, pairs);
    }
    double ceiling = bench.ceiling(new Queries(people, people).during("run", USERS, bench)).rate();
    Table table = table(bench, people, rounds);
    pairs.forEach(pair -> row(table, pair, ceiling));
    chart(bench, pairs, ceiling);
    PublishedFigures.ADDRESS_LOOKUP.into(bench.report());
    bench.report().note(Rounds.NOTE);
    bench
        .report()
        .note(
            "The published server is compared with and without its filter cache; Stoa with the"
                + " slapd behind it, which keeps all of its data in memory. Stoa is a new process"
                + " in each round, and is not started anew between warm-up and runs.");
  }

  private static void round(Bench bench, Directory directory, int round, List<Pair> pairs) {
    int people = directory.people();
    StoaServer stoa = bench.stoa("Stoa", directory, Queries.CACHE);
    Queries.settle(bench, stoa, people);
    for (Server server : Rounds.order(List.of(Server.of(directory), Server.of(stoa)), round)) {
      Queries queries = new Queries(people, people);
      pairs.forEach(pair -> pair.measure(bench, round, queries, server));
    }
    bench.end(stoa);
  }

  private static void chart(Bench bench, List<Pair> pairs, double ceiling) {
    Chart.Texts texts =
        new Chart.Texts(
            "Address Lookup: Stoa beside slapd",
            Chart.MEDIANS_OF_ROUNDS,
            "phase",
            "searches/s ÷ slapd");
    Chart chart = new Chart(Chart.Axis.GROUPS, texts);
    for (Pair pair : pairs) {
      chart.add("Stoa", pair.phase(), pair.stoa().over(pair.slapd()));
      chart.add(Chart.CEILING, pair.phase(), Spread.of(ceiling / pair.slapd().rate()));
    }
    bench.report().chart(chart);
  }

  private static Table table(Bench bench, int people, int rounds) {
    return bench
        .report()
        .table(
            String.format(
                Locale.ROOT,
                "Address Lookup, %d clients, %,d people, medians of %d rounds",
                USERS,
                people,
                rounds),
            "phase",
            "slapd ops/s",
            "spread",
            "Stoa ops/s",
            "spread",
            "Stoa ÷ slapd",
            "slapd entries/s",
            "Stoa entries/s",
            "from memory",
            "entries from memory",
            "Stoa p50 µs",
            "Stoa p99 µs",
            "ceiling of the generator");
  }

  private static void row(Table table, Pair pair, double ceiling) {
    Rounds stoa = pair.stoa();
    table.row(
        pair.phase(),
        pair.slapd().ops(),
        pair.slapd().spread(),
        stoa.ops(),
        stoa.spread(),
        stoa.rate() / pair.slapd().rate(),
        pair.slapd().entries(),
        stoa.entries(),
        stoa.hits(),
        stoa.entryHits(),
        stoa.micros(50),
        stoa.micros(99),
        Math.round(ceiling));
  }
}
