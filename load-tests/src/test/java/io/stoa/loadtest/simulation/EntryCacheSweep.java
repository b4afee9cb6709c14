// SPDX-License-Identifier: Apache-2.0
package io.stoa.loadtest.simulation;

import static io.gatling.javaapi.core.CoreDsl.exec;
import static io.stoa.loadtest.LdapDsl.entries;
import static io.stoa.loadtest.LdapDsl.ldap;

import com.unboundid.ldap.sdk.SearchScope;
import io.gatling.javaapi.core.ChainBuilder;
import io.stoa.loadtest.chart.Chart;
import io.stoa.loadtest.chart.Spread;
import io.stoa.loadtest.run.Bench;
import io.stoa.loadtest.run.Directory;
import io.stoa.loadtest.run.Experiment;
import io.stoa.loadtest.run.Phase;
import io.stoa.loadtest.run.StoaServer;
import io.stoa.loadtest.run.Table;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.IntSupplier;

/**
 * Figure 5 of the guide of 2002, and the table of the sizing guide: the benefit of an entry cache
 * by its size. Threading: stateless.
 */
final class EntryCacheSweep implements Experiment {
  private static final List<Integer> PERCENTS = List.of(0, 20, 40, 60, 80, 100);
  private static final int USERS = 50;
  private static final String[] ASKED = {"uid", "cn", "mail", "telephoneNumber"};
  private static final List<String> KINDS = List.of("base", "equality");

  /** Measurements of one kind of search: each person once, then at random. */
  private record SearchForm(String name, Rounds warmUp, Rounds run) {
    SearchForm(String name) {
      this(name, new Rounds(), new Rounds());
    }
  }

  /** One line of the table. */
  private record Size(String name, String configuration, List<SearchForm> kinds) {
    Size(String name, String configuration) {
      this(name, configuration, KINDS.stream().map(SearchForm::new).toList());
    }

    Rounds run(int kind) {
      return kinds.get(kind).run();
    }
  }

  @Override
  public String name() {
    return "entry-cache-sweep";
  }

  @Override
  public String about() {
    return "figure 5 of the guide of 2002, and 0 to 100% of the sizing guide: the rate over the"
        + " size of the entry cache";
  }

  @Override
  public void run(Bench bench) {
    int people = bench.scale().of(10_000, 200);
    Directory directory = bench.directory(people);
    Size slapd = new Size("slapd, direct", "");
    Size none = new Size("no caches", Queries.CACHE + "  enabled: false\n");
    List<Integer> percents = bench.scale().of(PERCENTS, List.of(0, 100));
    List<Size> sizes =
        percents.stream()
            .map(percent -> new Size(percent + "%", configuration(people, percent)))
            .toList();
    List<Size> all = new ArrayList<>(List.of(slapd, none));
    all.addAll(sizes);
    int rounds = bench.scale().of(2, 1);
    for (int round = 1; round <= rounds; round++) {
      for (Size size : Rounds.order(all, round)) {
        measure(bench, directory, size, round);
      }
    }
    List<Double> ceilings =
        KINDS.stream().map(kind -> bench.ceiling(run(bench, kind, "", people)).rate()).toList();
    Table table = table(bench, people, rounds);
    all.forEach(size -> row(table, size, sizes.get(0), ceilings));
    chart(bench, percents, sizes, slapd, ceilings);
    PublishedFigures.ENTRY_CACHE.into(bench.report());
    PublishedFigures.ENTRY_CACHE_PARTS.into(bench.report());
    notes(bench);
  }

  /**
   * Returns a configuration with room for the results of all searches, including those of settling,
   * and for a percentage of the entries.
   */
  private static String configuration(int people, int percent) {
    return Queries.CACHE
        + "  filterCacheSize: "
        + (4 * people + 1000)
        + "\n  entryCacheSize: "
        + (long) people * percent / 100;
  }

  private static void measure(Bench bench, Directory directory, Size size, int round) {
    if (size.configuration().isEmpty()) {
      size.kinds().forEach(kind -> measure(bench, Server.of(directory), kind, directory, round));
      return;
    }
    for (SearchForm kind : size.kinds()) { // an entry is stored once for each form of search
      StoaServer stoa = bench.stoa("Stoa " + size.name(), directory, size.configuration());
      Queries.settle(bench, stoa, directory.people());
      measure(bench, Server.of(stoa), kind, directory, round);
      bench.end(stoa);
    }
  }

  private static void measure(
      Bench bench, Server server, SearchForm kind, Directory directory, int round) {
    int people = directory.people();
    AtomicInteger next = new AtomicInteger();
    ChainBuilder each = search(kind.name(), () -> next.getAndIncrement() % people);
    Phase all = Phase.of(kind.name() + ", warm-up " + round, USERS, each).times(people / USERS);
    kind.warmUp().add(server.measure(bench, all));
    kind.run().add(server.measure(bench, run(bench, kind.name(), " " + round, people)));
  }

  /** Returns a phase that searches people at random. */
  private static Phase run(Bench bench, String kind, String round, int people) {
    ChainBuilder some = search(kind, () -> ThreadLocalRandom.current().nextInt(people));
    Duration time = bench.scale().of(Duration.ofSeconds(5), bench.scale().run());
    return Phase.of(kind + round, USERS, some).during(time);
  }

  /** Searches a person by name or by cn, with the attributes of the sizing guide. */
  private static ChainBuilder search(String kind, IntSupplier person) {
    return exec(
        kind.equals(KINDS.get(0))
            ? ldap(kind)
                .search(session -> Directory.dn(person.getAsInt()))
                .scope(SearchScope.BASE)
                .attributes(ASKED)
                .check(entries(1))
            : ldap(kind)
                .search(Directory.PEOPLE)
                .filter(session -> String.format(Locale.ROOT, "(cn=User %05d)", person.getAsInt()))
                .attributes(ASKED)
                .check(entries(1)));
  }

  private static Table table(Bench bench, int people, int rounds) {
    return bench
        .report()
        .table(
            String.format(
                Locale.ROOT,
                "Entry cache, %d clients, %,d people asked for at random, medians of %d rounds",
                USERS,
                people,
                rounds),
            "entries kept",
            "base: warm-up ops/s",
            "base: ops/s",
            "spread",
            "÷ 0%",
            "from memory",
            "equality of cn: warm-up ops/s",
            "equality of cn: ops/s",
            "spread",
            "÷ 0%",
            "from memory",
            "entries from memory",
            "base: ceiling of the generator",
            "equality: ceiling of the generator");
  }

  private static void row(Table table, Size size, Size without, List<Double> ceilings) {
    List<Object> cells = new ArrayList<>(List.of(size.name()));
    for (int i = 0; i < KINDS.size(); i++) {
      Rounds run = size.run(i);
      cells.add(size.kinds().get(i).warmUp().ops());
      cells.addAll(List.of(run.ops(), run.spread(), run.rate() / without.run(i).rate()));
      cells.add(run.hits());
    }
    cells.add(size.run(1).entryHits());
    ceilings.forEach(ceiling -> cells.add(Math.round(ceiling)));
    table.row(cells.toArray());
  }

  private static void chart(
      Bench bench, List<Integer> percents, List<Size> sizes, Size slapd, List<Double> ceilings) {
    Chart.Texts texts =
        new Chart.Texts(
            "Entry cache: Stoa beside slapd, by the size of the cache",
            Chart.MEDIANS_OF_ROUNDS,
            "entryCacheSize, % of the entries",
            "searches/s ÷ slapd");
    Chart chart = new Chart(Chart.Axis.LINEAR, texts);
    for (int kind = 0; kind < KINDS.size(); kind++) {
      for (int i = 0; i < sizes.size(); i++) {
        chart.add(KINDS.get(kind), percents.get(i), sizes.get(i).run(kind).over(slapd.run(kind)));
      }
    }
    double lower = // both kinds have nearly the same
        Math.min(ceilings.get(0) / slapd.run(0).rate(), ceilings.get(1) / slapd.run(1).rate());
    percents.forEach(percent -> chart.add(Chart.CEILING, percent, Spread.of(lower)));
    bench.report().chart(chart);
  }

  private static void notes(Bench bench) {
    bench.report().note(Rounds.NOTE);
    bench
        .report()
        .note(
            "The guide's figure has a filter cache of 100. That cannot be so in a proxy: a"
                + " directory finds by its indices which entries a filter matches, and then needs"
                + " only the entries; a proxy has no indices, and knows which entries match from"
                + " the filter cache alone. So the filter cache has room for all searches here. The"
                + " warm-up asks for each person once; that of equality comes after base has been"
                + " measured, so that the entries are there and only the results are not.");
  }
}
