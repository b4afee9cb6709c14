// SPDX-License-Identifier: Apache-2.0
package io.stoa.loadtest.simulation;

import static io.gatling.javaapi.core.CoreDsl.doSwitch;
import static io.gatling.javaapi.core.CoreDsl.exec;
import static io.gatling.javaapi.core.CoreDsl.onCase;
import static io.stoa.loadtest.LdapDsl.dn;
import static io.stoa.loadtest.LdapDsl.entries;
import static io.stoa.loadtest.LdapDsl.ldap;

import io.gatling.javaapi.core.ChainBuilder;
import io.gatling.javaapi.core.Session;
import io.stoa.loadtest.run.Bench;
import io.stoa.loadtest.run.Directory;
import io.stoa.loadtest.run.Phase;
import io.stoa.loadtest.run.StoaServer;
import java.time.Duration;
import java.util.Locale;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * The searches of an address book, after DirectoryMark's Address Lookup. Of ten queries eight are
 * exact, one has a wildcard and one names a department; each of the last two matches ten people.
 * All users take queries from one list, in order and repeatedly.
 *
 * <p>Threading: thread-safe.
 */
final class Queries {
  /**
   * The part of Stoa's configuration common to the experiments; further keys of the cache may
   * follow.
   */
  static final String CACHE = "cache:\n  maxAge: 1h\n";

  /** Names of the requests. */
  static final Set<String> NAMES = Set.of("exact", "wildcard", "department");

  private static final int KINDS = 10;
  private static final int SETTLING = 16;
  private static final String[] ASKED = {"uid", "cn", "mail", "telephoneNumber"};

  private final int count;
  private final int people;
  private final AtomicInteger next = new AtomicInteger();

  Queries(int count, int people) {
    this.count = count;
    this.people = people;
  }

  int count() {
    return count;
  }

  /** Returns the next query of the list. */
  ChainBuilder next() {
    return exec(this::take)
        .exec(
            doSwitch("#{kind}")
                .on(
                    onCase("exact").then(exact()),
                    onCase("wildcard").then(several("wildcard", "(cn=#{value}*)")),
                    onCase("department")
                        .then(several("department", "(departmentNumber=#{value})"))));
  }

  private static ChainBuilder exact() {
    return exec(
        ldap("exact")
            .search(Directory.PEOPLE)
            .filter("(uid=#{value})")
            .attributes(ASKED)
            .check(entries(1), dn("uid=#{value}," + Directory.PEOPLE)));
  }

  private static ChainBuilder several(String name, String filter) {
    return exec(
        ldap(name)
            .search(Directory.PEOPLE)
            .filter(filter)
            .attributes(ASKED)
            .check(entries(Directory.DEPARTMENT)));
  }

  private Session take(Session session) {
    int query = Math.floorMod(next.getAndIncrement(), count);
    int person = (int) ((long) query * people / count);
    return switch (query % KINDS) {
      case 8 -> session.set("kind", "wildcard").set("value", prefix(person));
      case 9 -> session.set("kind", "department").set("value", person / Directory.DEPARTMENT);
      default -> session.set("kind", "exact").set("value", "user." + person);
    };
  }

  /** Returns the common prefix of the names of ten people. */
  private static String prefix(int person) {
    return String.format(Locale.ROOT, "User %04d", person / Directory.DEPARTMENT);
  }

  /** Returns a phase that sends each query once. */
  Phase all(String name, int users) {
    return Phase.of(name, users, next()).times((count + users - 1) / users);
  }

  /** Returns a phase that repeats the queries for a time. */
  Phase during(String name, int users, Bench bench) {
    return Phase.of(name, users, next())
        .during(bench.scale().of(Duration.ofSeconds(6), bench.scale().run()));
  }

  /**
   * Runs such searches on Stoa for a while, and then flushes its caches. The JVM is slow until it
   * has compiled its code.
   */
  static void settle(Bench bench, StoaServer stoa, int people) {
    Phase some = Phase.of("settle", SETTLING, new Queries(people, people).next());
    bench.warmUp(some.during(bench.scale().warmUp()), stoa);
  }
}
