// SPDX-License-Identifier: Apache-2.0
package io.stoa.loadtest.simulation;

import static io.gatling.javaapi.core.CoreDsl.during;
import static io.gatling.javaapi.core.CoreDsl.exec;
import static io.gatling.javaapi.core.CoreDsl.pace;
import static io.gatling.javaapi.core.CoreDsl.pause;
import static io.gatling.javaapi.core.CoreDsl.rendezVous;
import static io.stoa.loadtest.LdapDsl.entries;
import static io.stoa.loadtest.LdapDsl.ldap;

import io.gatling.javaapi.core.ChainBuilder;
import io.stoa.loadtest.LdapStep;
import io.stoa.loadtest.run.Bench;
import io.stoa.loadtest.run.Directory;
import io.stoa.loadtest.run.Experiment;
import io.stoa.loadtest.run.Outcome;
import io.stoa.loadtest.run.Phase;
import io.stoa.loadtest.run.StoaServer;
import io.stoa.loadtest.run.Table;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Very many clients of one identity: as fast as they can, and each at its own pace. All connect,
 * and wait for the last one, before any of it counts. Stateless.
 */
final class HighConcurrency implements Experiment {
  private static final String SEARCH = "search";
  private static final String PACED = "paced ";
  private static final int CONNECTS_A_SECOND = 1000;
  private static final Duration REST = Duration.ofSeconds(1);

  @Override
  public String name() {
    return "high-concurrency";
  }

  @Override
  public String about() {
    return "16,000 clients beside 240: rates, and the memory of an idle connection";
  }

  @Override
  public void run(Bench bench) {
    int people = bench.scale().of(10_000, 100);
    int few = bench.scale().of(240, 8);
    int many = bench.scale().of(16_000, 200);
    Directory directory = bench.directory(people);
    StoaServer stoa = bench.stoa("Stoa", directory, Queries.CACHE);
    Queries.settle(bench, stoa.target(), people);
    Rounds base = new Rounds();
    Rounds crowd = new Rounds();
    AtomicLong idle = new AtomicLong();
    long before = 0;
    int rounds = bench.scale().of(3, 1);
    for (int round = 1; round <= rounds; round++) {
      base.measure(bench, stoa, fast(bench, round, few, people, () -> {}));
      before = round == 1 ? stoa.residentMemory() : before;
      Runnable rest = () -> idle.compareAndSet(0, stoa.residentMemory());
      crowd.measure(bench, stoa, fast(bench, round, many, people, rest));
    }
    Duration interval = bench.scale().of(Duration.ofSeconds(4), Duration.ofMillis(200));
    Outcome paced = bench.measure(paced(bench, many, people, interval), stoa);
    Table table = table(bench, people, few, rounds);
    table.row(base.row(few, base));
    table.row(crowd.row(many, base));
    table.row(pacedRow(paced, interval));
    Published.HIGH_CONCURRENCY.into(bench.report());
    notes(bench, many, (idle.get() - before) / many);
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
            "ceiling ÷ that with " + few);
  }

  private static void notes(Bench bench, int clients, long octets) {
    bench
        .report()
        .note(
            "Memory of Stoa's process with "
                + clients
                + " idle connections, less that before, for each of them: "
                + octets
                + " octets. It is an upper bound: what was searched for on the way is in it.");
    bench
        .report()
        .note(
            "Latencies at a pace count what a late answer kept from being sent (coordinated omission).");
  }

  /** What was measured of so many clients, beside what the generator itself reaches with them. */
  private static final class Rounds {
    private final List<Outcome> stoa = new ArrayList<>();
    private final List<Double> ceilings = new ArrayList<>();

    void measure(Bench bench, StoaServer server, Phase phase) {
      stoa.add(bench.measure(phase, server));
      ceilings.add(bench.measure(phase, bench.canned()).rate(SEARCH));
    }

    double rate() {
      return median(stoa.stream().map(one -> one.rate(SEARCH)).toList());
    }

    double ceiling() {
      return median(ceilings);
    }

    Object[] row(int users, Rounds base) {
      return new Object[] {
        users,
        "as fast as they can",
        Math.round(rate()),
        rate() / base.rate(),
        millis(50),
        millis(99),
        stoa.stream().mapToLong(Outcome::errors).sum(),
        Math.round(ceiling()),
        ceiling() / base.ceiling()
      };
    }

    private double millis(double percent) {
      return median(stoa.stream().map(one -> HighConcurrency.millis(one, percent)).toList());
    }

    private static double median(List<Double> values) {
      return values.stream().sorted().toList().get(values.size() / 2);
    }
  }

  private static double millis(Outcome outcome, double percent) {
    return outcome.byName().get(SEARCH).micros().getValueAtPercentile(percent) / 1000.0;
  }

  private static Object[] pacedRow(Outcome paced, Duration interval) {
    return new Object[] {
      paced.users(),
      "each every " + interval.toMillis() + " ms",
      Math.round(paced.rate(SEARCH)),
      "-",
      millis(paced, 50),
      millis(paced, 99),
      paced.errors(),
      "-",
      "-"
    };
  }

  /**
   * A rate that is limited by nothing.
   *
   * @param rest run when all are there and nobody asks
   */
  private static Phase fast(Bench bench, int round, int users, int people, Runnable rest) {
    ChainBuilder all =
        gather(users, people)
            .exec(
                session -> {
                  if (session.userId() % users == 0) {
                    rest.run();
                  }
                  return session;
                })
            .exec(pause(REST))
            .exec(during(bench.scale().run()).on(exec(search(SEARCH, people))));
    return Phase.of("fast " + users + ", " + round, users, all).ramp(ramp(users));
  }

  private static Phase paced(Bench bench, int users, int people, Duration interval) {
    Duration time = bench.scale().of(interval.multipliedBy(4), interval.multipliedBy(3));
    ChainBuilder all =
        gather(users, people)
            .exec(
                session ->
                    session.set("first", ThreadLocalRandom.current().nextLong(interval.toMillis())))
            .exec(pause(session -> Duration.ofMillis(session.getLong("first"))))
            .exec(during(time).on(pace(interval).exec(search(SEARCH, people))));
    return Phase.of(PACED + users, users, all)
        .ramp(ramp(users))
        .protocol(there -> there.interval(interval));
  }

  private static ChainBuilder gather(int users, int people) {
    return exec(search("first", people)).exec(rendezVous(users)).exec(pause(REST));
  }

  private static Duration ramp(int users) {
    return Duration.ofSeconds(users / CONNECTS_A_SECOND);
  }

  private static LdapStep search(String name, int people) {
    return ldap(name)
        .search(Directory.PEOPLE)
        .filter(session -> "(uid=user." + ThreadLocalRandom.current().nextInt(people) + ")")
        .attributes("uid", "cn", "mail")
        .check(entries(1));
  }
}
