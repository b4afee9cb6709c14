// SPDX-License-Identifier: Apache-2.0
package io.stoa.loadtest.simulation;

import io.stoa.loadtest.chart.Chart;
import io.stoa.loadtest.chart.Spread;
import io.stoa.loadtest.run.Bench;
import io.stoa.loadtest.run.Directory;
import io.stoa.loadtest.run.Experiment;
import io.stoa.loadtest.run.Phase;
import io.stoa.loadtest.run.Table;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;

/**
 * SLAMD's jobs as published for Oracle's directory: one operation each, by many clients. Threading:
 * stateless.
 */
final class Slamd implements Experiment {
  private static final int FEW_RESULTS = 20;

  @Override
  public String name() {
    return "slamd";
  }

  @Override
  public String about() {
    return "search, authenticate, bind, modify and compare, each alone, by 240 to 800 clients";
  }

  @Override
  public void run(Bench bench) {
    int people = bench.scale().of(20_000, 200);
    Directory directory = bench.directory(people);
    Server slapd = Server.of(directory);
    Server stoa = Server.of(bench.stoa("Stoa", directory, Queries.CACHE));
    String small = Queries.CACHE + "  filterCacheSize: " + people / FEW_RESULTS;
    Server few = Server.of(bench.stoa("Stoa, few results", directory, small));
    Table table = table(bench, people);
    Chart chart = chart();
    for (SlamdJob job : SlamdJob.all(people)) {
      List<Server> servers = job.isSearch() ? List.of(slapd, stoa, few) : List.of(slapd, stoa);
      rows(bench, table, job, servers, chart);
    }
    bench.report().chart(chart);
    PublishedFigures.SLAMD.into(bench.report());
    notes(bench, people);
  }

  private static Chart chart() {
    return new Chart(
        Chart.Axis.GROUPS,
        new Chart.Texts(
            "SLAMD: Stoa beside slapd, one operation at a time",
            Chart.MEDIANS_OF_ROUNDS,
            "operation, clients",
            "operations/s ÷ slapd"));
  }

  private static Table table(Bench bench, int people) {
    return bench
        .report()
        .table(
            "SLAMD, " + people + " people, medians of " + rounds(bench) + " rounds",
            "test",
            "clients",
            "server",
            "ops/s",
            "spread",
            "÷ slapd",
            "p50 ms",
            "p99 ms",
            "from memory",
            "ceiling of the generator");
  }

  private static int rounds(Bench bench) {
    return bench.scale().of(3, 1);
  }

  private static void rows(
      Bench bench, Table table, SlamdJob job, List<Server> servers, Chart chart) {
    List<Integer> clients = bench.scale().of(List.of(240, 800), List.of(8, 16));
    for (Server server : servers) {
      bench.warmUp(settling(bench, job, clients.get(0)), server.target());
    }
    Map<Integer, Map<Server, Rounds>> measured =
        clients.stream().collect(Collectors.toMap(Function.identity(), count -> none(servers)));
    Duration time = bench.scale().of(Duration.ofSeconds(5), bench.scale().run());
    for (int round = 1; round <= rounds(bench); round++) {
      for (int count : Rounds.order(clients, round)) {
        for (Server server : Rounds.order(servers, round)) {
          SlamdJob.Run run = job.run(job.name() + " " + count + ", " + round, count);
          measured
              .get(count)
              .get(server)
              .add(run.result(server.measure(bench, run.phase().during(time))));
        }
      }
    }
    for (int count : clients) {
      SlamdJob.Run alone = job.run(job.name() + " " + count, count);
      double ceiling = alone.result(bench.ceiling(alone.phase().during(time))).rate();
      Rounds slapd = measured.get(count).get(servers.get(0));
      String group = job.name() + ", " + count + " clients";
      chart.add(Chart.CEILING, group, Spread.of(ceiling / slapd.rate()));
      for (Server server : servers.subList(1, servers.size())) {
        chart.add(server.name(), group, measured.get(count).get(server).over(slapd));
      }
      for (Server server : servers) {
        row(
            table,
            List.of(job.name(), count, server.name()),
            measured.get(count).get(server),
            slapd,
            ceiling);
      }
    }
  }

  /**
   * Returns an unmeasured phase. In full it lasts until the JVM has compiled its code; in brief it
   * covers all people, whatever the time.
   */
  private static Phase settling(Bench bench, SlamdJob job, int clients) {
    Phase phase = job.run("settle", clients).phase();
    return bench
        .scale()
        .of(phase.during(Duration.ofSeconds(20)), phase.times(2 * job.people() / clients));
  }

  private static Map<Server, Rounds> none(List<Server> servers) {
    return servers.stream().collect(Collectors.toMap(Function.identity(), server -> new Rounds()));
  }

  private static void row(
      Table table, List<Object> what, Rounds rounds, Rounds slapd, double ceiling) {
    List<Object> cells = new ArrayList<>(what);
    cells.addAll(List.of(rounds.ops(), rounds.spread(), rounds.rate() / slapd.rate()));
    cells.addAll(List.of(rounds.micros(50) / 1000.0, rounds.micros(99) / 1000.0));
    cells.addAll(List.of(rounds.hits(), Math.round(ceiling)));
    table.row(cells.toArray());
  }

  private static void notes(Bench bench, int people) {
    bench.report().note(Rounds.NOTE);
    bench
        .report()
        .note(
            "The published search goes through two billion entries in order, so that no cache has"
                + " what is asked for; \"few results\" is a cache of "
                + people / FEW_RESULTS
                + " results in front of "
                + people
                + " people, and stands for that. An authentication is a search and a bind, and"
                + " counts as one: its latency is from the start of the search to the end of the"
                + " bind. Each client searches on one connection, which stays bound as one service,"
                + " and binds on another. A bind always goes to the directory, and so do a modify"
                + " and a compare of a password. Before each test the same runs unmeasured against"
                + " each server.");
  }
}
