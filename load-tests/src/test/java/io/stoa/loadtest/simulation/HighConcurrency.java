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
    Table table =
        bench
            .report()
            .table(
                "One identity, " + people + " people",
                "clients",
                "how",
                "ops/s",
                "÷ " + few + " clients",
                "p50 ms",
                "p99 ms",
                "errors",
                "ceiling of the generator");
    AtomicLong idle = new AtomicLong();
    Outcome base = bench.measure(fast(bench, few, people, stoa, idle), stoa);
    row(table, base, "as fast as they can", base, bench.ceiling(few));
    long before = stoa.residentMemory();
    Outcome crowd = bench.measure(fast(bench, many, people, stoa, idle), stoa);
    row(table, crowd, "as fast as they can", base, bench.ceiling(many));
    Duration interval = bench.scale().of(Duration.ofSeconds(4), Duration.ofMillis(200));
    Outcome paced = bench.measure(paced(bench, many, people, interval), stoa);
    row(table, paced, "each every " + interval.toMillis() + " ms", base, bench.ceiling(many));
    Published.HIGH_CONCURRENCY.into(bench.report());
    bench
        .report()
        .note(
            "Memory of Stoa's process with "
                + many
                + " idle connections, less that before, for each of them: "
                + (idle.get() - before) / many
                + " octets. It is an upper bound: what was searched for on the way is in it.");
    bench
        .report()
        .note(
            "Latencies at a pace count what a late answer kept from being sent (coordinated omission).");
  }

  /**
   * A rate that is limited by nothing; the process's memory is read when all are there and nobody
   * asks.
   */
  private static Phase fast(Bench bench, int users, int people, StoaServer stoa, AtomicLong idle) {
    ChainBuilder all =
        gather(users, people)
            .exec(
                session -> {
                  if (session.userId() % users == 0) {
                    idle.set(stoa.residentMemory());
                  }
                  return session;
                })
            .exec(pause(REST))
            .exec(during(bench.scale().run()).on(exec(search(SEARCH, people))));
    return Phase.of("fast " + users, users, all).ramp(ramp(users));
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

  private static void row(Table table, Outcome outcome, String how, Outcome base, double ceiling) {
    var search = outcome.byName().get(SEARCH);
    table.row(
        outcome.users(),
        how,
        Math.round(search.rate()),
        outcome.phase().startsWith(PACED) ? "-" : search.rate() / base.rate(SEARCH),
        search.micros().getValueAtPercentile(50) / 1000.0,
        search.micros().getValueAtPercentile(99) / 1000.0,
        outcome.errors(),
        Math.round(ceiling));
  }
}
