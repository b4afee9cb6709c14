// SPDX-License-Identifier: Apache-2.0
package io.stoa.loadtest.simulation;

import io.stoa.loadtest.run.Bench;
import io.stoa.loadtest.run.Directory;
import io.stoa.loadtest.run.Experiment;
import io.stoa.loadtest.run.Outcome;
import io.stoa.loadtest.run.StoaServer;
import io.stoa.loadtest.run.Table;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/** Figure 2 of the guide of 2002: what a filter cache is worth, by its size. Stateless. */
final class FilterCacheSweep implements Experiment {
  private static final List<Integer> PERCENTS = List.of(0, 10, 25, 50, 75, 90, 100, 150);

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
    double ceiling = bench.ceiling(AddressLookup.USERS);
    Outcome slapd =
        bench.measure(
            new Queries(people, people).during("run", AddressLookup.USERS, bench),
            directory.target());
    Table table =
        bench
            .report()
            .table(
                "Filter cache, " + AddressLookup.USERS + " clients, " + people + " queries",
                "results kept",
                "warm-up ops/s",
                "run ops/s",
                "run ÷ run without",
                "run ÷ slapd direct",
                "from memory",
                "ceiling of the generator");
    List<Double> warmUps = new ArrayList<>();
    List<Double> runs = new ArrayList<>();
    List<Integer> percents = bench.scale().of(PERCENTS, List.of(0, 150));
    for (int percent : percents) {
      int size = people * percent / 100;
      StoaServer stoa =
          bench.stoa(
              "Stoa " + percent + "%", directory, Queries.CACHE + "  filterCacheSize: " + size);
      Queries.settle(bench, stoa.target(), people);
      Queries queries = new Queries(people, people);
      Outcome warmUp = bench.measure(queries.all("warm-up", AddressLookup.USERS), stoa);
      Outcome run = bench.measure(queries.during("run", AddressLookup.USERS, bench), stoa);
      bench.end(stoa);
      warmUps.add(warmUp.rate());
      runs.add(run.rate());
      table.row(
          size,
          Math.round(warmUp.rate()),
          Math.round(run.rate()),
          run.rate() / runs.get(0),
          run.rate() / slapd.rate(),
          run.hits().filter(),
          Math.round(ceiling));
    }
    var chart =
        bench
            .report()
            .chart(
                "chart",
                "Filter cache",
                "results kept, % of the queries",
                "ops/s",
                percents.stream().map(String::valueOf).toList());
    chart.line("run", runs);
    chart.line("warm-up", warmUps);
    chart.line("slapd, direct", Collections.nCopies(percents.size(), slapd.rate()));
    chart.line("ceiling of the generator", Collections.nCopies(percents.size(), ceiling));
    Published.FILTER_CACHE.into(bench.report());
    bench
        .report()
        .note(
            "The published cache drops what was used longest ago, so that a list of queries which is longer than the cache and is"
                + " asked in order finds nothing in it. Stoa keeps what is asked often, and here all is asked equally often, so that"
                + " the part that it has room for stays: its curve has no knee, but grows with the size.");
  }
}
