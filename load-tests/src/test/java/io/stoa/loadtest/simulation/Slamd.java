// SPDX-License-Identifier: Apache-2.0
package io.stoa.loadtest.simulation;

import static io.gatling.javaapi.core.CoreDsl.exec;
import static io.stoa.loadtest.LdapDsl.entries;
import static io.stoa.loadtest.LdapDsl.ldap;
import static io.stoa.loadtest.LdapDsl.resultCode;
import static io.stoa.loadtest.LdapDsl.saveDn;

import io.gatling.javaapi.core.ChainBuilder;
import io.gatling.javaapi.core.Session;
import io.stoa.loadtest.run.Bench;
import io.stoa.loadtest.run.Directory;
import io.stoa.loadtest.run.Experiment;
import io.stoa.loadtest.run.Outcome;
import io.stoa.loadtest.run.Phase;
import io.stoa.loadtest.run.StoaServer;
import io.stoa.loadtest.run.Table;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * SLAMD's jobs as they were run against Oracle's directory: one operation, by many clients.
 * Stateless.
 */
final class Slamd implements Experiment {
  private static final int COMPARE_TRUE = 6;

  /** One line of the table. */
  private record Job(String name, int clients, boolean asRoot, ChainBuilder once) {
    Phase phase(Bench bench) {
      Phase phase = Phase.of(name, clients, once).during(bench.scale().run());
      return asRoot
          ? phase.protocol(there -> there.boundAs(Directory.ROOT, Directory.ROOT_PASSWORD))
          : phase;
    }
  }

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
    StoaServer stoa = bench.stoa("Stoa", directory, Queries.CACHE);
    StoaServer small =
        bench.stoa("Stoa, 1000 results", directory, Queries.CACHE + "  filterCacheSize: 1000");
    Queries.settle(bench, stoa.target(), people);
    Queries.settle(bench, small.target(), people);
    Table table =
        bench
            .report()
            .table(
                "SLAMD, " + people + " people",
                "test",
                "clients",
                "server",
                "ops/s",
                "÷ slapd",
                "p50 ms",
                "p99 ms",
                "from memory",
                "ceiling of the generator");
    for (Job job : jobs(bench, people)) {
      double ceiling = bench.ceiling(job.clients());
      Outcome slapd = bench.measure(job.phase(bench), directory.target());
      row(table, slapd, slapd, ceiling);
      row(table, bench.measure(job.phase(bench), stoa), slapd, ceiling);
      if (job.name().equals("search")) {
        row(table, bench.measure(job.phase(bench), small), slapd, ceiling);
      }
    }
    Published.SLAMD.into(bench.report());
    bench
        .report()
        .note(
            "The published search goes through two billion entries in order, so that no cache has what is asked for; a cache of 1000"
                + " results in front of 20,000 people stands for that. An authentication is a search and a bind, and counts as one;"
                + " a bind always goes to the directory, and so does a compare of a password.");
  }

  private static List<Job> jobs(Bench bench, int people) {
    int few = bench.scale().of(240, 8);
    int many = bench.scale().of(800, 16);
    return List.of(
        new Job("search", few, false, search(people)),
        new Job("search", many, false, search(people)),
        new Job("authenticate", few, false, authenticate(few, people)),
        new Job("authenticate", many, false, authenticate(many, people)),
        new Job("bind", many, false, bind(many, people)),
        new Job("modify", bench.scale().of(400, 8), true, modify(bench.scale().of(400, 8), people)),
        new Job("compare", many, true, compare(people)));
  }

  /** All clients together go through the people in order. */
  private static ChainBuilder search(int people) {
    AtomicInteger next = new AtomicInteger();
    return exec(
        ldap("search")
            .search(Directory.PEOPLE)
            .filter(session -> "(uid=user." + Math.floorMod(next.getAndIncrement(), people) + ")")
            .attributes("uid")
            .check(entries(1)));
  }

  private static ChainBuilder authenticate(int clients, int people) {
    return exec(session -> own(session, clients, people))
        .exec(
            ldap("authenticate: search")
                .search(Directory.PEOPLE)
                .filter("(uid=user.#{number})")
                .attributes("uid")
                .check(entries(1), saveDn("dn")))
        .exec(ldap("authenticate: bind").bind("#{dn}", Directory.PASSWORD));
  }

  private static ChainBuilder bind(int clients, int people) {
    return exec(session -> own(session, clients, people))
        .exec(ldap("bind").bind("uid=user.#{number}," + Directory.PEOPLE, Directory.PASSWORD));
  }

  private static ChainBuilder modify(int clients, int people) {
    return exec(session -> own(session, clients, people))
        .exec(
            ldap("modify")
                .modify("uid=user.#{number}," + Directory.PEOPLE)
                .replace("telephoneNumber", "+1 555 #{random}"));
  }

  private static ChainBuilder compare(int people) {
    return exec(session -> session.set("number", ThreadLocalRandom.current().nextInt(people)))
        .exec(
            ldap("compare")
                .compare(
                    "uid=user.#{number}," + Directory.PEOPLE, "userPassword", Directory.PASSWORD)
                .check(resultCode(COMPARE_TRUE)));
  }

  /** Somebody in the client's own range, at random. */
  private static Session own(Session session, int clients, int people) {
    int range = Math.max(1, people / clients);
    int first = (int) (session.userId() % clients) * range;
    ThreadLocalRandom random = ThreadLocalRandom.current();
    return session
        .set("number", first + random.nextInt(range))
        .set("random", random.nextInt(1_000_000));
  }

  private static void row(Table table, Outcome outcome, Outcome slapd, double ceiling) {
    table.row(
        outcome.phase(),
        outcome.users(),
        outcome.target(),
        Math.round(rate(outcome)),
        rate(outcome) / rate(slapd),
        outcome.micros(50) / 1000.0,
        outcome.micros(99) / 1000.0,
        outcome.hits().filter(),
        Math.round(ceiling));
  }

  /** What has two steps counts once. */
  private static double rate(Outcome outcome) {
    return outcome.rate() / outcome.byName().size();
  }
}
