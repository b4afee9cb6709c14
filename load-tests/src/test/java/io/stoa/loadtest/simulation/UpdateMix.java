// SPDX-License-Identifier: Apache-2.0
package io.stoa.loadtest.simulation;

import io.stoa.loadtest.chart.Chart;
import io.stoa.loadtest.chart.Spread;
import io.stoa.loadtest.run.Bench;
import io.stoa.loadtest.run.Directory;
import io.stoa.loadtest.run.Experiment;
import io.stoa.loadtest.run.Phase;
import io.stoa.loadtest.run.PhaseResult;
import io.stoa.loadtest.run.Table;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.ToDoubleFunction;

/**
 * Figure 3 of the guide of 2002: the benefit of the caches when one operation in a hundred is an
 * update. Threading: stateless.
 */
final class UpdateMix implements Experiment {
  /** Minimum ratio of updates: 0.9%. With fewer, the phase measures something else than 1%. */
  private static final double LEAST_SHARE = 0.009;

  private static final int WRITERS = 16;

  /**
   * One server, with its results in both phases.
   *
   * @param every maximum time that writes wait
   * @param writers number of writers, enough for one to be free while the others wait
   * @param phases results of the searches, without and with updates
   * @param mixed outcomes of the phase with updates
   */
  private record Column(
      Server server, Duration every, int writers, List<Rounds> phases, List<PhaseResult> mixed) {
    Column(Server server, Duration every, int writers) {
      this(server, every, writers, List.of(new Rounds(), new Rounds()), new ArrayList<>());
    }

    Rounds without() {
      return phases.get(0);
    }

    Rounds with() {
      return phases.get(1);
    }

    void add(int percent, PhaseResult outcome) {
      phases.get(percent).add(Mix.searches(outcome));
      if (percent > 0) {
        mixed.add(outcome);
      }
    }

    /** Returns the median of a figure of the phase with updates. */
    double median(ToDoubleFunction<PhaseResult> figure) {
      return Rounds.median(mixed.stream().mapToDouble(figure));
    }

    /** Returns a time that is long enough for several windows. */
    Duration atLeast(Duration time) {
      Duration windows = every.multipliedBy(3);
      return windows.compareTo(time) > 0 ? windows : time;
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
    int people = bench.scale().of(10_000, 100);
    Directory directory = bench.directoryWithFeed(people);
    Phase reading = new Mix(people, false).phase("mix", WRITERS, new Queries(people, people));
    List<Column> columns = columns(bench, directory);
    columns.forEach(column -> settle(bench, column, people));
    int rounds = bench.scale().of(2, 1);
    for (int round = 1; round <= rounds; round++) {
      for (Column column : Rounds.order(columns, round)) {
        for (int percent : Rounds.order(List.of(0, 1), round)) {
          measure(bench, column, percent, people);
        }
      }
    }
    double ceiling = Mix.searches(bench.ceiling(reading.during(bench.scale().run()))).rate();
    Table table = table(bench, people, rounds);
    columns.forEach(column -> row(table, column, ceiling));
    chart(bench, columns, ceiling);
    PublishedFigures.UPDATES.into(bench.report());
    notes(bench);
    columns.forEach(column -> judge(bench, column));
  }

  private static List<Column> columns(Bench bench, Directory directory) {
    List<Column> columns = new ArrayList<>();
    columns.add(new Column(Server.of(directory), Duration.ZERO, WRITERS));
    columns.add(direct(bench, directory, "Stoa, no cache", Queries.CACHE + "  enabled: false\n"));
    String everything = Queries.CACHE + "  invalidation: everything\n";
    columns.add(direct(bench, directory, "Stoa, invalidating everything", everything));
    if (bench.scale().brief()) {
      columns.add(windows(bench, directory, Duration.ofMillis(500), 100));
    } else {
      columns.add(direct(bench, directory, "Stoa, with a feed", directory.feed()));
      columns.add(windows(bench, directory, Duration.ofSeconds(1), 600));
      columns.add(windows(bench, directory, Duration.ofSeconds(5), 2500));
    }
    return columns;
  }

  private static Column direct(Bench bench, Directory directory, String name, String lines) {
    return new Column(Server.of(bench.stoa(name, directory, lines)), Duration.ZERO, WRITERS);
  }

  private static Column windows(Bench bench, Directory directory, Duration every, int writers) {
    String lines =
        Queries.CACHE
            + "writes:\n  windows:\n    - {name: all, maxOperations: 10000, every: "
            + every.toMillis()
            + "ms}\nreplication: {session: connection}\n";
    String name = "Stoa, windows of " + every.toMillis() + " ms";
    return new Column(Server.of(bench.stoa(name, directory, lines)), every, writers);
  }

  /** Runs the load with updates until the JVM has compiled its code. */
  private static void settle(Bench bench, Column column, int people) {
    Duration compile = bench.scale().of(Duration.ofSeconds(25), Duration.ofMillis(300));
    Phase mix =
        new Mix(people, true).phase("settle", column.writers(), new Queries(people, people));
    bench.warmUp(mix.during(compile), column.server().target());
  }

  /** Measures a phase. At its beginning all results are in memory. */
  private static void measure(Bench bench, Column column, int percent, int people) {
    Queries queries = new Queries(people, people);
    bench.warmUp(Mix.asOne(queries.all("fill", Mix.READERS)), column.server().target());
    Phase mix =
        new Mix(people, percent > 0).phase(percent + "% updates", column.writers(), queries);
    Duration time =
        column.atLeast(bench.scale().of(Duration.ofSeconds(8), Duration.ofMillis(1500)));
    column.add(percent, column.server().measure(bench, mix.during(time)));
  }

  private static Table table(Bench bench, int people, int rounds) {
    return bench
        .report()
        .table(
            String.format(
                Locale.ROOT,
                "Updates, %d readers, %,d queries, medians of %d rounds",
                Mix.READERS,
                people,
                rounds),
            "server",
            "searches/s, 0% updates",
            "spread",
            "searches/s, 1% updates",
            "spread",
            "1% ÷ 0%",
            "entries/s, 0%",
            "entries/s, 1%",
            "from memory, 0%",
            "from memory, 1%",
            "updates of all, %",
            "updates/s",
            "update p50 µs",
            "ceiling of the generator");
  }

  private static void row(Table table, Column column, double ceiling) {
    Rounds without = column.without();
    Rounds with = column.with();
    table.row(
        column.server().name(),
        without.ops(),
        without.spread(),
        with.ops(),
        with.spread(),
        with.rate() / without.rate(),
        without.entries(),
        with.entries(),
        without.hits(),
        with.hits(),
        100 * column.median(Mix::share),
        Math.round(column.median(Mix::updateRate)),
        Math.round(column.median(Mix::updateMicros)),
        Math.round(ceiling));
  }

  private static void chart(Bench bench, List<Column> columns, double ceiling) {
    Chart.Texts texts =
        new Chart.Texts(
            "Updates: Stoa beside a slapd without updates",
            Chart.MEDIANS_OF_ROUNDS,
            "server",
            "searches/s ÷ slapd without updates");
    Chart chart = new Chart(Chart.Axis.GROUPS, texts);
    Rounds slapd = columns.get(0).without();
    for (Column column : columns) {
      String name = column.server().name();
      chart.add("no updates", name, column.without().over(slapd));
      chart.add("1% updates", name, column.with().over(slapd));
      chart.add(Chart.CEILING, name, Spread.of(ceiling / slapd.rate()));
    }
    bench.report().chart(chart);
  }

  private static void notes(Bench bench) {
    bench.report().note(Rounds.NOTE);
    bench
        .report()
        .note(
            "Where everything is invalidated (`cache.invalidation: everything`) each write ends all"
                + " that is stored, as in the published server: what is still answered from memory"
                + " was asked twice between two updates. With a feed a write ends what it concerns;"
                + " `cache.maxAge` is 5 s there, and the account of the feed may read cn=config.");
    bench
        .report()
        .note(
            "A window ends all that is stored when it closes, so that it is worth as much as what"
                + " is asked again before the next one closes: all queries here are asked equally"
                + " often, and each must first be asked once after each window.");
    bench
        .report()
        .note(
            "The two phases of a server differ in updates alone: the same writers are connected and"
                + " bound in both, and the same results are in memory at the beginning. All are one"
                + " identity, whose cached results they share; so that those who read do not wait"
                + " for what others write, each connection is a session of its own"
                + " (`replication.session`).");
  }

  /** Reports writers that were too slow, as the phase then measures something else. */
  private static void judge(Bench bench, Column column) {
    double share = column.median(Mix::share);
    if (share < LEAST_SHARE) {
      String failure =
          String.format(
              Locale.ROOT,
              "FAILED: %s had %.2f%% of updates in place of 1%%: its figures are of another"
                  + " experiment.",
              column.server().name(),
              100 * share);
      bench.report().note(failure);
      bench.print(failure);
    }
  }
}
