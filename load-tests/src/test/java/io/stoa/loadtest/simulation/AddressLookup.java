// SPDX-License-Identifier: Apache-2.0
package io.stoa.loadtest.simulation;

import io.stoa.loadtest.run.Bench;
import io.stoa.loadtest.run.Directory;
import io.stoa.loadtest.run.Experiment;
import io.stoa.loadtest.run.Outcome;
import io.stoa.loadtest.run.StoaServer;
import io.stoa.loadtest.run.Table;

/**
 * DirectoryMark's Address Lookup: each query once, then all of them again for some time. Stateless.
 */
final class AddressLookup implements Experiment {
  static final int USERS = 50;

  private static final String[] RUNS = {"run 1", "run 2", "run 3"};

  @Override
  public String name() {
    return "address-lookup";
  }

  @Override
  public String about() {
    return "DirectoryMark's Address Lookup: warm-up and runs, exact searches and such of several entries";
  }

  @Override
  public void run(Bench bench) {
    int people = bench.scale().of(20_000, 200);
    Directory directory = bench.directory(people);
    StoaServer stoa = bench.stoa("Stoa", directory, Queries.CACHE);
    double ceiling = bench.ceiling(USERS);
    Table table =
        bench
            .report()
            .table(
                "Address Lookup, " + USERS + " clients, " + people + " people",
                "phase",
                "slapd ops/s",
                "Stoa ops/s",
                "Stoa ÷ slapd",
                "Stoa entries/s",
                "from memory",
                "Stoa p50 µs",
                "Stoa p99 µs",
                "ceiling of the generator");
    Queries.settle(bench, stoa.target(), people);
    Queries direct = new Queries(people, people);
    Queries through = new Queries(people, people);
    row(
        table,
        bench.measure(direct.all("warm-up", USERS), directory.target()),
        bench.measure(through.all("warm-up", USERS), stoa),
        ceiling);
    for (String run : bench.scale().brief() ? new String[] {RUNS[0]} : RUNS) {
      row(
          table,
          bench.measure(direct.during(run, USERS, bench), directory.target()),
          bench.measure(through.during(run, USERS, bench), stoa),
          ceiling);
    }
    Published.ADDRESS_LOOKUP.into(bench.report());
    bench
        .report()
        .note(
            "The published server is compared with and without its filter cache; Stoa with the slapd behind it, which keeps all of its data in memory.");
  }

  private static void row(Table table, Outcome slapd, Outcome stoa, double ceiling) {
    table.row(
        stoa.phase(),
        Math.round(slapd.rate()),
        Math.round(stoa.rate()),
        stoa.rate() / slapd.rate(),
        Math.round(stoa.all().entryRate()),
        stoa.hits().filter(),
        stoa.micros(50),
        stoa.micros(99),
        Math.round(ceiling));
  }
}
