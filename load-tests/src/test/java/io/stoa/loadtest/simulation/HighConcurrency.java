// SPDX-License-Identifier: Apache-2.0
package io.stoa.loadtest.simulation;

import static io.gatling.javaapi.core.CoreDsl.exec;
import static io.stoa.loadtest.LdapDsl.due;
import static io.stoa.loadtest.LdapDsl.entries;
import static io.stoa.loadtest.LdapDsl.ldap;

import io.gatling.javaapi.core.ChainBuilder;
import io.stoa.loadtest.chart.Chart;
import io.stoa.loadtest.chart.Spread;
import io.stoa.loadtest.run.Bench;
import io.stoa.loadtest.run.Directory;
import io.stoa.loadtest.run.Experiment;
import io.stoa.loadtest.run.Phase;
import io.stoa.loadtest.run.PhaseResult;
import io.stoa.loadtest.run.StoaServer;
import io.stoa.loadtest.run.Table;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.ThreadLocalRandom;

/**
 * Very many clients of one identity, at full speed and at a pace of their own, and Stoa's memory
 * for idle clients.
 *
 * <p>Threading: stateless.
 */
final class HighConcurrency implements Experiment {
  private static final int CONNECTS_A_SECOND = 1000;
  private static final List<Integer> CLIENTS = List.of(240, 800, 4_000, 16_000);
  private static final List<Integer> BRIEF = List.of(8, 200);

  @Override
  public String name() {
    return "high-concurrency";
  }

  @Override
  public String about() {
    return "240 to 16,000 clients: rates, and the memory of an idle connection";
  }

  @Override
  public void run(Bench bench) {
    int people = bench.scale().of(10_000, 100);
    List<Integer> clients = bench.scale().of(CLIENTS, BRIEF);
    int few = clients.get(0);
    int many = clients.get(clients.size() - 1);
    Directory directory = bench.directory(people);
    StoaServer stoa = bench.stoa("Stoa", directory, Queries.CACHE);
    Queries.settle(bench, stoa, people);
    bench.warmUp(phase("fill", few, people).times(4 * people / few), stoa.target());
    Memory idle = memory(bench, stoa, many, people);
    List<Rounds> fast = clients.stream().map(Rounds::new).toList();
    Rounds base = fast.get(0);
    int rounds = bench.scale().of(3, 1);
    for (int round = 1; round <= rounds; round++) {
      for (Rounds one : fast) {
        one.measure(bench, stoa, fast(bench, round, one.users(), people));
      }
    }
    Duration interval = bench.scale().of(Duration.ofSeconds(4), Duration.ofMillis(200));
    Rounds paced = new Rounds(many);
    paced.measure(bench, stoa, paced(bench, many, people, interval));
    Table table = table(bench, people, few, rounds);
    fast.forEach(one -> table.row(one.row("as fast as they can", base)));
    table.row(paced.row("each every " + interval.toMillis() + " ms", base));
    idle.into(bench);
    bench.report().chart(chart(fast));
    PublishedFigures.HIGH_CONCURRENCY.into(bench.report());
    bench
        .report()
        .note(
            "Latencies at a pace count from when a request was due, so that what an answer that"
                + " came late has delayed is in them; so is how late the generator itself was,"
                + " which the ceiling's latencies show.");
  }

  private static Table table(Bench bench, int people, int few, int rounds) {
    return bench
        .report()
        .table(
            "One identity, " + people + " people, medians of " + rounds + " rounds",
            "clients",
            "how",
            "ops/s",
            "÷ " + few + " clients",
            "p50 ms",
            "p99 ms",
            "errors",
            "ceiling of the generator",
            "ceiling ÷ that with " + few,
            "p50 ms of the ceiling",
            "p99 ms of the ceiling");
  }

  /**
   * Returns the chart of the rates at full speed. At a pace the rate is what the clients ask for.
   */
  private static Chart chart(List<Rounds> fast) {
    Rounds base = fast.get(0);
    String rate = String.format(Locale.ROOT, "searches/s ÷ Stoa's with %,d clients", base.users());
    Chart chart =
        new Chart(
            Chart.Axis.LOGARITHMIC,
            new Chart.Texts(
                "One identity with many clients", Chart.MEDIANS_OF_ROUNDS, "clients", rate));
    for (Rounds one : fast) {
      chart.add("Stoa", one.users(), one.over(base));
      chart.add(Chart.CEILING, one.users(), Spread.of(one.ceiling() / base.rate()));
    }
    return chart;
  }

  /** Stoa's memory before clients connect, and when all are bound and idle. */
  private record Memory(int clients, long[] before, long[] atRest) {
    void into(Bench bench) {
      Table table =
          bench
              .report()
              .table(
                  "Memory of each of " + clients + " idle connections, all bound",
                  "memory",
                  "before, MB",
                  "with them, MB",
                  "bytes for each connection");
      row(table, "live heap: objects that are still in use", 0);
      row(table, "resident size of the process", 1);
      bench
          .report()
          .note(
              "The live heap is what a connection costs in Java's heap. The resident size has"
                  + " besides what is outside of it; of the heap, whose size is fixed, only such"
                  + " pages as were never used before, so that it alone says little.");
    }

    private void row(Table table, String what, int which) {
      table.row(
          what,
          before[which] / 1e6,
          atRest[which] / 1e6,
          Math.round((double) (atRest[which] - before[which]) / clients));
    }
  }

  private static Memory memory(Bench bench, StoaServer stoa, int clients, int people) {
    Memory memory = new Memory(clients, octets(stoa), new long[2]);
    Runnable look = () -> System.arraycopy(octets(stoa), 0, memory.atRest(), 0, 2);
    bench.warmUp(phase("idle", clients, people).whenConnected(look), stoa.target());
    return memory;
  }

  private static long[] octets(StoaServer stoa) {
    return new long[] {stoa.liveHeap(), stoa.residentMemory()};
  }

  /** Measurements for one number of clients, with the limits of the generator itself. */
  private record Rounds(int users, List<PhaseResult> stoa, List<PhaseResult> ceilings) {
    Rounds(int users) {
      this(users, new ArrayList<>(), new ArrayList<>());
    }

    void measure(Bench bench, StoaServer server, Phase phase) {
      stoa.add(bench.measure(phase, server));
      ceilings.add(bench.ceiling(phase));
    }

    /**
     * Returns the rates divided by those of another number of clients in the same round. Those of
     * the base itself are divided by their median, which shows their spread.
     */
    Spread over(Rounds base) {
      double[] ratios = new double[stoa.size()];
      for (int round = 0; round < ratios.length; round++) {
        boolean own = base.users == users;
        ratios[round] = stoa.get(round).rate() / (own ? rate() : base.stoa.get(round).rate());
      }
      return Spread.of(ratios);
    }

    double rate() {
      return median(stoa.stream().map(PhaseResult::rate).toList());
    }

    double ceiling() {
      return median(ceilings.stream().map(PhaseResult::rate).toList());
    }

    Object[] row(String how, Rounds base) {
      return new Object[] {
        users,
        how,
        Math.round(rate()),
        rate() / base.rate(),
        millis(stoa, 50),
        millis(stoa, 99),
        stoa.stream().mapToLong(PhaseResult::errors).sum(),
        Math.round(ceiling()),
        ceiling() / base.ceiling(),
        millis(ceilings, 50),
        millis(ceilings, 99)
      };
    }

    private static double millis(List<PhaseResult> outcomes, double percent) {
      return median(outcomes.stream().map(one -> one.micros(percent) / 1000.0).toList());
    }

    private static double median(List<Double> values) {
      return values.stream().sorted().toList().get(values.size() / 2);
    }
  }

  /** Returns a phase at full speed. */
  private static Phase fast(Bench bench, int round, int users, int people) {
    return phase("fast " + users + ", " + round, users, people).during(bench.scale().run());
  }

  private static Phase paced(Bench bench, int users, int people, Duration interval) {
    Duration time = interval.multipliedBy(bench.scale().of(4, 3));
    return phase("paced " + users, users, exec(due(interval)).exec(search(people))).during(time);
  }

  private static Phase phase(String name, int users, int people) {
    return phase(name, users, search(people));
  }

  private static Phase phase(String name, int users, ChainBuilder once) {
    return Phase.of(name, users, once)
        .ramp(Duration.ofSeconds(users / CONNECTS_A_SECOND))
        .protocol(there -> there.boundAs(Directory.dn(1), Directory.PASSWORD));
  }

  private static ChainBuilder search(int people) {
    return exec(
        ldap("search")
            .search(Directory.PEOPLE)
            .filter(session -> "(uid=user." + ThreadLocalRandom.current().nextInt(people) + ")")
            .attributes("uid", "cn", "mail")
            .check(entries(1)));
  }
}
