// SPDX-License-Identifier: Apache-2.0
package io.stoa.loadtest.simulation;

import static io.gatling.javaapi.core.CoreDsl.doIf;
import static io.gatling.javaapi.core.CoreDsl.doIfOrElse;
import static io.gatling.javaapi.core.CoreDsl.exec;
import static io.gatling.javaapi.core.CoreDsl.pause;
import static io.stoa.loadtest.LdapDsl.ldap;

import io.gatling.javaapi.core.ChainBuilder;
import io.stoa.loadtest.run.Bench;
import io.stoa.loadtest.run.Directory;
import io.stoa.loadtest.run.Experiment;
import io.stoa.loadtest.run.Outcome;
import io.stoa.loadtest.run.Phase;
import io.stoa.loadtest.run.StoaServer;
import io.stoa.loadtest.run.Table;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Figure 3 of the guide of 2002: what is left of the caches when one operation in a hundred is an
 * update. Readers never wait; so many writers stand by that one of them can write whenever a
 * hundred searches were sent, even if each waits for a window. Stateless.
 */
final class UpdateMix implements Experiment {
  private static final int READERS = 50;
  private static final int SEARCHES_FOR_EACH_UPDATE = 99;
  private static final String WRITER = "writer";

  /**
   * One server: Stoa so configured.
   *
   * @param every how long writes wait at most
   * @param writers so many that one of them is free while the others wait
   */
  private record Column(String name, String configuration, Duration every, int writers) {
    /** A phase is long enough for several windows. */
    Duration time(Duration run) {
      Duration windows = every.multipliedBy(3);
      return windows.compareTo(run) > 0 ? windows : run;
    }

    /**
     * Each looks so rarely whether an update is due that all together look some thousand times a
     * second.
     */
    Duration look() {
      return Duration.ofMillis(5 + writers / 8);
    }
  }

  /** How many searches were sent, and how many updates are due for them. */
  private record Shares(AtomicLong searches, AtomicLong updates) {
    Shares() {
      this(new AtomicLong(), new AtomicLong());
    }

    boolean updateIsDue() {
      long made = updates.get();
      return searches.get() / SEARCHES_FOR_EACH_UPDATE > made
          && updates.compareAndSet(made, made + 1);
    }
  }

  @Override
  public String name() {
    return "update-mix";
  }

  @Override
  public String about() {
    return "figure 3 of the guide of 2002: the caches with 0% and with 1% updates";
  }

  @Override
  public void run(Bench bench) {
    int people = bench.scale().of(10_000, 200);
    Directory directory = bench.directory(people);
    double ceiling = bench.ceiling(READERS);
    List<Column> columns = columns(bench);
    Table table =
        bench
            .report()
            .table(
                "Updates, " + READERS + " readers, " + people + " queries",
                "server",
                "searches/s, 0% updates",
                "searches/s, 1% updates",
                "1% ÷ 0%",
                "from memory, 0%",
                "from memory, 1%",
                "updates/s",
                "update p50 µs",
                "ceiling of the generator");
    row(table, "slapd", ceiling, measure(bench, directory, people));
    Map<String, List<Double>> lines = new LinkedHashMap<>();
    for (Column column : columns) {
      StoaServer stoa = bench.stoa(column.name(), directory, column.configuration());
      Queries.settle(bench, stoa.target(), people);
      List<Outcome> both = measure(bench, column, stoa, people);
      bench.end(stoa);
      row(table, column.name(), ceiling, both);
      lines.put(column.name(), both.stream().map(one -> searches(one)).toList());
    }
    var chart =
        bench.report().chart("chart", "Updates", "updates", "searches/s", List.of("0%", "1%"));
    lines.forEach(chart::line);
    Published.UPDATES.into(bench.report());
    notes(bench, columns);
  }

  private static List<Column> columns(Bench bench) {
    List<Column> columns = new ArrayList<>();
    columns.add(direct("Stoa, no cache", Queries.CACHE + "  enabled: false\n"));
    columns.add(direct("Stoa", Queries.CACHE));
    Column one = bench.scale().of(windows("1s", 1000, 600), windows("100ms", 100, 10));
    if (bench.accepts(one.configuration())) {
      columns.add(one);
      if (!bench.scale().brief()) {
        columns.add(windows("10s", 10_000, 4000));
      }
    }
    return columns;
  }

  private static Column direct(String name, String configuration) {
    return new Column(name, configuration, Duration.ZERO, 50);
  }

  private static Column windows(String every, int millis, int writers) {
    return new Column(
        "Stoa, windows of " + every,
        Queries.CACHE
            + "writes:\n  windows:\n    - {name: all, maxOperations: 10000, every: "
            + every
            + "}\n",
        Duration.ofMillis(millis),
        writers);
  }

  private static void notes(Bench bench, List<Column> columns) {
    bench
        .report()
        .note(
            "Stoa without windows ends all that is stored at each write, as the published server does: it is the column of"
                + " flushing everything. What it still answers from memory was asked twice between two updates.");
    if (columns.size() < 3) {
      bench
          .report()
          .note("This Stoa has no windows (writes.windows), so that their lines are missing.");
    } else {
      bench
          .report()
          .note(
              "A window ends all that is stored when it closes, so that it is worth as much as what is asked again before the"
                  + " next one closes: all queries here are asked equally often, and each must first be asked once after each"
                  + " window.");
    }
  }

  private static List<Outcome> measure(Bench bench, Directory slapd, int people) {
    List<Outcome> both = new ArrayList<>();
    for (int percent : List.of(0, 1)) {
      both.add(
          bench.measure(
              mix(bench, direct("slapd", ""), new Queries(people, people), percent),
              slapd.target()));
    }
    return both;
  }

  private static List<Outcome> measure(Bench bench, Column column, StoaServer stoa, int people) {
    Queries queries = new Queries(people, people);
    bench.settle(queries.all("warm-up", READERS), stoa.target());
    List<Outcome> both = new ArrayList<>();
    for (int percent : List.of(0, 1)) {
      both.add(bench.measure(mix(bench, column, queries, percent), stoa));
    }
    return both;
  }

  private static Phase mix(Bench bench, Column column, Queries queries, int percent) {
    Shares shares = new Shares();
    int writers = percent == 0 ? 0 : column.writers();
    ChainBuilder read =
        exec(session -> {
              shares.searches().incrementAndGet();
              return session;
            })
            .exec(queries.next());
    ChainBuilder write =
        doIf(session -> !session.contains(WRITER))
            .then(
                exec(ldap("bind").bind(Directory.ROOT, Directory.ROOT_PASSWORD))
                    .exec(session -> session.set(WRITER, true)))
            .doIfOrElse(session -> shares.updateIsDue())
            .then(update(shares, bench.scale().of(10_000, 200)))
            .orElse(pause(column.look()));
    ChainBuilder once =
        doIfOrElse(session -> session.userId() % (READERS + writers) < READERS)
            .then(read)
            .orElse(write);
    return Phase.of(percent + "% updates", READERS + writers, exec(once))
        .ramp(Duration.ofSeconds(writers / 1000))
        .during(percent == 0 ? bench.scale().run() : column.time(bench.scale().run()));
  }

  private static ChainBuilder update(Shares shares, int people) {
    return exec(session -> session.set("number", shares.updates().get() * 7 % people))
        .exec(
            ldap("update")
                .modify("uid=user.#{number}," + Directory.PEOPLE)
                .replace("description", "changed #{number}"));
  }

  private static double searches(Outcome outcome) {
    return outcome.rate("exact") + outcome.rate("wildcard") + outcome.rate("department");
  }

  private static void row(Table table, String name, double ceiling, List<Outcome> both) {
    Outcome without = both.get(0);
    Outcome with = both.get(1);
    table.row(
        name,
        Math.round(searches(without)),
        Math.round(searches(with)),
        searches(with) / searches(without),
        without.hits().filter(),
        with.hits().filter(),
        Math.round(with.rate("update")),
        with.byName().containsKey("update")
            ? with.byName().get("update").micros().getValueAtPercentile(50)
            : 0L,
        Math.round(ceiling));
  }
}
