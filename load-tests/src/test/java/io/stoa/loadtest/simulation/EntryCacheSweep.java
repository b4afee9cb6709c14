// SPDX-License-Identifier: Apache-2.0
package io.stoa.loadtest.simulation;

import static io.gatling.javaapi.core.CoreDsl.exec;
import static io.stoa.loadtest.LdapDsl.entries;
import static io.stoa.loadtest.LdapDsl.ldap;

import com.unboundid.ldap.sdk.SearchScope;
import io.gatling.javaapi.core.ChainBuilder;
import io.stoa.loadtest.run.Bench;
import io.stoa.loadtest.run.Directory;
import io.stoa.loadtest.run.Experiment;
import io.stoa.loadtest.run.Outcome;
import io.stoa.loadtest.run.Phase;
import io.stoa.loadtest.run.StoaServer;
import io.stoa.loadtest.run.Table;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;

/**
 * Figure 5 of the guide of 2002, and the table of the sizing guide: what an entry cache is worth,
 * by its size. Stateless.
 */
final class EntryCacheSweep implements Experiment {
  private static final List<Integer> PERCENTS = List.of(0, 20, 40, 60, 80, 100);
  private static final int USERS = 50;
  private static final String[] ASKED = {"uid", "cn", "mail", "telephoneNumber"};

  @Override
  public String name() {
    return "entry-cache-sweep";
  }

  @Override
  public String about() {
    return "figure 5 of the guide of 2002, and 0 to 100% of the sizing guide: the rate over the size of the entry cache";
  }

  @Override
  public void run(Bench bench) {
    int people = bench.scale().of(10_000, 200);
    Directory directory = bench.directory(people);
    double ceiling = bench.ceiling(USERS);
    Table table =
        bench
            .report()
            .table(
                "Entry cache, " + USERS + " clients, " + people + " people asked for at random",
                "entries kept, %",
                "base ops/s",
                "base ÷ without",
                "equality ops/s",
                "equality ÷ without",
                "base from memory",
                "equality from memory",
                "ceiling of the generator");
    List<Double> bases = new ArrayList<>();
    List<Double> equalities = new ArrayList<>();
    List<Integer> percents = bench.scale().of(PERCENTS, List.of(0, 100));
    for (int percent : percents) {
      StoaServer stoa =
          bench.stoa("Stoa " + percent + "%", directory, configuration(people, percent));
      Queries.settle(bench, stoa.target(), people);
      Outcome base = measure(bench, stoa, "base", base(people), people);
      Outcome equality = measure(bench, stoa, "equality", equality(people), people);
      bench.end(stoa);
      bases.add(base.rate());
      equalities.add(equality.rate());
      table.row(
          percent,
          Math.round(base.rate()),
          base.rate() / bases.get(0),
          Math.round(equality.rate()),
          equality.rate() / equalities.get(0),
          base.hits().filter(),
          equality.hits().filter(),
          Math.round(ceiling));
    }
    var chart =
        bench
            .report()
            .chart(
                "chart",
                "Entry cache",
                "entries kept, % of all",
                "ops/s",
                percents.stream().map(String::valueOf).toList());
    chart.line("base", bases);
    chart.line("equality", equalities);
    Published.ENTRY_CACHE.into(bench.report());
    Published.ENTRY_CACHE_PARTS.into(bench.report());
    bench
        .report()
        .note(
            "The guide's figure has a filter cache of 100. That cannot be so in a proxy: a directory finds by its indices which"
                + " entries a filter matches, and then needs only the entries; a proxy has no indices, and knows which entries match"
                + " from the filter cache alone. So the filter cache has room for all searches here.");
  }

  /** Room for the results of all searches, and those of settling; so many entries. */
  private static String configuration(int people, int percent) {
    return Queries.CACHE
        + "  filterCacheSize: "
        + (4 * people + 1000)
        + "\n  entryCacheSize: "
        + (long) people * percent / 100;
  }

  private static Outcome measure(
      Bench bench, StoaServer stoa, String name, ChainBuilder once, int people) {
    int each = (3 * people + USERS - 1) / USERS;
    bench.settle(Phase.of(name, USERS, once).times(each), stoa.target());
    return bench.measure(Phase.of(name, USERS, once).during(bench.scale().run()), stoa);
  }

  private static ChainBuilder base(int people) {
    return exec(
        ldap("base")
            .search(session -> Directory.dn(random(people)))
            .scope(SearchScope.BASE)
            .attributes(ASKED)
            .check(entries(1)));
  }

  private static ChainBuilder equality(int people) {
    return exec(
        ldap("equality")
            .search(Directory.PEOPLE)
            .filter(session -> "(uid=user." + random(people) + ")")
            .attributes(ASKED)
            .check(entries(1)));
  }

  private static int random(int people) {
    return ThreadLocalRandom.current().nextInt(people);
  }
}
